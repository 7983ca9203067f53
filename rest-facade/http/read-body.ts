import type { Request, RequestHandler } from 'express'
import { type FieldError, isFieldError } from '../../schema/vocabulary/error-codes.ts'
import { noteUnreadable } from '../../schema/vocabulary/unreadable.ts'
import { type BodyKind, unreadable } from './body-bytes.ts'
import { bodyProblem, kindProblem, textProblem } from './body-shape.ts'
import { headerOf } from './call.ts'
import { ApiError, invalidRequest } from './errors.ts'
import { maxSmallBytes } from './large-body.ts'
import { comesWithout, readText, withoutMark } from './read-text.ts'
import { wellFormedProblems } from './unicode/well-formed.ts'

const noJson = 'is not valid JSON'

/** docs/contract.md §2. */
const json: BodyKind = {
  mediaType: 'application/json',
  maxBytes: 1024 * 1024,
  limit: '1 MiB',
  incomplete: noJson,
  charset: 'any of Unicode',
}
const signed: BodyKind = { ...json, charset: 'as sent' }

/**
 * Reads a JSON body into `req.body`; a request without a body leaves it undefined. Runs after
 * authentication and the limiter, so that anonymous callers cannot cause parsing.
 */
export const readBody: RequestHandler = readJson(false)

/** Reads a body as `readBody` does, with a lower limit. */
export function readJsonUpTo(limit: Pick<BodyKind, 'maxBytes' | 'limit'>): RequestHandler {
  return readJson(false, { ...json, ...limit })
}

/** Reads a body as `readBody` does, but takes null for no body. */
export const readBodyOrNull: RequestHandler = readJson(true)

function readJson(takesNull: boolean, kind: BodyKind = json): RequestHandler {
  return function readBody(req, res, next) {
    if (comesWithout(req)) return next()
    readText(req, res, kind, (failure, text) => {
      // A request that announced a body but sent no byte has none.
      next(failure || text === '' ? failure : parseInto(req, withoutMark(text), takesNull))
    })
  }
}

/** Parses the text into `req.body`; an empty text counts as `{}`. Returns the failure, if there is one. */
function parseInto(req: Request, text: string, takesNull: boolean): ApiError | undefined {
  const isLarge = text.length > maxSmallBytes
  const beyond = isLarge ? textProblem(text) : null
  if (beyond) return invalidRequest([beyond])
  try {
    req.body = text === '' ? {} : JSON.parse(text)
    noteUnreadable(req.body, wellFormedProblems(text, req.body))
  } catch {
    return unreadable(noJson)
  }
  if (takesNull && req.body === null) return undefined
  const problem = isLarge ? kindProblem(req.body) : bodyProblem(req.body, text.length)
  return problem ? invalidRequest([problem]) : undefined
}

/**
 * Sets `req.body` to `{ body, signature }`: the signed body of a provider as it arrived, and the
 * header `<provider>-Signature` or an empty text. Only the code that can check the signature may
 * read it as JSON. The signature covers a byte order mark too. Bytes that are no UTF-8 become other
 * bytes, which fail the check.
 */
export const readSignedBody: RequestHandler = function readSignedBody(req, res, next) {
  readText(req, res, signed, (failure, body) => {
    const signature = headerOf(req, `${String(req.params.provider)}-signature`)
    if (!failure) req.body = { body, signature }
    next(failure)
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
