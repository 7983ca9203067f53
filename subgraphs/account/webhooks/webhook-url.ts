import { open, seal } from '../../../schema/credentials/secrets.ts'

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

/** The address in the clear, or null if it was sealed with another GATEWAY_SECRET. */
export function openUrl(key: Uint8Array, stored: string, endpointId: string): string | null {
  return open(key, stored, contextOf(endpointId))
}

const contextOf = (endpointId: string) => `${endpointId}/url`
