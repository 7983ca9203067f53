import { Group } from '@mantine/core'
import type { KeyCreateRequest } from 'credit-gateway-sdk'
import { type FormEvent, useState } from 'react'
import { acting, queries } from '../../api.ts'
import { AmountInput } from '../../components/forms/amount-input.tsx'
import { countOf } from '../../components/forms/forms.ts'
import { OneTimeSecret } from '../../components/forms/one-time-secret.tsx'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { fieldErrors, ProblemNotice } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { useAct } from '../../data/act.ts'
import { useSession } from '../../session/session.tsx'
import { productScopes } from '../keys/scopes.ts'
import type { Program } from './programs.ts'

/** As the consent page suggests for apps that nobody has verified. */
const suggestedCredits = 500

interface AgentKeyProps {
  readonly program: Program
  readonly address: string
}

/** Makes a key for an agent that cannot open a browser. It can call the products, up to its budget. */
export function AgentKey({ program, address }: AgentKeyProps) {
  const { can, environment } = useSession()
  const [made, setMade] = useState<readonly (readonly [string, string])[] | null>(null)
  const create = useAct(async (limit_credits: number | null) => {
    const asked = {
      name: `Agent: ${program.name}`,
      // With a member who leaves, the key ends.
      metadata: { console: 'agent' },
      // A session cannot give scopes that it lacks.
      scopes: productScopes.filter(can),
      budgets: limit_credits === null ? [] : [{ period: 'month', limit_credits, enforce: true }],
    }
    const { data } = await acting.keys.issue(asked as KeyCreateRequest)
    const { name, place, keyPlace = place, snippet } = program
    setMade([
      ['API key', data.plaintext],
      [`${name}, ${keyPlace}`, snippet(address, data.plaintext)],
    ])
    void queries.invalidateQueries({ queryKey: ['keys'] })
  })
  const errors = fieldErrors(create.problem)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    void create.run(countOf(new FormData(event.currentTarget), 'budget'))
  }
  return (
    <Card title="Use an API key instead">
      <form className="card-body stack" onSubmit={submit}>
        <p>
          Create a key for an agent that cannot open a browser to sign in. It can call all products
          and nothing else, and it stops at its budget.
          {environment === 'sandbox' && ' Calls in the sandbox are free.'}
        </p>
        <Group align="flex-start" gap="md">
          <AmountInput
            {...{ name: 'budget', label: 'Credits a month', unit: 'credits', w: 180 }}
            {...{ initial: suggestedCredits, required: true, error: errors.budgets }}
          />
          <PermittedButton
            {...{ scope: 'keys:write', type: 'submit', loading: create.isBusy, mt: 25 }}
          >
            Create key
          </PermittedButton>
        </Group>
        {create.problem && <ProblemNotice error={create.problem} fields={['budgets']} />}
      </form>
      {made && (
        <OneTimeSecret
          title="Your new API key"
          advice="Put it where only the agent can read it."
          values={made}
          onClose={() => setMade(null)}
        />
      )}
    </Card>
  )
}
