import type { ApiKey } from 'credit-gateway-sdk'
import { Status } from '../../components/status.tsx'

/** Whether a key is accepted. */
export function KeyState({ apiKey }: { readonly apiKey: ApiKey }) {
  if (apiKey.status === 'revoked') return <Status tone="alert">revoked</Status>
  if (apiKey.status === 'expired') return <Status tone="quiet">expired</Status>
  return apiKey.enabled ? (
    <Status tone="good">active</Status>
  ) : (
    <Status tone="caution">disabled</Status>
  )
}
