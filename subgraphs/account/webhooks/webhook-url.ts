import { open, seal } from '../../../schema/credentials/secrets.ts'
import type { Database, Statement } from '../../shared/database/database.ts'

/** What is shown of an address that was sealed with another GATEWAY_SECRET: no host has this name (RFC 2606). */
export const unknownUrl = 'https://unknown.invalid/'

/** An address may hold a secret of its receiver. Sealed for the endpoint that it is of, and as nothing else. */
export function sealUrl(key: Uint8Array, url: string, endpointId: string): string {
  return seal(key, url, contextOf(endpointId))
}

/** What is stored, sealed if an older build has not; what cannot be opened stays as it is. */
export function sealFormerUrl(key: Uint8Array, stored: string, endpointId: string): string {
  return isClear(stored) ? sealUrl(key, stored, endpointId) : stored
}

/** The address as it was given, or null where it was sealed with another GATEWAY_SECRET. */
export function openUrl(key: Uint8Array, stored: string, endpointId: string): string | null {
  return isClear(stored) ? stored : open(key, stored, contextOf(endpointId))
}

const contextOf = (endpointId: string) => `${endpointId}/url`

/** As an older build stored it: what is sealed has no colon. */
function isClear(stored: string): boolean {
  return stored.includes('://')
}

const replaceUrl: Statement = {
  name: 'webhook-endpoint-seal-url',
  text: 'UPDATE account.webhook_endpoint SET url = $3 WHERE id = $1 AND url = $2',
}

interface StoredUrl {
  readonly id: string
  readonly url: string
}

/** Seals those that an older build stored, unless they have been changed meanwhile. */
export async function sealFormerUrls(
  database: Database,
  key: Uint8Array,
  endpoints: readonly StoredUrl[],
): Promise<void> {
  for (const { id, url } of endpoints.filter((one) => isClear(one.url))) {
    await database.query(replaceUrl, [id, url, sealUrl(key, url, id)])
  }
}
