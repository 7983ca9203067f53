import type { Webhooks } from './generated/types.gen.ts'

/** What the gateway tells of; `type` says which it is. A newer gateway may know more. */
export type WebhookEvent = Webhooks['body']

/** Why a webhook is not believed. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

type HeaderValues = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** How old or how far ahead its timestamp may be; 300 seconds unless said. */
  readonly toleranceSeconds?: number
  readonly now?: () => number
}

const secretPrefix = 'whsec_'

/**
 * The event that a webhook holds, once its signature and its age are right (Standard Webhooks).
 * `payload` is the body as it came, not parsed; while a secret is rotated, give both. Throws WebhookVerificationError.
 */
export async function verifyWebhook(
  payload: string | Uint8Array,
  headers: HeaderValues,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = needed(headers, 'webhook-id')
  const timestamp = needed(headers, 'webhook-timestamp')
  const signatures = needed(headers, 'webhook-signature')
  const ageSeconds = Math.floor(now() / 1000) - Number(timestamp)
  if (!/^\d+$/.test(timestamp))
    throw new WebhookVerificationError('webhook-timestamp is no number.')
  if (Math.abs(ageSeconds) > toleranceSeconds) {
    throw new WebhookVerificationError(
      `webhook-timestamp is more than ${toleranceSeconds} seconds away from now.`,
    )
  }
  const text = typeof payload === 'string' ? payload : new TextDecoder().decode(payload)
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`)
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    if (await isSignedWith(secret, signatures, signed)) return JSON.parse(text)
  }
  throw new WebhookVerificationError('No signature is of a known secret.')
}

/** The header has a signature for each secret that is valid now. */
async function isSignedWith(
  secret: string,
  signatures: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytesOf(secret), algorithm, false, ['verify'])
  for (const signature of signatures.split(' ')) {
    const [version, value = ''] = signature.split(',')
    const bytes = version === 'v1' ? fromBase64(value) : null
    // Compares in constant time.
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return true
  }
  return false
}

function bytesOf(secret: string): Uint8Array<ArrayBuffer> {
  const text = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret
  const bytes = fromBase64(text)
  if (bytes === null || bytes.length === 0) {
    throw new WebhookVerificationError('The secret is not one that the gateway gave: whsec_….')
  }
  return bytes
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

function needed(headers: HeaderValues, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value === 'string' && value !== '') return value
  throw new WebhookVerificationError(`The header ${name} is missing.`)
}
