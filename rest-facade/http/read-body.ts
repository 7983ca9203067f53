import express, { type Request, type RequestHandler } from 'express'
import type { FieldError } from '../../schema/vocabulary/error-codes.ts'
import { headerOf } from './call.ts'
import { ApiError, invalidRequest } from './errors.ts'

/** docs/contract.md §2. */
const maxBodyBytes = 1024 * 1024

/** Requests that said that a body comes, of which nothing came: to the parser that is `{}`. */
const emptyBodies = new WeakSet<object>()

/** Not strict: what is JSON but no object is refused as that, below. */
const parseJson = express.json({
  limit: maxBodyBytes,
  type: 'application/json',
  strict: false,
  verify: (req, _res, bytes) => {
    if (bytes.length === 0) emptyBodies.add(req)
  },
})

/** Not inflated: what is signed are the bytes that came. */
const keepBytes = express.raw({ limit: maxBodyBytes, type: 'application/json', inflate: false })

/**
 * Reads a JSON body into `req.body`; none at all leaves it undefined. Runs after authentication and
 * the limiter, so that strangers cannot make us parse.
 */
export const readBody: RequestHandler = readJson(false)

/** The same; null is taken for none at all. */
export const readBodyOrNull: RequestHandler = readJson(true)

function readJson(takesNull: boolean): RequestHandler {
  return function readBody(req, res, next) {
    if (comesWithout(req)) return next()
    if (!req.is('application/json')) throw notJson()
    parseJson(req, res, (error?: unknown) => {
      if (error !== undefined) return next(toApiError(error))
      if (emptyBodies.has(req)) {
        req.body = undefined
        return next()
      }
      if (takesNull && req.body === null) return next()
      const message = problemOf(req.body)
      next(message === null ? undefined : invalidRequest([{ field: 'body', in: 'body', message }]))
    })
  }
}

/** Whether the request says that no body comes. */
function comesWithout({ headers }: Request): boolean {
  return headers['transfer-encoding'] === undefined && !Number(headers['content-length'])
}

/**
 * Makes `req.body` of what a provider has signed: `{ body, signature }`, the body as it came and the
 * header `<provider>-Signature`, or an empty text. Who may read it as JSON is the one that can check it;
 * bytes that are no UTF-8 become others, which nobody has signed.
 */
export const readSignedBody: RequestHandler = function readSignedBody(req, res, next) {
  // Without one, what is missing is a body that is signed, not its media type.
  if (!comesWithout(req) && !req.is('application/json')) throw notJson()
  keepBytes(req, res, (error?: unknown) => {
    if (error !== undefined) return next(toApiError(error))
    const body = Buffer.isBuffer(req.body) ? req.body.toString('utf8') : ''
    const signature = headerOf(req, `${String(req.params.provider)}-signature`)
    req.body = { body, signature }
    next()
  })
}

/**
 * The same, and a body that cannot be read is told together with whatever else is wrong with the request
 * (docs/spec.md §2).
 */
export function readBodyAnd(
  read: RequestHandler,
  otherProblems: (req: Request) => readonly FieldError[],
): RequestHandler {
  return function readBodyAnd(req, res, next) {
    read(req, res, (error?: unknown) => {
      if (!(error instanceof ApiError) || !error.details) return next(error)
      try {
        next(invalidRequest([...otherProblems(req), ...error.details]))
      } catch (other) {
        next(other)
      }
    })
  }
}

function notJson(): ApiError {
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.')
}

function problemOf(body: unknown): string | null {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  if (!isObject) return 'must be an object'
  return isWithinLimits(body) ? null : 'has too many or too deep members'
}

const maxMembers = 20_000
const maxItems = 10_000
const maxDepth = 64

/** Whether checking the body stays cheap, whatever its schema. */
function isWithinLimits(body: unknown): boolean {
  let members = 0
  let level: unknown[] = [body]
  for (let depth = 0; level.length > 0; depth += 1) {
    members += level.length
    if (members > maxMembers || depth > maxDepth) return false
    if (level.some((value) => Array.isArray(value) && value.length > maxItems)) return false
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    )
  }
  return true
}

function toApiError(error: unknown): unknown {
  return bodyFailure(error, 'The body exceeds 1 MiB.', 'is not valid JSON')
}

/** What body-parser could not do, as the caller is to hear it: it says what went wrong in `type`. */
export function bodyFailure(error: unknown, tooLarge: string, malformed: string): unknown {
  const type = error instanceof Error && 'type' in error ? error.type : undefined
  switch (type) {
    case 'entity.too.large':
      return new ApiError('PAYLOAD_TOO_LARGE', tooLarge, { cause: error })
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as UTF-8.', { cause: error })
    case 'entity.parse.failed':
    case 'request.size.invalid':
    case 'request.aborted':
      return invalidRequest([{ field: 'body', in: 'body', message: malformed }])
    default:
      // Inflating a compressed body failed: zlib's errors have a code, not a type.
      return error instanceof Error && 'code' in error
        ? invalidRequest([{ field: 'body', in: 'body', message: 'cannot be decompressed' }])
        : error
  }
}
