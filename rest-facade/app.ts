import type { RequestListener } from 'node:http'
import express, { type Express, type RequestHandler } from 'express'
import type { Logger } from 'pino'
import type { Catalog } from '../schema/catalog/load-catalog.ts'
import type { Environment } from '../schema/credentials/caller.ts'
import type { Backend } from './backends/backend.ts'
import type { CallerTokens } from './backends/caller-tokens.ts'
import type { ProbeBackends } from './backends/probes.ts'
import type { ClientOrigins } from './callers/client-origins.ts'
import type { KeyUse } from './callers/key-use.ts'
import type { RefusedCallers } from './callers/refused-callers.ts'
import type { VerifiedClients } from './callers/verified-clients.ts'
import type { LookedUp, VerifiedKeys } from './callers/verified-keys.ts'
import { findSessions } from './callers/verified-sessions.ts'
import { chargeCountsOf } from './charge/charge-counts.ts'
import type { IdempotencyOptions } from './charge/idempotency.ts'
import type { Ledger } from './charge/ledger.ts'
import { type MeteredService, runMetered } from './charge/run-metered.ts'
import type { UsageRecorder } from './charge/usage-log/usage-recorder.ts'
import type { Execute } from './graph/graph-client.ts'
import { logFieldsOf } from './http/call.ts'
import { deprecationHeaders } from './http/deprecation.ts'
import { readBody, readBodyAnd } from './http/read-body.ts'
import { commonHeaders, type OnAnswer, publicHeaders } from './http/respond.ts'
import type { StaticBody } from './http/static-answer.ts'
import { notFound } from './http/unknown-route.ts'
import type { CallMetrics } from './metrics/call-metrics.ts'
import { createRequestMeter } from './metrics/request-meter.ts'
import { type Console, serveConsole } from './pages/console/serve-console.ts'
import { sendEntryPoint } from './pages/docs/entry-point.ts'
import { sendOpenapi } from './pages/docs/openapi.ts'
import { serveDocs } from './pages/docs/serve-docs.ts'
import type { DocsSite } from './pages/docs/site-file.ts'
import { sendStatus } from './pages/docs/status.ts'
import type { WhenNeeded } from './pages/when-needed.ts'
import type { MinuteLimit } from './rate-limit/minute-limits.ts'
import type { RateLimiter } from './rate-limit/rate-limiter.ts'
import { healthHandlers, type ReadyState, requireReadiness } from './routes/health.ts'
import { routes } from './routes/index.ts'
import type { KeptAnswers } from './routes/kinds/kept-answers.ts'
import type { McpRoute } from './routes/kinds/mcp-route.ts'
import { subgraphOf } from './routes/kinds/operation-area.ts'
import { nameRoute, serviceOf, templateOf } from './routes/kinds/route.ts'
import {
  type Admission,
  type LimitedByMinute,
  type RouteTools,
  routeTools,
} from './routes/kinds/route-tools.ts'
import type { ExportFiles } from './routes/kinds/send-export.ts'
import { type LocalRoute, localRoutes } from './routes/local.ts'
import { type McpSettings, mcpEndpoint, mcpPath } from './routes/mcp.ts'
import type { AccountWork } from './steps/account-work/account-work.ts'
import { limitWork } from './steps/account-work/limit-work.ts'
import { admit, requirePlace } from './steps/admit.ts'
import { type AuthenticateOptions, authenticate, authenticateAgain } from './steps/authenticate.ts'
import { beginCall } from './steps/begin-call.ts'
import { type CorsPolicy, cors } from './steps/cors.ts'
import { expressPath, mount, type Row } from './steps/dispatch/mount.ts'
import { parseQuery } from './steps/dispatch/query.ts'
import { requestListenerOf } from './steps/dispatch/request-listener.ts'
import { lateFailureLog } from './steps/failure-log.ts'
import { preflight } from './steps/preflight.ts'
import { countOnly, limitAccount, limitAddress } from './steps/rate-limit.ts'
import { renderError } from './steps/render-error.ts'
import { requireEndUser } from './steps/require-end-user.ts'
import { requireScope } from './steps/require-scope.ts'
import { traceCall } from './steps/trace-call.ts'

