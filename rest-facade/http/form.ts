import type { Request, RequestHandler } from 'express'
import type { FieldError } from '../../schema/vocabulary/error-codes.ts'
import type { BodyKind } from './body-bytes.ts'
import { type ApiError, invalidRequest } from './errors.ts'
import { comesWithout, readText, withoutMark } from './read-text.ts'
import { percentProblems } from './unicode/percent-encoding.ts'

const form: BodyKind = {
  mediaType: 'application/x-www-form-urlencoded',
  maxBytes: 16 * 1024,
  limit: '16 KiB',
  incomplete: 'is not complete',
  charset: 'utf-8',
}

export function isForm(req: Request): boolean {
  return Boolean(req.is(form.mediaType))
}

/**
 * Reads a form into `req.body`, an object of text. Empty fields count as absent, and repeated
 * fields are refused (RFC 6749 §3.1, §3.2; docs/oauth-rules.md 4 and 5).
 */
export const readForm: RequestHandler = function readForm(req, res, next) {
  // A request without a body needs no media type. The missing fields are reported by name.
  if (comesWithout(req) && req.headers['content-type'] === undefined) {
    req.body = {}
    return next()
  }
  readText(req, res, form, (failure, text) => {
    next(failure ?? parseInto(req, withoutMark(text)))
  })
}

/** Returns the failure, if there is one. */
function parseInto(req: Request, text: string): ApiError | undefined {
  const { fields, repeated } = parseForm(text)
  req.body = fields
  const problems = [...percentProblems(text, 'body'), ...repeated]
  return problems.length > 0 ? invalidRequest(problems) : undefined
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
