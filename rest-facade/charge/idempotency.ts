import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { Request } from 'express'
import { LRUCache } from 'lru-cache'
import {
  deriveAnswerKey,
  deriveReplayKey,
  open,
  seal,
  sha256,
} from '../../schema/credentials/secrets.ts'
import { atMost } from '../../schema/process/at-most.ts'
import type { FieldError } from '../../schema/vocabulary/error-codes.ts'
import { storedAnswerSeconds } from '../../schema/vocabulary/idempotency-lifetime.ts'
import { type Call, callerOf } from '../http/call.ts'
import { ApiError, invalidRequest } from '../http/errors.ts'
import { canonicalJson } from './canonical-json.ts'
import type { IdempotencyClaim, SealedFor, StoredAnswer } from './hold.ts'

/** How a refusal names a key. */
type KeyPlace = Pick<FieldError, 'field' | 'in'>

const inHeader: KeyPlace = { field: 'Idempotency-Key', in: 'header' }

/** An idempotency key of a caller: the request has its effect once, however often it is sent. */
export interface IdempotencyKey {
  readonly claim: IdempotencyClaim
  /** Where the request has it. */
  readonly place: KeyPlace
  /** For how long after it was stored its answer is repeated; null: as long as the key is remembered. */
  readonly answerSeconds: number | null
  /**
   * The key that the backend gets instead. Keys of two accounts never collide there, and it reveals
   * nothing.
   */
  readonly backendKey: string
  /** Hides a stored body: one with a secret from everybody but the caller's own key. */
  sealBody(body: string, sealedFor: SealedFor): string
  /** The key with which a subgraph seals a result for the caller's credential alone: base64url. */
  replayKey(): string
  /** The stored body of a replay; throws IDEMPOTENCY_CONFLICT where it cannot be opened for the caller. */
  openBody(answer: StoredAnswer, body: string): string
}

export interface IdempotencyOptions {
  /** The `<svc>` of `X-<svc>-Idempotency-Key`. */
  readonly keyPrefix: string
  /** `deriveKey(gatewaySecret, 'backend-idempotency')`. */
  readonly backendSecret: KeyObject
  /** `deriveKey(gatewaySecret, 'stored-answer')`. */
  readonly answerSecret: Uint8Array
}

/** The reason why a stored body cannot be opened. */
const whyClosed: Readonly<Record<SealedFor, string>> = {
  caller:
    'This idempotency key was used with another API key or cookie; only that one can see the answer again.',
  account:
    'The first request with this idempotency key was carried out; its answer can no longer be read.',
}

const alias = 'idempotency-key'
const maxLength = 255

/** The keys that the gateway derives from calls begin so, and no caller's own key does. */
export const derivedPrefix = 'mcp:'
export const keyRule = `must have 1 to ${maxLength} characters, and not begin with ${derivedPrefix}`

/** The request's key, or null without one. Throws INVALID_REQUEST for one that cannot be used. */
export function idempotencyKeyOf(
  req: Request,
  call: Call,
  options: IdempotencyOptions,
): IdempotencyKey | null {
  const key = readHeader(req, `x-${options.keyPrefix}-idempotency-key`)
  return key === null
    ? null
    : idempotencyKey({ key, requestHash: hashRequest(req, call) }, call, options)
}

/** What is claimed. */
export interface ClaimedKey {
  readonly key: string
  /** SHA-256 of all that makes two requests the same, and of the way on which they come. */
  readonly requestHash: string
  /** The header, unless told. */
  readonly place?: KeyPlace
  /** As `IdempotencyKey.answerSeconds`. Without it the key is the caller's own. */
  readonly answerSeconds?: number
}

/** The key of a call, whoever chose it. */
export function idempotencyKey(
  { key, requestHash, place = inHeader, answerSeconds }: ClaimedKey,
  call: Call,
  { backendSecret, answerSecret }: IdempotencyOptions,
): IdempotencyKey {
  const { accountId, environment } = callerOf(call)
  const name = `${accountId}\n${environment}\n${key}`
  // Neither the credential nor the idempotency key is stored: a reader of the database only sees a hash of
  // the key.
  const sealingKey = (sealedFor: SealedFor, day: string) =>
    sealedFor === 'caller'
      ? deriveReplayKey(call.credential, key)
      : answerKeyOf(answerSecret, `${accountId}\n${environment}\n${day}`)
  return {
    claim: {
      keyHash: sha256(key),
      requestHash,
      ttlSeconds: storedAnswerSeconds,
    },
    place,
    answerSeconds: answerSeconds ?? null,
    get backendKey() {
      // A derived key is claimed again for a new call, and the module must not take that for a repetition.
      const once = answerSeconds === undefined ? name : `${name}\n${call.requestId}`
      return createHmac('sha256', backendSecret).update(once).digest('base64url')
    },
    replayKey: () =>
      Buffer.from(deriveReplayKey(call.credential, key, 'change')).toString('base64url'),
    sealBody(body, sealedFor) {
      const day = today()
      return `${day}.${seal(sealingKey(sealedFor, day), body, name)}`
    },
    openBody({ sealedFor }, body) {
      const [day = '', sealed = ''] = body.split('.', 2)
      const opened = open(sealingKey(sealedFor, day), sealed, name)
      if (opened !== null) return opened
      throw new ApiError('IDEMPOTENCY_CONFLICT', whyClosed[sealedFor])
    },
  }
}

/** The keys of answers of each secret, by account, environment and day. Making one takes as long as sealing with it. */
const answerKeys = new WeakMap<Uint8Array, LRUCache<string, KeyObject>>()
const maxAnswerKeys = 10_000

/** No key seals as many answers as may have the same random IV (2^32, by NIST SP 800-38D). */
function today(): string {
  return Math.floor(Date.now() / dayMs).toString(36)
}

const dayMs = 86_400_000

function answerKeyOf(secret: Uint8Array, name: string): KeyObject {
  const keys = answerKeys.get(secret) ?? new LRUCache<string, KeyObject>(atMost(maxAnswerKeys))
  answerKeys.set(secret, keys)
  const known = keys.get(name)
  if (known) return known
  const made = createSecretKey(deriveAnswerKey(secret, name))
  keys.set(name, made)
  return made
}

function readHeader(req: Request, name: string): string | null {
  if (req.headers[name] === undefined && req.headers[alias] === undefined) return null
  const names = [name, alias].filter((header) => req.headers[header] !== undefined)
  const [first] = names
  if (first === undefined) return null
  const values = new Set(names.flatMap((header) => valuesOf(req, header)))
  const [key = ''] = values
  if (values.size === 1 && isUsableKey(key)) return key
  const message = values.size > 1 ? 'must be sent once' : keyRule
  throw invalidRequest([{ field: first, in: 'header', message }])
}

/** Whether a caller may choose this key. */
export function isUsableKey(key: string): boolean {
  return key.length >= 1 && key.length <= maxLength && !key.startsWith(derivedPrefix)
}

/**
 * The values that were sent under a name. `headersDistinct` would sort all headers of the request
 * for it.
 */
function valuesOf({ rawHeaders }: Request, name: string): string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  )
}

/** Equal for the same method, path and body; the order of members does not matter. */
function hashRequest({ method, query, body }: Request, { endpoint }: Call): string {
  const parts = [method, endpoint, canonicalJson({ ...query }), canonicalJson(body ?? null)]
  return sha256(parts.join('\n'))
}
