import type { ErrorRequestHandler, RequestHandler } from 'express'
import { callOf, headerOf } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import { readBody } from '../http/read-body.ts'
import { askForCredential, challengeOf } from './challenge.ts'
import { RpcError, rpcCodes } from './protocol.ts'
import { toolInHeader } from './read-message.ts'
import { sendRpcError } from './send-message.ts'
import type { Tool } from './tools.ts'

interface Listener {
  /** `{base_url}/v1` of the environment. */
  readonly issuer: string
}

const foreign = new ApiError('FORBIDDEN', 'A page of another origin may not use /mcp.')

/** Refuses pages of other origins: a name that leads to this address must not let them in (DNS rebinding). */
export function refuseForeignOrigin({ issuer }: Listener): RequestHandler {
  const own = new URL(issuer).origin
  return function refuseForeignOrigin(req, _res, next) {
    const { origin } = req.headers
    next(origin === undefined || origin === own ? undefined : foreign)
  }
}

/** Reads the body of a message; what is no JSON, or too much of it, is refused in the words of JSON-RPC. */
export const readRpcBody: RequestHandler = function readRpcBody(req, res, next) {
  readBody(req, res, (error?: unknown) => {
    const isBad = error instanceof ApiError && error.code === 'INVALID_REQUEST'
    if (!isBad) return next(error ?? (req.body === undefined ? notJson('is missing') : undefined))
    if (Array.isArray(req.body)) return next()
    const { message } = error.details?.find((detail) => 'message' in detail) ?? error
    const isRead = /^(must|has) /.test(message)
    next(
      isRead
        ? new RpcError(rpcCodes.invalidRequest, `The body ${message}.`, null)
        : notJson(message),
    )
  })
}

function notJson(reason: string): RpcError {
  return new RpcError(rpcCodes.parseError, `The body ${reason}.`, null)
}

/** Answers refusals of the protocol, which the usage log keeps by their status, and says in a 401 where to get a token. */
export function answerRefusal({ issuer }: Listener, all: readonly Tool[]): ErrorRequestHandler {
  const baseUrl = issuer.replace(/\/v1$/, '')
  const scopeOf = new Map(all.map(({ listed, scopes }) => [listed.name, scopes.slice(0, 1)]))

  return function answerRefusal(error, req, res, next) {
    if (error instanceof RpcError) {
      const { status, message } = error
      callOf(res).failure = new ApiError(status === 404 ? 'NOT_FOUND' : 'BAD_REQUEST', message)
      return sendRpcError(req, res, error)
    }
    if (!(error instanceof ApiError) || error.status !== 401) return next(error)
    const { code, message, details, headers, cause, internal } = error
    const hasCredential = headerOf(req, 'authorization') !== '' && code === 'INVALID_API_KEY'
    const challenge = challengeOf({
      baseUrl,
      error: hasCredential ? 'invalid_token' : null,
      scopes: scopeOf.get(toolInHeader(req) ?? ''),
    })
    const explained = { ...headers, 'WWW-Authenticate': challenge }
    const said = code === 'AUTHENTICATION_REQUIRED' ? askForCredential : message
    next(new ApiError(code, said, { details, cause, internal, headers: explained }))
  }
}
