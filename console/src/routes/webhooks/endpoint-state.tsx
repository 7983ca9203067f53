import type { WebhookEndpoint } from 'credit-gateway-sdk'
import { State } from '../../components/state.tsx'
import { Time } from '../../components/time.tsx'

/** Whether an endpoint gets events, and since when nothing has arrived. */
export function EndpointState({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  if (endpoint.status === 'disabled') return <State text="disabled" tone="alert" />
  if (!endpoint.failing_since) return <State text="enabled" tone="good" />
  return (
    <>
      <State text="failing" tone="caution" />{' '}
      <span className="quiet small">
        since <Time at={endpoint.failing_since} as="relative" />
      </span>
    </>
  )
}
