import type { ApolloServer } from '@apollo/server'
import { expressMiddleware } from '@as-integrations/express5'
import express, { type Express, type RequestHandler } from 'express'
import type { Logger } from 'pino'
import type { InternalCaller } from '../../schema/caller.ts'
import { type Call, callOf, headerOf } from '../call.ts'
import { ApiError, invalidRequest } from '../errors.ts'
import type { Metrics } from '../metrics.ts'
import { beginCall } from '../middleware/begin-call.ts'
import { readBody } from '../middleware/read-body.ts'
import { methodNotAllowed, notFound, renderError } from '../middleware/render-error.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import { sendJson } from '../respond.ts'
import { graphiqlRoutes } from './graphiql/routes.ts'
import type { InternalContext } from './graphql-server.ts'
import { type InternalToken, verifyInternalToken } from './internal-token.ts'

interface InternalAppOptions {
  readonly graphql: ApolloServer<InternalContext>
  readonly tokenKey: Uint8Array
  readonly strangers: RateLimiter
  readonly anonymousRps: number
  readonly docsUrl: string
  readonly metrics: Metrics
  readonly log: Logger
}

/** What internal tools see: GraphQL behind a token, GraphiQL, and whether this process is ready. */
export function createInternalApp(options: InternalAppOptions): Express {
  const { graphql, tokenKey } = options
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.use(beginCall('live'))
  app.get('/ready', (_req, res) => sendJson(res, 200, { status: 'ok' }))
  app.get('/metrics', async (_req, res) => {
    const { registry } = options.metrics
    res.type(registry.contentType).send(await registry.metrics())
  })
  app.post('/graphql', requireToken(tokenKey), readBody, (req, res, next) => {
    if (req.body === undefined) {
      throw invalidRequest([{ field: 'query', in: 'body', message: 'is required' }])
    }
    res.setHeader('X-Request-Id', callOf(res).requestId)
    const handle = expressMiddleware(graphql, {
      context: async () => ({ caller: internalCaller(callOf(res), tokens.get(req)) }),
    })
    return handle(req, res, next)
  })
  app.all('/graphql', methodNotAllowed(['POST']))
  app.use(graphiqlRoutes())
  app.use(notFound)
  app.use(renderError(options))
  return app
}

const tokens = new WeakMap<object, InternalToken>()

function requireToken(tokenKey: Uint8Array): RequestHandler {
  return async function requireToken(req, _res, next) {
    const bearer = /^Bearer +(\S+)$/i.exec(headerOf(req, 'authorization'))?.[1]
    const headers = { 'WWW-Authenticate': 'Bearer' }
    if (bearer === undefined) {
      throw new ApiError('AUTHENTICATION_REQUIRED', 'Send an internal token.', { headers })
    }
    const token = await verifyInternalToken(tokenKey, bearer)
    if (!token) throw new ApiError('INVALID_API_KEY', 'This token is not valid.', { headers })
    tokens.set(req, token)
    next()
  }
}

function internalCaller(
  { environment, requestId, traceId, address }: Call,
  token: InternalToken | undefined,
): InternalCaller {
  if (!token) throw new Error('The token was not checked.')
  return { kind: 'internal', ...token, environment, requestId, traceId, address: address || null }
}
