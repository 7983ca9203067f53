import { open, seal } from '../../../schema/credentials/secrets.ts'
import type { Database, Statement } from '../../shared/database/database.ts'

/**
 * Shown for an address that was sealed with another GATEWAY_SECRET. No host has this name (RFC
 * 2606).
 */
export const unknownUrl = 'https://unknown.invalid/'

/**
 * Addresses are sealed because they may contain a secret of the receiver. A sealed address opens
 * for its own endpoint only, and only as an address.
 */
export function sealUrl(key: Uint8Array, url: string, endpointId: string): string {
  return seal(key, url, contextOf(endpointId))
}

/**
 * Seals an address that an older build stored in the clear. Any other stored value stays unchanged.
 */
export function sealFormerUrl(key: Uint8Array, stored: string, endpointId: string): string {
  return isClear(stored) ? sealUrl(key, stored, endpointId) : stored
}

/** The address in the clear, or null if it was sealed with another GATEWAY_SECRET. */
export function openUrl(key: Uint8Array, stored: string, endpointId: string): string | null {
  return isClear(stored) ? stored : open(key, stored, contextOf(endpointId))
}

const contextOf = (endpointId: string) => `${endpointId}/url`

/** Whether an older build stored it in the clear: a sealed value contains no colon. */
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

/** Seals the addresses that an older build stored, unless they were changed in the meantime. */
export async function sealFormerUrls(
  database: Database,
  key: Uint8Array,
  endpoints: readonly StoredUrl[],
): Promise<void> {
  for (const { id, url } of endpoints.filter((one) => isClear(one.url))) {
    await database.query(replaceUrl, [id, url, sealUrl(key, url, id)])
  }
}
