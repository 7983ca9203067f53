import type { UsageLogPage } from 'credit-gateway-sdk'
import { gateway } from '../../api.ts'
import { CopyButton } from '../../components/copy.tsx'
import { Icon } from '../../components/icons.tsx'
import { Card } from '../../components/screen.tsx'
import { useRead } from '../../data/read.ts'
import { gatewayUrl } from '../../place.ts'
import { useSession } from '../../session/session.tsx'

/** A sign-in is also a request of the key, but not a call of a program. */
export function isCall({ service }: { readonly service: string | null }): boolean {
  return service !== 'oauth'
}

/** The first steps of a new account. Each step is ticked automatically. */
export function FirstCall() {
  const { can, environment } = useSession()
  const log = useRead<UsageLogPage>(
    ['usage', 'first-call'],
    (options) => gateway.usage.listLog({ limit: 10, source: 'key,token' }, options),
    { scopes: ['usage:read'], isLive: true },
  )
  const hasCalled = log.data?.items.some(isCall) ?? false
  const command = [
    `curl ${gatewayUrl}/v1/contacts/search \\`,
    '  -H "Authorization: Bearer $GATEWAY_API_KEY" \\',
    `  -H 'content-type: application/json' \\`,
    `  -d '{"query":"head of marketing","limit":3}'`,
  ].join('\n')
  const steps = [
    { label: 'Sign in', isDone: true },
    { label: 'Make your first call with an API key', isDone: hasCalled },
  ]
  return (
    <Card title="Make the first call" actions={<CopyButton text={command} what="the command" />}>
      <div className="card-body stack">
        <ul className="steps">
          {steps.map(({ label, isDone }) => (
            <li key={label} data-done={isDone}>
              <span className="tick">{isDone && <Icon name="check" size={12} />}</span>
              {label}
              <span className="unseen">{isDone ? ': done' : ': to do'}</span>
            </li>
          ))}
        </ul>
        <pre className="code">{command}</pre>
        <p className="small quiet">
          {environment === 'sandbox'
            ? 'Calls of the sandbox are free.'
            : 'A call costs credits; the sandbox has the same API for free.'}
          {can('keys:write') ? ' API keys are made under “API keys”.' : ''} The step is ticked when
          the call arrives.
        </p>
      </div>
    </Card>
  )
}
