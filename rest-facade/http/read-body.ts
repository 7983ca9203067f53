import express, { type Request, type RequestHandler } from 'express'
import { type FieldError, isFieldError } from '../../schema/vocabulary/error-codes.ts'
import { headerOf } from './call.ts'
import { ApiError, invalidRequest } from './errors.ts'
import { isPlainJson, readPlainJson } from './read-plain-json.ts'

/** docs/contract.md §2. */
const maxBodyBytes = 1024 * 1024

/** Requests that announced a body but sent no byte: the parser takes them for `{}`. */
const emptyBodies = new WeakSet<object>()

/** Not strict: JSON that is no object is refused below, with a message of its own. */
const parseJson = express.json({
  limit: maxBodyBytes,
  type: 'application/json',
  strict: false,
  verify: (req, _res, bytes) => {
    if (bytes.length === 0) emptyBodies.add(req)
  },
})

/** Not inflated: the signature covers the bytes as they arrived. */
const keepBytes = express.raw({ limit: maxBodyBytes, type: 'application/json', inflate: false })

/**
 * Reads a JSON body into `req.body`; a request without a body leaves it undefined. Runs after
 * authentication and the limiter, so that anonymous callers cannot cause parsing.
 */
export const readBody: RequestHandler = readJson(false)

/** The same, but null counts as no body. */
export const readBodyOrNull: RequestHandler = readJson(true)

function readJson(takesNull: boolean): RequestHandler {
  return function readBody(req, res, next) {
    if (comesWithout(req)) return next()
    const isPlain = isPlainJson(req)
    if (!isPlain && !req.is('application/json')) throw notJson()
    const read = isPlain ? readPlainJson : parseJson
    read(req, res, (error?: unknown) => {
      if (error !== undefined) return next(toApiError(error))
      if (emptyBodies.has(req)) {
        req.body = undefined
        return next()
      }
      if (takesNull && req.body === null) return next()
      const problem = bodyProblem(req.body, bytesOf(req))
      next(problem === null ? undefined : invalidRequest([problem]))
    })
  }
}

/** Whether the request announces no body. */
function comesWithout({ headers }: Request): boolean {
  return headers['transfer-encoding'] === undefined && !Number(headers['content-length'])
}

/**
 * Sets `req.body` to `{ body, signature }`: the signed body of a provider as it arrived, and the
 * header `<provider>-Signature` or an empty text. Only the code that can check the signature may
 * read it as JSON. Bytes that are no UTF-8 become other bytes, which fail the check.
 */
export const readSignedBody: RequestHandler = function readSignedBody(req, res, next) {
  // Without a body, the signed body is missing, not its media type.
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
 * The same. An unreadable body is reported together with all other problems of the request
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
        next(invalidRequest([...otherProblems(req), ...error.details.filter(isFieldError)]))
      } catch (other) {
        next(other)
      }
    })
  }
}

function notJson(): ApiError {
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.')
}

/** The length that the request states, if the body is not compressed. */
function bytesOf({ headers }: Request): number {
  const isKnown = headers['content-encoding'] === undefined
  return isKnown ? Number(headers['content-length'] ?? Number.NaN) : Number.NaN
}

/** The mistake in a body, whatever its route expects. `bytes` is its length, if that is known. */
export function bodyProblem(body: unknown, bytes = Number.NaN): FieldError | null {
  const message = shapeProblem(body, bytes)
  return message === null ? null : { field: 'body', in: 'body', message }
}

function shapeProblem(body: unknown, bytes: number): string | null {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  if (!isObject) return 'must be an object'
  // Each level has a bracket at its beginning and its end.
  if (bytes <= 2 * maxDepth) return null
  return isWithinLimits(body) ? null : 'has too many or too deep members'
}

const maxMembers = 20_000
const maxItems = 10_000
const maxDepth = 64

/** Whether the body is cheap to check with any schema. */
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

/** Turns a failure of body-parser, which has a `type`, into an error for the caller. */
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
