import type { ApolloServer } from '@apollo/server'
import { expressMiddleware } from '@as-integrations/express5'
import express, { type Express, type RequestHandler, type Router } from 'express'
import type { Logger } from 'pino'
import { type InternalCaller, serviceCaller } from '../../schema/credentials/caller.ts'
import { type BackendKeys, backendJwksPath } from '../backends/backend-keys.ts'
import type { Execute } from '../graph/graph-client.ts'
import { bearerOf } from '../http/authorization.ts'
import { type Call, callOf } from '../http/call.ts'
import { ApiError, invalidRequest, unavailable } from '../http/errors.ts'
import { readBody } from '../http/read-body.ts'
import { sendJson } from '../http/respond.ts'
import { methodNotAllowed, notFound } from '../http/unknown-route.ts'
import { lightHealth } from '../listeners/health.ts'
import { type Readiness, requireReadiness } from '../listeners/readiness.ts'
import { beginCall } from '../middleware/begin-call.ts'
import { renderError } from '../middleware/render-error.ts'
import { traceCall } from '../middleware/trace-call.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import { nameRoute } from '../route-kinds/route.ts'
import { graphiqlRoutes } from './graphiql/routes.ts'
import type { InternalContext } from './graphql-server.ts'
import { type InternalToken, verifyInternalToken } from './internal-token.ts'
import { requireMetricsToken } from './metrics-token.ts'
import { requireOwnName } from './own-names.ts'

export interface InternalGraphql {
  /** What `POST /graphql` goes through. */
  readonly handlers: readonly RequestHandler[]
  /** Pages for people to ask with. */
  readonly explorer?: Router
  /** Only this gateway itself can ask, by whatever name it knows the process: it proves who calls. */
  readonly isSealed?: boolean
}

interface InternalAppOptions {
  /** Null: this process answers none. */
  readonly graphql: InternalGraphql | null
  /** Where this process asks backend modules: what they verify callers with. */
  readonly backendKeys?: Pick<BackendKeys, 'jwks'>
  /** What it is called, beside addresses, localhost and the name of the host. */
  readonly names: readonly string[]
  /** What whoever reads metrics must send; null: nothing. */
  readonly metricsToken: string | null
  readonly strangers: RateLimiter
  readonly anonymousRps: number
  readonly docsUrl: string
  readonly metrics: Metrics
  readonly readiness: Readiness
  readonly log: Logger
}

/** As long as that of the keys of id tokens. */
const jwksMaxAgeSeconds = 300

/** What is beside the public listeners: how this process is, and GraphQL where it has some. */
export function createInternalApp(options: InternalAppOptions): Express {
  const { graphql, backendKeys } = options
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  // No page may read an answer: what is here is for those who run the gateway.
  app.use(beginCall('live', {}))
  // Whoever asks a subgraph also asks whether it is ready, which is no secret.
  const openPaths = graphql?.isSealed ? new Set(['/graphql', '/ready']) : undefined
  app.use(requireOwnName({ names: options.names, openPaths }))
  app.get('/live', (_req, res) => sendJson(res, 200, lightHealth('ok')))
  app.get('/ready', requireReadiness(options.readiness), (_req, res) => {
    sendJson(res, 200, { status: 'ok', ...options.readiness.details })
  })
  app.get('/metrics', requireMetricsToken(options.metricsToken), async (_req, res) => {
    const { registry } = options.metrics
    res.type(registry.contentType).send(await registry.metrics())
  })
  if (backendKeys) {
    app.get(backendJwksPath, (_req, res) => {
      const jwks = backendKeys.jwks()
      if (!jwks) throw unavailable('The keys cannot be had yet; try again.')
      sendJson(res, 200, jwks, { 'Cache-Control': `max-age=${jwksMaxAgeSeconds}` })
    })
  }
  if (graphql) {
    app.post('/graphql', ...graphql.handlers)
    app.all('/graphql', methodNotAllowed(['POST']))
    if (graphql.explorer) app.use(graphql.explorer)
  }
  app.use(notFound)
  app.use(renderError(options))
  return app
}

interface TokenOptions {
  /** What they are signed with. */
  readonly tokenKey: Uint8Array
  /** None is accepted that is meant to live longer. */
  readonly maxTtlSeconds: number
  /** Asked for each request: whoever has revoked a token relies on it, in every process. */
  readonly execute: Execute
}

/** GraphQL for internal tools, behind an internal token (docs/contract.md §8), and GraphiQL. */
export function toolsGraphql(
  graphql: ApolloServer<InternalContext>,
  options: TokenOptions,
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
    handlers: [...traced, requireToken(options), readBody, answer],
    explorer: graphiqlRoutes(),
  }
}

const tokens = new WeakMap<object, InternalToken>()

const service = serviceCaller()

/** While nobody can say whether a token was revoked, it is not accepted (503). */
function requireToken({ tokenKey, maxTtlSeconds, execute }: TokenOptions): RequestHandler {
  const isRevoked = async (id: string) =>
    (await execute('CheckInternalToken', { id }, service)) !== false

  return async function requireToken(req, _res, next) {
    const bearer = bearerOf(req)
    const headers = { 'WWW-Authenticate': 'Bearer' }
    if (bearer === undefined) {
      throw new ApiError('AUTHENTICATION_REQUIRED', 'Send an internal token.', { headers })
    }
    const token = await verifyInternalToken(tokenKey, bearer, maxTtlSeconds)
    const isAccepted = token && !(await isRevoked(token.tokenId))
    if (!isAccepted) throw new ApiError('INVALID_API_KEY', 'This token is not valid.', { headers })
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
