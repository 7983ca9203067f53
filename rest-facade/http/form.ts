import express, { type Request, type RequestHandler } from 'express'
import type { FieldError } from '../../schema/vocabulary/error-codes.ts'
import { ApiError, invalidRequest } from './errors.ts'
import { isPlainBody, readPlainText, spellingsOf } from './plain-body.ts'
import { bodyFailure } from './read-body.ts'
import { percentProblems } from './unicode/percent-encoding.ts'
import { MalformedText, utf8Problem } from './unicode/utf8.ts'

const maxFormBytes = 16 * 1024
const formType = 'application/x-www-form-urlencoded'
const plainTypes = spellingsOf(formType)
/** The names of UTF-8 that clients send. */
const charsets: ReadonlySet<string> = new Set(['utf-8', 'utf8'])
const unsupported = { type: 'charset.unsupported' }
const parseText = express.text({
  ...{ limit: maxFormBytes, type: formType, defaultCharset: 'utf-8' },
  verify(_req, _res, bytes, charset) {
    // Decoders of other charsets make the same character of different bytes, too.
    if (!charsets.has(charset)) throw Object.assign(new Error(charset), unsupported)
    const problem = utf8Problem(bytes)
    if (problem !== null) throw new MalformedText(problem)
  },
})

export function isForm(req: Request): boolean {
  return Boolean(req.is(formType))
}

/**
 * Reads a form into `req.body`, an object of text. Empty fields count as absent, and repeated
 * fields are refused (RFC 6749 §3.1, §3.2; docs/oauth-rules.md 4 and 5).
 */
export const readForm: RequestHandler = function readForm(req, res, next) {
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
  parseText(req, res, (error?: unknown) => {
    if (error !== undefined) return next(failureOf(error))
    next(parseInto(req, typeof req.body === 'string' ? req.body : ''))
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
