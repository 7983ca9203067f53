import type { ErrorRequestHandler } from 'express'
import type { z } from 'zod'
import { isFieldError } from '../../../schema/vocabulary/error-codes.ts'
import { ApiError, OAuthError } from '../../http/errors.ts'
import { readBody } from '../../http/read-body.ts'
import { limitAddress } from '../../steps/rate-limit.ts'
import type { RouteOf } from './kind.ts'
import type { RouteRow } from './route.ts'
import { type LimitedByMinute, minuteLimit } from './route-tools.ts'

/** An endpoint where an app that nobody knows describes itself (RFC 7591 §3). */
interface RegistrationRow extends RouteRow {
  readonly method: 'post'
  readonly body: z.ZodObject
  readonly minuteLimit: LimitedByMinute
}

/** What a client of RFC 7591 must not send is an error of its metadata. */
const refusedBodies = new Set(['BAD_REQUEST', 'INVALID_REQUEST'])

const renderRefusal: ErrorRequestHandler = function renderRefusal(error, _req, _res, next) {
  if (!(error instanceof ApiError) || !refusedBodies.has(error.code)) return next(error)
  const isOfRedirect = error.details?.some(
    (detail) => isFieldError(detail) && /^redirect_uris\b/.test(detail.field),
  )
  const code = isOfRedirect ? 'invalid_redirect_uri' : 'invalid_client_metadata'
  next(new OAuthError(code, error.message))
}

export function registrationRoute(row: RegistrationRow): RouteOf<'registration', RegistrationRow> {
  const kind = 'registration'
  const run = { ...row, kind, status: 201, leavesOutNull: true } as const
  return {
    ...row,
    kind,
    status: 201,
    steps: (tools) => [
      ...minuteLimit(row.minuteLimit, tools),
      limitAddress(tools),
      readBody,
      tools.run(run),
      renderRefusal,
    ],
    openapi: {
      security: [],
      requestBody: { content: { 'application/json': {} } },
      success: { json: { leavesOutNull: true } },
      refusals: ['NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
      hasOwnInputErrors: true,
      oauthErrors: ['invalid_client_metadata', 'invalid_redirect_uri'],
    },
  }
}
