import type { Request, RequestHandler } from 'express'
import { isPlainBody, readPlainText, spellingsOf } from './plain-body.ts'

const jsonTypes = spellingsOf('application/json')

/** Whether the body is of the kind that nearly all requests have. */
export function isPlainJson(req: Request): boolean {
  return isPlainBody(req, jsonTypes)
}

/** Reads such a body as `express.json` does. Failures have the types of body-parser. */
export const readPlainJson: RequestHandler = function readPlainJson(req, _res, next) {
  readPlainText(req, (error, text) => next(error ?? parseInto(req, text)))
}

/** Returns the failure, if there is one. Nothing counts as `{}`. */
function parseInto(req: Request, text: string): Error | undefined {
  try {
    req.body = text === '' ? {} : JSON.parse(text)
    return undefined
  } catch (error) {
    return Object.assign(new Error(String(error)), { type: 'entity.parse.failed' })
  }
}
