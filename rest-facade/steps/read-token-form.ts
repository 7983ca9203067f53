import type { RequestHandler } from 'express'
import { isOAuthSecret } from '../../schema/credentials/oauth-secret-format.ts'
import { setBearer } from '../http/authorization.ts'
import { invalidRequest } from '../http/errors.ts'
import { readForm } from '../http/form.ts'
import { comesWithout } from '../http/read-text.ts'

/** A bearer token that is well-formed and that nobody has. */
const unknownToken = '-'

/**
 * An access token may come in a form instead of the header (RFC 6750 §2.2), but not in both. An API
 * key may not. This step moves the token into the header.
 */
export function readTokenForm(keyPrefix: string): RequestHandler {
  return function readTokenForm(req, res, next) {
    if (comesWithout(req)) return next()
    readForm(req, res, (error?: unknown) => {
      if (error !== undefined) return next(error)
      const token: unknown = req.body.access_token
      req.body = undefined
      if (typeof token !== 'string') return next()
      if (req.headers.authorization !== undefined) return next(twice())
      const isToken = isOAuthSecret(token, keyPrefix, 'oat')
      setBearer(req, isToken ? token : unknownToken)
      next()
    })
  }
}

function twice() {
  const message = 'must be sent in one place: the header Authorization or the body'
  return invalidRequest([{ field: 'access_token', in: 'body', message }])
}
