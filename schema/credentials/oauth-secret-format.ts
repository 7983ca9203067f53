import { randomBytes } from 'node:crypto'

/**
 * The letters that name the kind of an OAuth secret (docs/oauth-rules.md 74); `osn` is a browser's
 * session, `opl` a portal link, `ohc` the code of a handover, `olk` an operator's link, `ops` an operator's session,
 * `oak` a browser that asks for a mail and `opk` a sign-in by passkey that has begun.
 */
export const oauthSecretKinds = [
  'oac',
  'oat',
  'ort',
  'ocs',
  'osn',
  'opl',
  'ohc',
  'olk',
  'ops',
  'oak',
  'opk',
] as const

export type OAuthSecretKind = (typeof oauthSecretKinds)[number]

const randomBytesCount = 32
/** 256 bits in base64url: both encodings of Basic leave them unchanged (RFC 6749 §2.3.1). */
const body = /^[A-Za-z0-9_-]{43}$/

/** `<svc>_oat_` and 256 random bits: shown once, stored nowhere. Never begins like an API key. */
export function newOAuthSecret(keyPrefix: string, kind: OAuthSecretKind): string {
  return prefixOf(keyPrefix, kind) + randomBytes(randomBytesCount).toString('base64url')
}

/** Whether the text can be an OAuth secret of that kind. */
export function isOAuthSecret(text: string, keyPrefix: string, kind: OAuthSecretKind): boolean {
  const prefix = prefixOf(keyPrefix, kind)
  return text.startsWith(prefix) && body.test(text.slice(prefix.length))
}

function prefixOf(keyPrefix: string, kind: OAuthSecretKind): string {
  return `${keyPrefix}_${kind}_`
}
