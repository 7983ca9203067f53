import type { ApolloServer } from '@apollo/server'
import { expressMiddleware } from '@as-integrations/express5'
import express, { type Express, type RequestHandler, type Router } from 'express'
import type { Logger } from 'pino'
import type { InternalCaller } from '../../schema/caller.ts'
import { type Call, callOf, headerOf } from '../call.ts'
import { ApiError, invalidRequest } from '../errors.ts'
import { lightHealth } from '../health.ts'
import type { Metrics } from '../metrics.ts'
import { beginCall } from '../middleware/begin-call.ts'
import { readBody } from '../middleware/read-body.ts'
import { methodNotAllowed, notFound, renderError } from '../middleware/render-error.ts'
import { traceCall } from '../middleware/trace-call.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import { type Readiness, requireReadiness } from '../readiness.ts'
import { sendJson } from '../respond.ts'
import { nameRoute } from '../route.ts'
import { graphiqlRoutes } from './graphiql/routes.ts'
import type { InternalContext } from './graphql-server.ts'
import { type InternalToken, verifyInternalToken } from './internal-token.ts'

export interface InternalGraphql {
  /** What `POST /graphql` goes through. */
  readonly handlers: readonly RequestHandler[]
  /** Pages for people to ask with. */
  readonly explorer?: Router
}

interface InternalAppOptions {
  /** Null: this process answers none. */
  readonly graphql: InternalGraphql | null
  readonly strangers: RateLimiter
  readonly anonymousRps: number
  readonly docsUrl: string
  readonly metrics: Metrics
  readonly readiness: Readiness
  readonly log: Logger
}

/** What is beside the public listeners: how this process is, and GraphQL where it has some. */
export function createInternalApp(options: InternalAppOptions): Express {
  const { graphql } = options
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.use(beginCall('live'))
  app.get('/live', (_req, res) => sendJson(res, 200, lightHealth('ok')))
  app.get('/ready', requireReadiness(options.readiness), (_req, res) => {
    sendJson(res, 200, { status: 'ok', ...options.readiness.details })
  })
  app.get('/metrics', async (_req, res) => {
    const { registry } = options.metrics
    res.type(registry.contentType).send(await registry.metrics())
  })
  if (graphql) {
    app.post('/graphql', ...graphql.handlers)
    app.all('/graphql', methodNotAllowed(['POST']))
    if (graphql.explorer) app.use(graphql.explorer)
  }
  app.use(notFound)
  app.use(renderError(options))
  return app
}

/** GraphQL for internal tools, behind an internal token (contract §8), and GraphiQL. */
export function toolsGraphql(
  graphql: ApolloServer<InternalContext>,
  tokenKey: Uint8Array,
): InternalGraphql {
  const answer: RequestHandler = (req, res, next) => {
    if (req.body === undefined) {
      throw invalidRequest([{ field: 'query', in: 'body', message: 'is required' }])
    }
    res.setHeader('X-Request-Id', callOf(res).requestId)
    const handle = expressMiddleware(graphql, {
      context: async () => ({ caller: internalCaller(callOf(res), tokens.get(req)) }),
    })
    return handle(req, res, next)
  }
  const traced = [nameRoute({ route: '/graphql' }), ...traceCall()]
  return {
    handlers: [...traced, requireToken(tokenKey), readBody, answer],
    explorer: graphiqlRoutes(),
  }
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
