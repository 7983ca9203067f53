import { randomBytes } from 'node:crypto'

/**
 * Standard Webhooks requires 24 to 64 bytes. 24 bytes are 32 characters of base64, without padding.
 */
const secretBytes = 24

/** A signing key in the form of Standard Webhooks: `whsec_` and 192 random bits in base64. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`
}