export interface AppDependencies {
  readonly environment: Environment
  readonly execute: Execute
  /** `{base_url}/v1` of the environment. */
  readonly issuer: string
  /** The base URL of the other environment. */
  readonly otherBaseUrl: string
  /** The page to buy credits on; null: there is none. */
  readonly topUpUrl: string | null
  /** The contact of the operator, for holders of suspended accounts; null: there is none. */
  readonly supportContact: string | null
  readonly keys: VerifiedKeys
  readonly clients: VerifiedClients
  /** Is told which credentials authentication accepts and refuses. */
  readonly known: LookedUp
  readonly clientOrigins: ClientOrigins
  /** The origins whose pages may send the cookie of a session. */
  readonly firstPartyOrigins: ReadonlySet<string>
  /** For how long a proof of who is at a browser counts as fresh. */
  readonly stepUpMinutes: number
  /** The operator's own pages of sign-in and consent, if there are any. */
  readonly oauthUiUrl: string | null
  /** The limits of client addresses in a minute, beside the limit of each second. */
  readonly minuteLimits: Readonly<Record<LimitedByMinute, MinuteLimit>>
  /** The limit of failed proofs of apps and browsers. */
  readonly failures: MinuteLimit
  readonly keyUse: KeyUse
  readonly trail: RefusedCallers
  readonly limiter: RateLimiter
  /** Counts anonymous callers, in this process. */
  readonly anonymousLimiter: RateLimiter
  /** Limits the work for an account, for live and sandbox together. */
  readonly accountWork: AccountWork
  /** Answers that are kept for a moment, until the account changes. */
  readonly keptAnswers: KeptAnswers
  readonly ledger: Ledger
  readonly recorder: UsageRecorder
  readonly catalog: Catalog
  readonly backendOf: (backendModule: string) => Backend
  /** Probes the backend modules once for all requests of a moment, and for all workers. */
  readonly probeBackends: ProbeBackends
  readonly log: Logger
  readonly readiness: ReadyState
  readonly metrics: CallMetrics
  readonly anonymousRps: number
  readonly docsUrl: string
  /** The OpenAPI document of this environment. */
  readonly openapi: StaticBody
  readonly docs: WhenNeeded<DocsSite>
  readonly console: Console
  /** The storage of export results; null: this gateway keeps none. */
  readonly exportFiles: ExportFiles | null
  readonly holdTtlSeconds: number
  readonly processId: string
  readonly idempotency: IdempotencyOptions
  readonly callerTokens: CallerTokens
  /** Null: no agents are served. */
  readonly mcp: McpSettings | null
  /** Express's `trust proxy`: hops, or addresses and CIDR blocks. */
  readonly trustProxy: false | number | readonly string[]
}

interface AuthenticatingDependencies
  extends AppDependencies,
    Pick<AuthenticateOptions, 'findSession' | 'keyPrefix'> {
  /** The page of the console with the usage log; null: there is no console. */
  readonly logPage: string | null
  /** Whether this gateway serves the console. */
  readonly hasConsole: boolean
}

/** The HTTP surface of one environment. */
export interface App {
  /** Answers every request. */
  readonly handle: RequestListener
  /**
   * The Express application: it has the settings of the environment, and answers requests for which
   * `handle` has no row.
   */
  readonly express: Express
}

/** Puts the parts in the order in which a request meets them. */
export function createApp(options: AppDependencies): App {
  const { environment, execute, idempotency } = options
  const findSession = findSessions(execute, environment, options.stepUpMinutes, options.known)
  const logPage = options.console === 'off' ? null : options.issuer.replace(/v1$/, 'console/logs')
  const hasConsole = options.console !== 'off' && options.console !== null
  const keyPrefix = idempotency.keyPrefix
  const deps = { ...options, findSession, logPage, hasConsole, keyPrefix }
  const answerFailure = renderError(deps)
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', parseQuery)
  app.set('case sensitive routing', true)
  app.set('trust proxy', deps.trustProxy)
  app.set('on answer', onAnswer(deps))
  app.set('common headers', commonHeaders(publicHeaders(deps.issuer)))

  const admission = admissionOf(deps)
  const metered = meteredServices(deps)
  const tools = toolsOfRoutes(deps, { admission, metered })
  const rows = [
    ...localRows(deps),
    ...routeRows(deps, tools),
    ...(deps.mcp ? [mcpRow(deps, tools, mcpEndpoint(deps.mcp))] : []),
    ...productRows(deps, { admission, metered }),
  ]
  const noteLate = lateFailureLog(deps.log)
  app.use(serveDocs(deps.docs, deps), serveConsole(deps), notFound, answerFailure)
  const steps = [
    beginCall(environment),
    ...traceCall(),
    cors({ ...deps, policies: corsPolicies() }),
    preflight(deps),
    mount(rows, noteLate),
    answerFailure,
  ]
  return { express: app, handle: requestListenerOf(steps, app, noteLate) }
}

function admissionOf(deps: AuthenticatingDependencies): Admission {
  const { recorder, limiter } = deps
  return (protection, cookieUse) => [
    admit(recorder),
    authenticate(deps, { cookieUse, audiences: protection?.audiences }),
    limitAccount(limiter, cookieUse === 'costs'),
    ...(protection ? [requireScope(protection, deps)] : []),
    requireEndUser,
  ]
}

function corsPolicies() {
  const ofRoutes = routes.flatMap(({ path, cors }) => (cors ? [[`/v1${path}`, cors] as const] : []))
  return new Map<string, CorsPolicy>([...ofRoutes, [mcpPath, 'nobody']])
}

