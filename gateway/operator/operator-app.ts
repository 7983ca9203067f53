import express, { type Express, type RequestHandler } from 'express'
import { readJsonUpTo } from '../../rest-facade/http/read-body.ts'
import { type Headers, transportHeaders } from '../../rest-facade/http/respond.ts'
import { methodNotAllowed, notFound } from '../../rest-facade/http/unknown-route.ts'
import type { ConsoleFiles } from '../../rest-facade/pages/console/send-console.ts'
import { countGuesses } from '../../rest-facade/pages/sign-in/session-steps.ts'
import type { MinuteLimit } from '../../rest-facade/rate-limit/minute-limits.ts'
import { nameRoute } from '../../rest-facade/routes/kinds/route.ts'
import { beginCall } from '../../rest-facade/steps/begin-call.ts'
import { type AnonymousLimit, limitAddress } from '../../rest-facade/steps/rate-limit.ts'
import { renderError } from '../../rest-facade/steps/render-error.ts'
import { traceCall } from '../../rest-facade/steps/trace-call.ts'
import { requireUsualSize } from '../internal/request-size.ts'
import { oidcRoutes } from './oidc-routes.ts'
import { answerOperator, type OperatorApiOptions } from './operator-api.ts'
import { serveOperatorPage } from './operator-page.ts'
import { ownPageOnly } from './own-page-only.ts'
import { requireOperatorHost } from './require-operator-host.ts'
import { isWrongToken } from './sign-in-operations.ts'

export interface OperatorAppOptions extends OperatorApiOptions, AnonymousLimit {
  /** The address of the page: scheme, host and port. */
  readonly baseUrl: string
  /** Null: the page was not built. */
  readonly files: ConsoleFiles | null
  /** Wrong tokens of a client block. */
  readonly failures: MinuteLimit
  /** Express's `trust proxy`. */
  readonly trustProxy: false | number | readonly string[]
  readonly docsUrl: string
}

/** A request of the page is small: an operation has a few variables. */
const bodyLimit = { maxBytes: 64 * 1024, limit: '64 KiB' }

/**
 * Serves `/operator` and all that is below it; the internal listener has it before its other paths. An app of its own,
 * because it has a rule of hosts and of proxies of its own, and because its paths are exact.
 */
export function createOperatorApp(options: OperatorAppOptions): Express {
  const { baseUrl } = options
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.set('trust proxy', options.trustProxy)
  const headers: Headers = {
    ...transportHeaders(baseUrl),
    'Cross-Origin-Resource-Policy': 'same-origin',
  }
  app.use('/operator', beginCall('live', {}), nameRoute({ route: '/operator', headers }))
  app.use('/operator', requireOperatorHost(baseUrl), limitAddress(options))
  app.post('/operator/api', ...apiSteps(options, headers))
  app.all('/operator/api', methodNotAllowed(['POST']))
  const { oidc } = options
  if (oidc) app.use(oidcRoutes({ ...options, oidc, headers }))
  app.use('/operator', serveOperatorPage(options.files), notFound)
  app.use('/operator', countGuesses(options.failures, isWrongToken))
  app.use('/operator', renderError({ ...options, logPage: null }))
  return app
}

function apiSteps(options: OperatorAppOptions, headers: Headers): readonly RequestHandler[] {
  return [
    nameRoute({ route: '/operator/api', headers }),
    ...traceCall(),
    ownPageOnly(options.baseUrl),
    readJsonUpTo(bodyLimit),
    requireUsualSize,
    answerOperator(options),
  ]
}
