import { createHash, createHmac } from 'node:crypto'
import type { Request } from 'express'
import { deriveReplayKey, open, seal, sha256 } from '../schema/secrets.ts'
import { type Call, callerOf } from './call.ts'
import { ApiError, invalidRequest } from './errors.ts'
import type { IdempotencyClaim, StoredAnswer } from './ledger.ts'

/** A caller's wish that a request has its effect once, however often it is sent. */
export interface IdempotencyKey {
  readonly claim: IdempotencyClaim
  /** What the backend is given instead: two accounts never collide there, and it tells nothing. */
  readonly backendKey: string
  /** Hides a stored body from everybody but the caller's own key. */
  sealBody(body: string): string
  /** The stored body of a replay; throws IDEMPOTENCY_CONFLICT when another key sealed it. */
  openBody(answer: StoredAnswer, body: string): string
}

export interface IdempotencyOptions {
  /** The `<svc>` of `X-<svc>-Idempotency-Key`. */
  readonly keyPrefix: string
  readonly ttlSeconds: number
  /** `deriveKey(gatewaySecret, 'backend-idempotency')`. */
  readonly backendSecret: Uint8Array
}

const alias = 'idempotency-key'
const maxLength = 255

/** The request's key, or null without one. Throws INVALID_REQUEST for one that cannot be used. */
export function idempotencyKeyOf(
  req: Request,
  call: Call,
  { keyPrefix, ttlSeconds, backendSecret }: IdempotencyOptions,
): IdempotencyKey | null {
  const key = readHeader(req, `x-${keyPrefix}-idempotency-key`)
  if (key === null) return null
  const { accountId, environment } = callerOf(call)
  const replayKey = () => deriveReplayKey(call.credential, key)
  return {
    claim: { keyHash: sha256(key), requestHash: hashRequest(req, call), ttlSeconds },
    backendKey: createHmac('sha256', backendSecret)
      .update(`${accountId}\n${environment}\n${key}`)
      .digest('base64url'),
    sealBody: (body) => seal(replayKey(), body, accountId),
    openBody({ isSealed }, body) {
      const opened = isSealed ? open(replayKey(), body, accountId) : body
      if (opened !== null) return opened
      throw new ApiError(
        'IDEMPOTENCY_CONFLICT',
        'Another API key used this idempotency key; only that one can see the answer again.',
      )
    },
  }
}

function readHeader(req: Request, name: string): string | null {
  const headers = [name, alias].filter((header) => req.headers[header] !== undefined)
  const values = new Set(headers.flatMap((header) => req.headersDistinct[header] ?? []))
  const [key] = values
  if (key === undefined) return null
  const isUsable = values.size === 1 && key.length >= 1 && key.length <= maxLength
  if (isUsable) return key
  const message = values.size > 1 ? 'must be sent once' : `must have 1 to ${maxLength} characters`
  throw invalidRequest([{ field: headers[0] ?? name, in: 'header', message }])
}

/** Equal for the same method, path and body; the order of members does not matter. */
function hashRequest({ method, query, body }: Request, { endpoint }: Call): string {
  const parts = [method, endpoint, canonicalJson({ ...query }), canonicalJson(body ?? null)]
  const text = parts.join('\n')
  return createHash('sha256').update(text).digest('hex')
}

/** The body was checked before, so it is no deeper than its schema. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
