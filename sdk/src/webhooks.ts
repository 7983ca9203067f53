import type { Webhooks } from './generated/types.gen.ts'

/** An event of the gateway; `type` names its kind. A newer gateway may have more types. */
export type WebhookEvent = Webhooks['body']

/** The reason why a webhook is refused. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

type HeaderValues = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** The allowed difference of its timestamp, past or future; 300 seconds by default. */
  readonly toleranceSeconds?: number
  readonly now?: () => number
}

const secretPrefix = 'whsec_'

/**
 * Returns the event of a webhook if its signature and age are valid (Standard Webhooks). `payload`
 * is the unparsed body. Pass both secrets during a rotation. Throws WebhookVerificationError.
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

/** The header has a signature for each currently valid secret. */
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
