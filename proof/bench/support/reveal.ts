import type { Target } from './compare.ts'
import type { GatewayReady } from './gateway.ts'

/** POST /v1/contacts/reveal, with the keys of all accounts in rotation. */
export function revealRequest({ accounts }: Pick<GatewayReady, 'accounts'>): Omit<Target, 'url'> {
  return {
    method: 'POST',
    path: '/v1/contacts/reveal',
    body: JSON.stringify({ contact_id: 'con_5f1e0c7a9b3d2e48' }),
    headerSets: accounts.map(({ liveKey }) => ({
      authorization: `Bearer ${liveKey}`,
      'content-type': 'application/json',
    })),
  }
}
