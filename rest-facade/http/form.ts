import type { Request, RequestHandler } from 'express'
import type { FieldError } from '../../schema/vocabulary/error-codes.ts'
import { readBytes } from './body-bytes.ts'
import { ApiError, invalidRequest } from './errors.ts'
import { isPlainBody, readPlainText, spellingsOf } from './plain-body.ts'
import { bodyFailure, decoderFor, notUtf8, toText } from './read-body.ts'
import { percentProblems } from './unicode/percent-encoding.ts'

const maxFormBytes = 16 * 1024
const formType = 'application/x-www-form-urlencoded'
const plainTypes = spellingsOf(formType)

export function isForm(req: Request): boolean {
  return Boolean(req.is(formType))
}

/**
 * Reads a form into `req.body`, an object of text. Empty fields count as absent, and repeated
 * fields are refused (RFC 6749 §3.1, §3.2; docs/oauth-rules.md 4 and 5).
 */
export const readForm: RequestHandler = function readForm(req, _res, next) {
  if (isEmpty(req)) {
    req.body = {}
    return next()
  }
  if (isPlainBody(req, plainTypes)) {
    return readPlainText(req, (error, text) =>
      next(error ? failureOf(error) : parseInto(req, text)),
    )
  }
  if (!isForm(req)) throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${formType}.`)
  const decoder = decoderFor(req)
  // Decoders of other charsets make the same character of different bytes, too.
  if (decoder.encoding !== 'utf-8') throw notUtf8()
  readBytes(req, { maxBytes: maxFormBytes }, (error, bytes) => {
    if (error) return next(failureOf(error))
    const text = toText(bytes, decoder)
    next(text instanceof Error ? failureOf(text) : parseInto(req, text))
  })
}

function failureOf(error: unknown): unknown {
  return bodyFailure(error, 'The body exceeds 16 KiB.', 'is not complete')
}

/** Returns the failure, if there is one. */
function parseInto(req: Request, text: string): ApiError | undefined {
  const { fields, repeated } = parseForm(text)
  req.body = fields
  const problems = [...percentProblems(text, 'body'), ...repeated]
  return problems.length > 0 ? invalidRequest(problems) : undefined
}

/** A request without a body needs no media type. The missing fields are reported by name. */
function isEmpty({ headers }: Request): boolean {
  const hasType = headers['content-type'] !== undefined
  return (
    !hasType && headers['transfer-encoding'] === undefined && !Number(headers['content-length'])
  )
}

function sentTwice(field: string): FieldError {
  return { field, in: 'body', message: 'must be sent once' }
}

/** Returns the fields that are not empty, and the names of repeated fields. */
function parseForm(text: string) {
  const fields: Record<string, string> = Object.create(null)
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (seen.has(name)) repeated.add(name)
    seen.add(name)
    if (value !== '') fields[name] = value
  }
  return { fields, repeated: [...repeated].map(sentTwice) }
}
