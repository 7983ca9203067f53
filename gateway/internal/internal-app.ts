import type { ApolloServer } from '@apollo/server'
import express, { type Express, type RequestHandler, type Router } from 'express'
import type { Logger } from 'pino'
import type { BackendKeys } from '../../rest-facade/backends/caller-tokens.ts'
import type { Execute } from '../../rest-facade/graph/graph-client.ts'
import { bearerOf } from '../../rest-facade/http/authorization.ts'
import { type Call, callOf } from '../../rest-facade/http/call.ts'
import { ApiError, invalidRequest, unavailable } from '../../rest-facade/http/errors.ts'
import { readBody } from '../../rest-facade/http/read-body.ts'
import { send, sendJson } from '../../rest-facade/http/respond.ts'
import { methodNotAllowed, notFound } from '../../rest-facade/http/unknown-route.ts'
import type { RateLimiter } from '../../rest-facade/rate-limit/rate-limiter.ts'
import { lightHealth, requireReadiness } from '../../rest-facade/routes/health.ts'
import { nameRoute } from '../../rest-facade/routes/kinds/route.ts'
import { beginCall } from '../../rest-facade/steps/begin-call.ts'
import { renderError } from '../../rest-facade/steps/render-error.ts'
import { traceCall } from '../../rest-facade/steps/trace-call.ts'
import { type InternalCaller, serviceCaller } from '../../schema/credentials/caller.ts'
import { withUnreadable } from '../../schema/vocabulary/unreadable.ts'
import type { Readiness } from '../listeners/readiness.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { KeptMail } from '../trial/mailbox/mailbox.ts'
import { mailboxPage } from '../trial/mailbox/mailbox-page.ts'
import { backendJwksPath } from './backend-keys.ts'
import { graphiqlRoutes } from './graphiql.ts'
import type { InternalContext } from './graphql-server.ts'
import { type InternalToken, verifyInternalToken } from './internal-token.ts'
import { requireMetricsToken } from './metrics-token.ts'
import { refuseForeignHosts } from './refuse-foreign-hosts.ts'
import { requireUsualSize } from './request-size.ts'

export interface InternalGraphql {
  /** The handlers of `POST /graphql`. */
  readonly handlers: readonly RequestHandler[]
  /** Pages in which people write queries. */
  readonly explorer?: Router
  /**
   * Whether the listener answers queries under any host name: only this gateway can send them,
   * because its tokens prove the caller.
   */
  readonly isSealed?: boolean
}

interface InternalAppOptions {
  /** GraphQL of this process; null if the process answers none. */
  readonly graphql: InternalGraphql | null
  /** The keys with which backend modules verify callers, if this process calls modules. */
  readonly backendKeys?: Pick<BackendKeys, 'jwks'>
  /** The page of operators, which has a rule of hosts of its own; null or absent: there is none. */
  readonly operator?: RequestHandler | null
  /** Further host names of this listener, beside addresses, localhost and the name of the host. */
  readonly names: readonly string[]
  /** The token for reading metrics; null if none is needed. */
  readonly metricsToken: string | null
  readonly anonymousLimiter: RateLimiter
  readonly anonymousRps: number
  readonly docsUrl: string
  readonly metrics: Metrics
  /** All metrics that a monitor reads here. */
  readonly metricsText: () => Promise<string>
  /**
   * The mails that were kept instead of sent; null if a mail server takes them, or if no mails are
   * sent.
   */
  readonly keptMails: (() => Promise<readonly KeptMail[]>) | null
  readonly readiness: Readiness
  readonly log: Logger
}

/** How long a backend module may cache the keys: as long as clients may cache the keys of id tokens. */
const jwksMaxAgeSeconds = 300