/** The paths that are answered without the graph. */
function localRows(deps: AppDependencies): Row[] {
  const { health, ready } = healthHandlers(deps)
  const steps: Readonly<Record<LocalRoute['operationId'], readonly RequestHandler[]>> = {
    getHealth: [countOnly(deps), health],
    getReadiness: [countOnly(deps), requireReadiness(deps.readiness), ready],
    getOpenapi: [limitAddress(deps), sendOpenapi(deps)],
  }
  const rows = localRoutes.map(({ path, operationId }) => ({
    method: 'get',
    path,
    handlers: [nameRoute({ route: `/v1${path}` }), ...steps[operationId]],
  }))
  const entryPoint = [
    nameRoute({ route: '/' }),
    limitAddress(deps),
    sendEntryPoint({ ...deps, hasConsole: deps.console !== 'off' }),
  ]
  const status = [nameRoute({ route: '/status' }), limitAddress(deps), sendStatus(deps)]
  return [
    ...rows,
    { method: 'get', path: '/', isRooted: true, handlers: entryPoint },
    { method: 'get', path: '/status', isRooted: true, handlers: status },
  ]
}

interface Made {
  readonly admission: Admission
  readonly metered: MeteredService
}

/** What the operations of a service are run with, however they are asked for. */
function meteredServices(deps: AuthenticatingDependencies): MeteredService {
  const { backendOf, metrics, environment } = deps
  const addedSeconds = metrics.addedSeconds.labels({ environment })
  return ({ slug, backendModule }) => ({
    ...deps,
    addedSeconds,
    backend: backendOf(backendModule),
    counts: chargeCountsOf(metrics, environment, slug),
  })
}

function toolsOfRoutes(deps: AuthenticatingDependencies, { admission, metered }: Made): RouteTools {
  return routeTools({
    ...deps,
    metered,
    admission: (protection, cookieUse) => [
      ...admission(protection, cookieUse),
      ...(protection?.isStop
        ? []
        : [
            limitWork(
              deps.accountWork,
              authenticateAgain(deps, { cookieUse, audiences: protection?.audiences }),
            ),
          ]),
    ],
    authenticate: authenticate(deps, { cookieUse: null }),
    authenticateAgain: authenticateAgain(deps, { cookieUse: 'free' }),
  })
}

function routeRows(deps: AppDependencies, tools: RouteTools): Row[] {
  return routes.map((route) => {
    const { method, path, isRooted, operation, deprecated } = route
    return {
      ...{ method, path, isRooted },
      handlers: [
        nameRoute({
          route: templateOf(route),
          service: serviceOf(path),
          backendModule: `subgraph:${subgraphOf(operation)}`,
          headers: deprecated && deprecationHeaders(deprecated, deps.docsUrl),
        }),
        ...route.steps(tools),
      ],
    }
  })
}

/** The endpoint of agents takes the tokens of the tools alone. */
function mcpRow(deps: AuthenticatingDependencies, tools: RouteTools, route: McpRoute): Row {
  const { method, path, isRooted, steps } = route
  const audiences = ['mcp'] as const
  const own = {
    ...tools,
    authenticate: authenticate(deps, { cookieUse: null, audiences }),
    authenticateAgain: authenticateAgain(deps, { cookieUse: null, audiences }),
  }
  const names = { route: path, service: 'account', backendModule: 'subgraph:account' }
  return { ...{ method, path, isRooted }, handlers: [nameRoute(names), ...steps(own)] }
}

function productRows(deps: AuthenticatingDependencies, { admission, metered }: Made): Row[] {
  const again = authenticateAgain(deps, { cookieUse: 'costs' })
  return deps.catalog.services.flatMap((service) => {
    const { operations, slug, backendModule } = service
    const options = metered(service)
    const { backend } = options
    return operations.map((operation) => ({
      method: operation.method,
      path: `/${slug}${expressPath(operation.path)}`,
      refusesHead: true,
      handlers: [
        nameRoute({
          route: `/v1/${slug}${operation.path}`,
          service: slug,
          backendModule,
          headers: operation.deprecated && deprecationHeaders(operation.deprecated, deps.docsUrl),
        }),
        requirePlace(backend),
        ...admission(operation, 'costs'),
        requirePlace(backend),
        ...(operation.request.hasBody
          ? [readBodyAnd(readBody, (req) => operation.request.problemsBesideBody(req))]
          : []),
        again,
        runMetered(operation, options),
      ],
    }))
  })
}

function onAnswer({ recorder, log, metrics, environment }: AppDependencies): OnAnswer {
  const countAnswer = createRequestMeter(metrics, environment)
  return (call, status) => {
    recorder.record(call, status)
    countAnswer(call, status)
    if (!log.isLevelEnabled('debug')) return
    log.debug({ ...logFieldsOf(call), endpoint: call.endpoint, status }, 'answered')
  }
}
