import type { Request, RequestHandler, Response } from 'express'
import { type FieldError, isFieldError } from '../../schema/vocabulary/error-codes.ts'
import { noteUnreadable } from '../../schema/vocabulary/unreadable.ts'
import { free, readBytes } from './body-bytes.ts'
import { bodyProblem, kindProblem, textProblem } from './body-shape.ts'
import { headerOf } from './call.ts'
import { ApiError, invalidRequest } from './errors.ts'
import { maxSmallBytes, takeRoom } from './large-body.ts'
import { isPlainBody, readPlainText, spellingsOf } from './plain-body.ts'
import { MalformedText, utf8Problem } from './unicode/utf8.ts'
import { wellFormedProblems } from './unicode/well-formed.ts'

/** docs/contract.md §2. */
const maxBodyBytes = 1024 * 1024

/**
 * Reads a JSON body into `req.body`; a request without a body leaves it undefined. Runs after
 * authentication and the limiter, so that anonymous callers cannot cause parsing.
 */
export const readBody: RequestHandler = readJson(false)

/** Reads a body as `readBody` does, but takes null for no body. */
export const readBodyOrNull: RequestHandler = readJson(true)

function readJson(takesNull: boolean): RequestHandler {
  return function readBody(req, res, next) {
    if (comesWithout(req)) return next()
    const isPlain = isPlainBody(req, plainTypes)
    if (!isPlain && !req.is('application/json')) throw notJson()
    const read = isPlain ? readPlainJson : readAnyJson
    read(req, res, (error?: unknown) => {
      if (error !== undefined) return next(toApiError(error))
      if (req.body === undefined || (takesNull && req.body === null)) return next()
      // The text of any other body was searched before it was parsed.
      const problem = isPlain ? bodyProblem(req.body, bytesOf(req)) : kindProblem(req.body)
      next(problem === null ? undefined : invalidRequest([problem]))
    })
  }
}

const plainTypes = spellingsOf('application/json')

/** Reads a body of the kind that nearly all requests have. Failures have the types of body-parser. */
const readPlainJson: RequestHandler = function readPlainJson(req, res, next) {
  readPlainText(req, (error, text) => {
    res.locals.call?.spent?.noteTurn()
    next(error ?? parseInto(req, text))
  })
}

/** Parses the text into `req.body`; an empty text counts as `{}`. Returns the failure, if there is one. */
function parseInto(req: Request, text: string): Error | undefined {
  try {
    req.body = text === '' ? {} : JSON.parse(text)
    noteUnreadable(req.body, wellFormedProblems(text, req.body))
    return undefined
  } catch (error) {
    return Object.assign(new Error(String(error)), { type: 'entity.parse.failed' })
  }
}

/**
 * Reads bodies of all other kinds. Those that announced a body but sent no byte have none. The bytes
 * of a large one wait outside of the heap until it may be parsed.
 */
const readAnyJson: RequestHandler = function readAnyJson(req, res, next) {
  const decoder = decoderFor(req)
  readBytes(req, { maxBytes: maxBodyBytes }, (error, bytes) => {
    if (error) return next(error)
    if (bytes.length === 0) return next()
    whenRoom(res, bytes, next, () => {
      res.locals.call?.spent?.noteTurn()
      const text = toText(bytes, decoder)
      if (text instanceof Error) return next(text)
      const problem = textProblem(text)
      next(problem === null ? parseInto(req, text) : invalidRequest([problem]))
    })
  })
}

/** Calls `use` as soon as the bytes may become text, or `fail`. */
function whenRoom(
  res: Response,
  { length }: Buffer,
  fail: (error: unknown) => void,
  use: () => void,
): void {
  if (length <= maxSmallBytes) use()
  else takeRoom(res, length).then(use).catch(fail)
}

/** The signature covers a byte order mark too. */
const keepMark = { ignoreBOM: true }

/** The text, or the failure to read it. The bytes cannot be read again. */
export function toText(bytes: Buffer, decoder: TextDecoder): string | Error {
  const { encoding, fatal } = decoder
  const problem = fatal && encoding === 'utf-8' ? utf8Problem(bytes) : null
  try {
    return problem === null ? decoder.decode(bytes) : new MalformedText(problem)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return new MalformedText(`is not ${encoding.toUpperCase()}`)
  } finally {
    free(bytes)
  }
}

/**
 * JSON is in UTF-8; the other charsets of Unicode that Node knows are read too. `utf8` is a common name of
 * UTF-8, although RFC 3629 knows only `utf-8`.
 */
export function decoderFor({ headers: { 'content-type': type = '' } }: Request): TextDecoder {
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(type) ?? []
  const charset = (quoted || plain || 'utf-8').toLowerCase()
  try {
    if (charset === 'utf8' || charset.startsWith('utf-'))
      return new TextDecoder(charset, { fatal: true })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  throw notUtf8()
}

export function notUtf8(): ApiError {
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as UTF-8.')
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
  // A request without a body gets a problem of its body, not of its media type.
  if (!comesWithout(req) && !req.is('application/json')) throw notJson()
  readBytes(req, { maxBytes: maxBodyBytes, isAsSent: true }, (error, bytes) => {
    if (error) return next(toApiError(error))
    whenRoom(res, bytes, next, () => {
      const signature = headerOf(req, `${String(req.params.provider)}-signature`)
      req.body = { body: toText(bytes, new TextDecoder('utf-8', keepMark)), signature }
      next()
    })
  })
}

/**
 * Reads a body with `read`. If the body is unreadable, the answer reports all other problems of the request
 * with it (docs/spec.md §2).
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

function toApiError(error: unknown): unknown {
  if (error instanceof ApiError) return error
  return bodyFailure(error, 'The body exceeds 1 MiB.', 'is not valid JSON')
}

/** Turns a failure to read a body, which has a `type`, into an error for the caller. */
export function bodyFailure(error: unknown, tooLarge: string, malformed: string): unknown {
  if (error instanceof MalformedText) return unreadable(error.message)
  const type = error instanceof Error && 'type' in error ? error.type : undefined
  switch (type) {
    case 'entity.too.large':
      return new ApiError('PAYLOAD_TOO_LARGE', tooLarge, { cause: error })
    case 'entity.parse.failed':
    case 'request.aborted':
      return unreadable(malformed)
    case 'entity.undecodable':
      return unreadable('cannot be decompressed')
    default:
      return error
  }
}

function unreadable(message: string): ApiError {
  return invalidRequest([{ field: 'body', in: 'body', message }])
}