/** The internal listener: the state of this process, and GraphQL if it has some. */
export function createInternalApp(options: InternalAppOptions): Express {
  const { graphql, backendKeys } = options
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  // First, because it answers to another host than the other paths, and they take no cookie.
  if (options.operator) app.use(options.operator)
  // No page may read an answer: this listener is for operators of the gateway.
  app.use(beginCall('live', {}))
  // Callers of a subgraph also ask whether it is ready, which is no secret.
  const openPaths = graphql?.isSealed ? new Set(['/graphql', '/ready']) : undefined
  app.use(refuseForeignHosts({ names: options.names, openPaths }))
  app.get('/live', (_req, res) => sendJson(res, 200, lightHealth('ok')))
  app.get('/ready', requireReadiness(options.readiness), (_req, res) => {
    sendJson(res, 200, { status: 'ok', ...options.readiness.details })
  })
  app.get('/metrics', requireMetricsToken(options.metricsToken), async (_req, res) => {
    const { registry } = options.metrics
    res.type(registry.contentType).send(await options.metricsText())
  })
  const { keptMails } = options
  if (keptMails) app.get('/mailbox', requireLoopback, showMailbox(keptMails))
  if (backendKeys) {
    app.get(backendJwksPath, (_req, res) => {
      const jwks = backendKeys.jwks()
      if (!jwks) throw unavailable('The keys are not available yet; try again.')
      sendJson(res, 200, jwks, { 'Cache-Control': `max-age=${jwksMaxAgeSeconds}` })
    })
  }
  if (graphql) {
    app.post('/graphql', ...graphql.handlers)
    app.all('/graphql', methodNotAllowed(['POST']))
    if (graphql.explorer) app.use(graphql.explorer)
  }
  app.use(notFound)
  app.use(renderError({ ...options, logPage: null }))
  return app
}

/** A reader of the mailbox can follow the links in all mails. */
const requireLoopback: RequestHandler = function requireLoopback(req, res, next) {
  const { remoteAddress = '' } = req.socket
  const isLocal = /^(::ffff:)?127\.|^::1$/.test(remoteAddress)
  return isLocal ? next() : notFound(req, res, next)
}

/** Answers the mails as a page for a browser, otherwise as JSON. */
function showMailbox(keptMails: () => Promise<readonly KeptMail[]>): RequestHandler {
  return async function showMailbox(req, res) {
    const mails = await keptMails()
    if (req.accepts(['application/json', 'text/html']) === 'text/html') {
      const { status, html, headers } = mailboxPage(mails)
      return send(res, status, html, headers)
    }
    sendJson(res, 200, { items: mails.map(toJson) })
  }
}

function toJson({ id, from, to, subject, text, html, unsubscribeUrl, sentAt }: KeptMail) {
  return {
    ...{ id, from, to, subject, text, html },
    ...{ unsubscribe_url: unsubscribeUrl, sent_at: sentAt },
  }
}

interface TokenOptions {
  /** The key that signs tokens. */
  readonly tokenKey: Uint8Array
  /** Tokens with a longer lifetime are refused. */
  readonly maxTtlSeconds: number
  /**
   * Checks each request for a revoked token, so that a revocation takes effect in every process.
   */
  readonly execute: Execute
}

/**
 * GraphQL for internal tools, behind an internal token (docs/contract.md §8), and GraphiQL. The server is
 * opened by the first request that has a token.
 */
export function toolsGraphql(
  open: () => Promise<ApolloServer<InternalContext>>,
  options: TokenOptions,
): InternalGraphql {
  const answer: RequestHandler = async (req, res, next) => {
    if (req.body === undefined) {
      throw invalidRequest([{ field: 'query', in: 'body', message: 'is required' }])
    }
    const problems = withUnreadable(req.body)
    if (problems.length > 0) throw invalidRequest(problems)
    res.setHeader('X-Request-Id', callOf(res).requestId)
    const [graphql, { expressMiddleware }] = await Promise.all([
      open(),
      import('@as-integrations/express5'),
    ])
    const handle = expressMiddleware(graphql, {
      context: async () => ({ caller: internalCaller(callOf(res), tokens.get(req)) }),
    })
    return handle(req, res, next)
  }
  const traced = [nameRoute({ route: '/graphql' }), ...traceCall()]
  return {
    handlers: [...traced, requireToken(options), readBody, requireUsualSize, answer],
    explorer: graphiqlRoutes(),
  }
}

const tokens = new WeakMap<object, InternalToken>()

const service = serviceCaller()

/** While the gateway cannot check whether a token was revoked, the token is refused (503). */
function requireToken({ tokenKey, maxTtlSeconds, execute }: TokenOptions): RequestHandler {
  const isRevoked = (id: string) => execute('CheckInternalToken', { id }, service)

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
