import express, { type Express, type RequestHandler } from 'express'
import type { Logger } from 'pino'
import type { Environment } from '../schema/caller.ts'
import type { AccessTrail } from './access-trail.ts'
import type { Backend } from './backends/backend-client.ts'
import { runMetered } from './backends/run-metered.ts'
import type { Catalog } from './catalog/load-catalog.ts'
import type { Execute } from './graph-client.ts'
import { healthHandlers } from './health.ts'
import type { IdempotencyOptions } from './idempotency.ts'
import type { KeyUse } from './key-use.ts'
import type { Ledger } from './ledger.ts'
import { admit } from './middleware/admit.ts'
import { authenticate } from './middleware/authenticate.ts'
import { beginCall } from './middleware/begin-call.ts'
import { preflight } from './middleware/preflight.ts'
import { countOnly, limitAccount, limitAddress } from './middleware/rate-limit.ts'
import { readBody, readSignedBody } from './middleware/read-body.ts'
import { notFound, renderError } from './middleware/render-error.ts'
import { requireScope } from './middleware/require-scope.ts'
import { slowGuesses } from './middleware/slow-guesses.ts'
import { expressPath, mount, type Row } from './mount.ts'
import type { RateLimiter } from './rate-limit/rate-limiter.ts'
import type { OnAnswer } from './respond.ts'
import { nameService, type Route, runOperation, serviceOf } from './route.ts'
import { routes } from './routes/index.ts'
import type { UsageRecorder } from './usage-recorder.ts'
import type { VerifiedKeys } from './verified-keys.ts'

export interface AppDependencies {
  readonly environment: Environment
  readonly execute: Execute
  readonly keys: VerifiedKeys
  readonly keyUse: KeyUse
  readonly trail: AccessTrail
  readonly limiter: RateLimiter
  /** Counts who is not known, in this process. */
  readonly strangers: RateLimiter
  readonly ledger: Ledger
  readonly recorder: UsageRecorder
  readonly catalog: Catalog
  readonly backendOf: (backendModule: string) => Backend
  readonly backendUrls: ReadonlyMap<string, string>
  readonly log: Logger
  readonly anonymousRps: number
  readonly docsUrl: string
  readonly holdTtlSeconds: number
  readonly processId: string
  readonly idempotency: IdempotencyOptions
  readonly probeTimeoutMs: number
  /** Express's `trust proxy`: hops, or addresses and CIDR blocks. */
  readonly trustProxy: false | number | readonly string[]
}

/** The HTTP surface of one environment, in the order in which a request meets it. */
export function createApp(deps: AppDependencies): Express {
  const { environment } = deps
  const answerFailure = renderError(deps)
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', 'simple')
  app.set('case sensitive routing', true)
  app.set('trust proxy', deps.trustProxy)
  app.set('on answer', onAnswer(deps))

  app.use(beginCall(environment))
  app.use(preflight(deps))
  const admission = admissionOf(deps)
  const routeRows = routes.map((route) => routeRow(route, deps, admission))
  const rows = [...healthRows(deps), ...routeRows, ...productRows(deps, admission)]
  app.use(mount(rows, answerFailure))
  app.use(notFound)
  app.use(answerFailure)
  return app
}

/** What every route with a scope goes through before anything of its own. */
type Admission = (scope: string) => RequestHandler[]

function admissionOf(deps: AppDependencies): Admission {
  const { recorder, limiter, trail } = deps
  const identify = slowGuesses(authenticate(deps), deps)
  const steps = [admit(recorder), identify, limitAccount(limiter)]
  return (scope) => [...steps, requireScope(scope, trail)]
}

function healthRows(deps: AppDependencies): Row[] {
  const { health, ready } = healthHandlers(deps)
  return [
    { method: 'get', path: '/health', handlers: [countOnly(deps), health] },
    { method: 'get', path: '/ready', handlers: [countOnly(deps), ready] },
  ]
}

function routeRow(route: Route, deps: AppDependencies, admission: Admission): Row {
  return {
    method: route.method,
    path: route.path,
    handlers: [
      nameService(serviceOf(route.path), `subgraph:${route.subgraph}`),
      ...(route.scope === undefined ? [limitAddress(deps)] : admission(route.scope)),
      ...(route.body ? [route.isSigned ? readSignedBody : readBody] : []),
      runOperation(route, { ...deps, usageRecorded: deps.recorder.recorded }),
    ],
  }
}

function productRows(deps: AppDependencies, admission: Admission): Row[] {
  return deps.catalog.services.flatMap(({ operations, slug, backendModule }) =>
    operations.map((operation) => ({
      method: operation.method,
      path: `/${slug}${expressPath(operation.path)}`,
      refusesHead: true,
      handlers: [
        nameService(slug, backendModule),
        ...admission(operation.scope),
        ...(operation.request.hasBody ? [readBody] : []),
        runMetered(operation, { ...deps, backend: deps.backendOf(backendModule) }),
      ],
    })),
  )
}

function onAnswer({ recorder, log }: AppDependencies): OnAnswer {
  return (call, status) => {
    recorder.record(call, status)
    const { requestId, traceId, method, endpoint } = call
    log.debug({ requestId, traceId, method, endpoint, status }, 'answered')
  }
}
