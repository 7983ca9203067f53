import { randomBytes } from 'node:crypto'

/** 24 bytes are 32 characters of base64, without padding; Standard Webhooks wants 24 to 64 bytes. */
const secretBytes = 24

/** A key to sign with, as Standard Webhooks writes it: `whsec_` and 192 random bits in base64. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`
}
