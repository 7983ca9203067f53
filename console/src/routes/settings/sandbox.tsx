import { Button, Text } from '@mantine/core'
import type { SandboxState } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, gateway, queries } from '../../api.ts'
import { CopyIcon } from '../../components/copy.tsx'
import { Facts as FactList } from '../../components/facts.tsx'
import { integer, percent } from '../../components/figures.tsx'
import { Confirm } from '../../components/forms/confirm.tsx'
import { OneTimeSecret } from '../../components/forms/one-time-secret.tsx'
import { Loading } from '../../components/list.tsx'
import { NoPermission, ProblemNotice } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { useAct } from '../../data/act.ts'
import { useRead } from '../../data/read.ts'
import { useSession } from '../../session/session.tsx'

/** The values of the header `X-Sandbox-Scenario`, and the answer for each. */
const scenarios = [
  ['ok', 'an answer, as without the header'],
  ['empty', 'an answer whose lists are empty'],
  ['slow=2000', 'an answer after so many milliseconds'],
  ['status=404', 'a failure with this status'],
  ['units=25', 'lists of so many items'],
  ['reset', '502 BACKEND_ERROR'],
  ['insufficient_credits', '402 INSUFFICIENT_CREDITS'],
] as const

/** The sandbox: its use, its reset, and the scenarios of its answers. */
export function Sandbox() {
  const session = useSession()
  const [isAsking, setAsking] = useState(false)
  const [plaintext, setPlaintext] = useState<string | null>(null)
  const state = useRead<SandboxState>(['sandbox'], (options) => gateway.sandbox.get({}, options), {
    scopes: ['account:read'],
  })
  const reset = useAct(async () => {
    const { data } = await acting.sandbox.reset()
    setAsking(false)
    setPlaintext(data.plaintext)
    await queries.invalidateQueries({ queryKey: ['sandbox'] })
  })
  const isHere = session.environment === 'sandbox'
  return (
    <Card
      title="Sandbox"
      actions={
        session.can('account:write') && (
          <Button variant="outline" color="red" size="xs" onClick={() => setAsking(true)}>
            Reset
          </Button>
        )
      }
    >
      <div className="card-body stack">
        {state.missing && <NoPermission scopes={state.missing} role={session.role} />}
        {state.error && <ProblemNotice error={state.error} retry={() => void state.refetch()} />}
        {state.isLoading && <Loading what="the sandbox" />}
        {state.data && <Facts state={state.data} />}
        <div>
          <Text size="sm" fw={500} mb={6}>
            Scenarios
          </Text>
          <Text size="sm" c="dimmed" mb="xs">
            A call to the sandbox with one of these headers gets:
          </Text>
          <ul className="rows boxed">
            {scenarios.map(([value, answer]) => (
              <li key={value}>
                <code className="mono">X-Sandbox-Scenario: {value}</code>
                <CopyIcon text={`X-Sandbox-Scenario: ${value}`} what={`scenario ${value}`} />
                <span className="quiet grow">{answer}</span>
              </li>
            ))}
          </ul>
        </div>
      </div>
      {isAsking && (
        <Confirm
          {...{ title: 'Reset the sandbox?', action: 'Reset', name: 'reset' }}
          {...{ isBusy: reset.isBusy, problem: reset.problem }}
          onConfirm={() => void reset.run()}
          onClose={() => setAsking(false)}
        >
          <Text size="sm">
            All sandbox keys are revoked, and one new key is issued. Programs that use the sandbox
            need the new key. Live keys are not touched.
            {isHere &&
              session.key_id &&
              ' You are signed in with a sandbox key: your session ends with it.'}
          </Text>
        </Confirm>
      )}
      {plaintext !== null && (
        <OneTimeSecret
          title="Your new sandbox key"
          advice="It is the only sandbox key that works now."
          values={[['Sandbox key', plaintext]]}
          onClose={() => setPlaintext(null)}
        />
      )}
    </Card>
  )
}

function Facts({ state }: { readonly state: SandboxState }) {
  const facts = [
    ['Key', state.key_prefix === null ? 'none' : `${state.key_prefix}…${state.key_last4}`],
    ['Requests today', integer(state.requests_today)],
    ['Requests this month', integer(state.requests_this_month)],
    ['Success rate', state.requests_this_month === 0 ? '–' : percent(state.success_rate)],
  ] as const
  return <FactList facts={facts} />
}
