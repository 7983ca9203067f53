import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

/** Purposes that `GATEWAY_SECRET` is stretched for; each gets a key of its own (RFC 5869). */
export type SecretPurpose =
  | 'cursor'
  | 'signing-key'
  | 'backend-signing-key'
  | 'internal-token'
  | 'operator-session'
  | 'backend-idempotency'
  | 'payment-notification'
  | 'payment-return'
  | 'plan-quote'
  | 'simulated-page'
  | 'consent-token'
  | 'continue-token'
  | 'export-url'
  | 'webhook-secret'
  | 'notification-link'
  | 'notification-address'
  | 'invitation'
  | 'mail-sign-in'
  | 'address-change'
  | 'sign-in-address'
  | 'asked-address'
  | 'known-browser'
  | 'stored-answer'
  | 'act-answer'
  | 'caller'
  | 'digest'
  | 'operator-sign-in'

/** A 256-bit key for one purpose. */
export function deriveKey(gatewaySecret: string, purpose: SecretPurpose): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', gatewaySecret, '', `credit-gateway/${purpose}`, 32))
}

const macKeys = new Map<string, KeyObject>()
/** A process has one secret, and a few purposes for it. */
const mostMacKeys = 100

/**
 * The key of `deriveKey` as a KeyObject for `createHmac`, derived once. Deriving it, and Node's look at bytes
 * with caught exceptions, take many times as long as the HMAC.
 */
export function macKey(gatewaySecret: string, purpose: SecretPurpose): KeyObject {
  const name = `${purpose} ${gatewaySecret}`
  const known = macKeys.get(name)
  if (known) return known
  if (macKeys.size >= mostMacKeys) macKeys.clear()
  const made = createSecretKey(deriveKey(gatewaySecret, purpose))
  macKeys.set(name, made)
  return made
}

/**
 * A key that can be derived only with the caller's credential and idempotency key. `replay` seals
 * stored answers and never leaves the facade. `change` seals the result of a change with a secret;
 * the facade sends it to the subgraph.
 */
export function deriveReplayKey(
  credential: string,
  idempotencyKey: string,
  purpose: 'replay' | 'change' = 'replay',
): Uint8Array {
  const info = `credit-gateway/${purpose}`
  return new Uint8Array(hkdfSync('sha256', credential, idempotencyKey, info, 32))
}

/** A key for stored answers of this name. It never leaves the process, so a hash that begins with the secret is enough. */
export function deriveAnswerKey(secret: Uint8Array, name: string): Uint8Array {
  return hash('sha256', Buffer.concat([secret, Buffer.from(name)]), 'buffer')
}

/**
 * Lower-case hexadecimal SHA-256. It is enough for secrets of high entropy, and all our secrets
 * have that.
 */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}

/** Node takes a fifth of the time with a key object, because it looks at bytes with caught exceptions. */
function keyObject(key: Uint8Array | KeyObject): KeyObject {
  return key instanceof Uint8Array ? createSecretKey(key) : key
}

const ivBytes = 12
const tagBytes = 16

/** Random bytes for the next seals: drawn for many at once, because a draw costs a system call. */
let ivs = Buffer.alloc(0)

function newIv(): Uint8Array {
  if (ivs.length === 0) ivs = randomBytes(256 * ivBytes)
  const iv = ivs.subarray(0, ivBytes)
  ivs = ivs.subarray(ivBytes)
  return iv
}

/**
 * AES-256-GCM; `context` is authenticated along with the text and must be given again to open it.
 */
export function seal(key: Uint8Array | KeyObject, text: string, context: string): string {
  const iv = newIv()
  const cipher = createCipheriv('aes-256-gcm', keyObject(key), iv).setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, body, cipher.getAuthTag()]).toString('base64url')
}

/** The sealed text, or null when it was changed, cut, or sealed for another key or context. */
export function open(key: Uint8Array | KeyObject, sealed: string, context: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < ivBytes + tagBytes || bytes.toString('base64url') !== sealed) return null
  const decipher = createDecipheriv('aes-256-gcm', keyObject(key), bytes.subarray(0, ivBytes))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(-tagBytes))
  try {
    const body = decipher.update(bytes.subarray(ivBytes, -tagBytes))
    return Buffer.concat([body, decipher.final()]).toString('utf8')
  } catch {
    // GCM says only that authentication failed; the caller turns null into its own error.
    return null
  }
}
