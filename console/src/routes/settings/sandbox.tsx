import { Button, Text } from '@mantine/core'
import type { SandboxState } from 'credit-gateway-sdk'
import { useState } from 'react'
import { scenarioHeader, scenarios } from '../../../../schema/catalog/scenario.ts'
import { acting, gateway, queries } from '../../api.ts'
import { CopyIcon } from '../../components/copy.tsx'
import { Facts as FactList } from '../../components/facts.tsx'
import { Confirm } from '../../components/forms/confirm.tsx'
import { OneTimeSecret } from '../../components/forms/one-time-secret.tsx'
import { Loading } from '../../components/list.tsx'
import { NoPermission, ProblemNotice } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { useAct } from '../../data/act.ts'
import { useRead } from '../../data/read.ts'
import { integer, percent } from '../../format/numbers.ts'
import { useSession } from '../../session/session.tsx'

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
        {state.missing && <NoPermission {...state.missing} />}
        {state.error && <ProblemNotice error={state.error} retry={() => void state.refetch()} />}
        {state.isLoading && <Loading what="the sandbox" />}
        {state.data && <Facts state={state.data} />}
        <Scenarios />
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

function Scenarios() {
  return (
    <div>
      <Text size="sm" fw={500} mb={6}>
        Scenarios
      </Text>
      <Text size="sm" c="dimmed" mb="xs">
        Send one of these headers with a sandbox call to see what happens:
      </Text>
      <ul className="rows boxed">
        {scenarios.map(({ example, effect }) => (
          <li key={example}>
            <code className="mono">{`${scenarioHeader}: ${example}`}</code>
            <CopyIcon text={`${scenarioHeader}: ${example}`} what={`scenario ${example}`} />
            <span className="quiet grow">{effect}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
