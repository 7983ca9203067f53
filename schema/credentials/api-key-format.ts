import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Environment } from './caller.ts'

/**
 * `<svc>_live_` or `<svc>_test_`, 33 random base62 characters (196 bits), and 6 more that spell
 * the CRC32 of all before them. So a typo is refused without a look-up, and scanners can recognise a
 * leaked key.
 */
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 33
const checksumLength = 6

export interface NewApiKey {
  /** The secret; it is shown once and stored nowhere. */
  readonly plaintext: string
  /** Everything before the random part, such as `svc_live_`. */
  readonly prefix: string
  readonly last4: string
}

/** `svc_live_` or `svc_test_` (docs/spec.md §9.2). */
export function apiKeyPrefix(keyPrefix: string, environment: Environment): string {
  return `${keyPrefix}_${environment === 'live' ? 'live' : 'test'}_`
}

export function newApiKey(keyPrefix: string, environment: Environment): NewApiKey {
  const prefix = apiKeyPrefix(keyPrefix, environment)
  const body = prefix + randomBase62(randomLength)
  const plaintext = body + checksum(body)
  return { plaintext, prefix, last4: plaintext.slice(-4) }
}

/** Whether the text can be an API key with the given prefix. */
export function isApiKey(text: string, prefix: string): boolean {
  if (text.length !== prefix.length + randomLength + checksumLength) return false
  if (!text.startsWith(prefix) || !/^[0-9A-Za-z]+$/.test(text.slice(prefix.length))) return false
  return checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let index = 0; index < checksumLength; index += 1) {
    digits = base62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Bytes of 248 and above are thrown away, so that every character is equally likely. */
function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += base62.charAt(byte % 62)
    }
  }
  return text
}

/** The text after the prefix of a key or an OAuth secret, also when parts are percent-encoded. */
const secrets =
  /((?:_|%5f)(?:live|test|oac|oat|ort|ocs|osn)(?:_|%5f))(?:[0-9a-z_-]|%[0-9a-f]{2}){20,}/gi
const mayHoldSecret = /live|test|oac|oat|ort|ocs|osn/i

/** Redacts text that is stored or logged: a key in the wrong place must not be readable there. */
export function withoutKeys(text: string): string {
  return mayHoldSecret.test(text) ? text.replaceAll(secrets, '$1***') : text
}
