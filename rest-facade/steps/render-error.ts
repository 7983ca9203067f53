import type { ErrorRequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { coversScope } from '../../schema/vocabulary/scopes.ts'
import { type Call, callOf } from '../http/call.ts'
import { ApiError, OAuthError } from '../http/errors.ts'
import { type Headers, sendJson } from '../http/respond.ts'
import { createFailureLog } from './failure-log.ts'
import { type AnonymousLimit, countAddress } from './rate-limit.ts'

interface RenderErrorOptions extends AnonymousLimit {
  readonly docsUrl: string
  /** The page of the console with the usage log; null: there is no console. */
  readonly logPage: string | null
  readonly log: Logger
}

/** RFC 6749 §5.1 requires it of every answer of the token endpoint. */
const noCache = { Pragma: 'no-cache' }

/** Renders every failure as the error envelope; anything unexpected becomes INTERNAL_ERROR. */
export function renderError(options: RenderErrorOptions): ErrorRequestHandler {
  const noteFailure = createFailureLog(options.log)
  return function renderError(error: unknown, _req, res, _next) {
    const call = callOf(res)
    const failure = error instanceof OAuthError ? error : toApiError(error)
    const { code, status, internal } = failure
    if (status >= 500 || internal !== undefined) noteFailure(failure, call)
    if (failure instanceof OAuthError) return sendOAuthError(res, failure, options)
    // The limit on requests was not exceeded: the operation itself has a limit.
    const isOther = call.rateWindow?.isExceeded === false && call.limiter !== 'work'
    if (code === 'RATE_LIMIT_EXCEEDED' && isOther) call.limiter = limiterOf(call.route)
    // A caller who is not known yet is counted by address, so that this answer has the headers too.
    const counting = call.rateWindow ? undefined : countAddress(call, options)
    return counting ? counting.then(() => sendFailure(res, failure)) : sendFailure(res, failure)
  }

  function sendFailure(res: Response, failure: ApiError): void {
    const call = callOf(res)
    const { status, headers } = failure
    sendJson(res, status, envelopeOf(failure, call, options), { ...noCache, ...headers })
  }
}

/**
 * The body of a failure (docs/contract.md §2), which becomes that of the call: the usage log keeps its reason.
 */
export function envelopeOf(
  failure: ApiError,
  call: Call,
  { docsUrl, logPage }: Pick<RenderErrorOptions, 'docsUrl' | 'logPage'>,
): object {
  call.failure = failure
  const { code, status, message, members } = failure
  const details = failure.details ?? failure.stepUp ?? failure.suspension ?? failure.proofs
  const page = code === 'RATE_LIMIT_EXCEEDED' ? 'rate-limits' : `errors/${code}`
  const envelope = {
    code,
    message,
    status,
    documentation_url: `${docsUrl}/${page}`,
    request_id: call.requestId,
    ...(logPage !== null &&
      mayReadLog(call, status) && { request_log_url: `${logPage}?request=${call.requestId}` }),
    ...members,
    ...(details && { details }),
    ...(failure.remedy && { remedy: failure.remedy }),
  }
  return { error: envelope }
}

/** Whether the call leaves an entry in the usage log that its caller may read. */
function mayReadLog({ caller }: Call, status: number): boolean {
  return caller !== null && status !== 401 && coversScope(caller.scopes, 'usage:read')
}

/** The body that clients of the form endpoints understand (RFC 6749 §5.2; docs/contract.md §2). */
async function sendOAuthError(
  res: Response,
  { code, message, status }: OAuthError,
  options: RenderErrorOptions,
): Promise<void> {
  const call = callOf(res)
  if (!call.rateWindow) await countAddress(call, options)
  const body = {
    error: code,
    error_description: message,
    error_uri: `${options.docsUrl}/errors/${code}`,
  }
  const { clientChallenge } = call
  const isChallenged = code === 'invalid_client' && clientChallenge !== ''
  const challenge: Headers = isChallenged ? { 'WWW-Authenticate': clientChallenge } : {}
  sendJson(res, status, body, { ...noCache, ...challenge })
}

/** The limit that an operation has met. */
function limiterOf(route: string): Call['limiter'] {
  if (route.startsWith('/v1/oauth/')) return 'minute'
  return route.endsWith('/notifications') ? 'notifications' : 'declines'
}

/** What a caller learns of a failure. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  // The path could not be decoded, so nothing can be there.
  if (error instanceof URIError) return new ApiError('NOT_FOUND', 'Nothing is at this path.')
  return new ApiError('INTERNAL_ERROR', 'Something went wrong on our side.', { cause: error })
}
