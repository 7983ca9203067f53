import type { WebhookEndpoint } from 'credit-gateway-sdk'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'

/** Whether an endpoint gets events, and since when nothing has arrived. */
export function EndpointState({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  if (endpoint.status === 'disabled') return <Status tone="alert">disabled</Status>
  if (!endpoint.failing_since) return <Status tone="good">enabled</Status>
  return (
    <>
      <Status tone="caution">failing</Status>{' '}
      <span className="quiet small">
        since <Time at={endpoint.failing_since} as="relative" />
      </span>
    </>
  )
}
