import { idOfText } from './ids.ts'

export const maxDocumentAddressLength = 512

/**
 * Whether a `client_id` may be the address of a metadata document (docs/oauth-rules.md 132); its other rules are for
 * the oauth subgraph.
 */
export function isDocumentAddress(clientId: string): boolean {
  return clientId.length <= maxDocumentAddressLength && /^https?:\/\//.test(clientId)
}

/** The `app_…` id of the app that a document describes: the same in every process, without a look-up. */
export function documentAppId(environment: 'live' | 'sandbox', address: string): string {
  return idOfText('app', `${environment} ${address}`)
}

/** How long the fetch of a document may take, and how long it may wait for its turn. */
export const documentFetchMs = 5000
export const documentTurnMs = 5000
