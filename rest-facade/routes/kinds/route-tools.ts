import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import type { Catalog } from '../../../schema/catalog/load-catalog.ts'
import type { Environment } from '../../../schema/credentials/caller.ts'
import type { CookieUse } from '../../callers/cookie-use.ts'
import type { RefusedCallers } from '../../callers/refused-callers.ts'
import type { VerifiedClients } from '../../callers/verified-clients.ts'
import type { LookedUp } from '../../callers/verified-keys.ts'
import type { FindSession } from '../../callers/verified-sessions.ts'
import type { MeteredService } from '../../charge/run-metered.ts'
import type { UsageRecorder } from '../../charge/usage-log/usage-recorder.ts'
import { type BrowserFlow, browserFlow } from '../../pages/sign-in/browser-flow.ts'
import type { MinuteLimit } from '../../rate-limit/minute-limits.ts'
import type { RateLimiter } from '../../rate-limit/rate-limiter.ts'
import type { AccountWork } from '../../steps/account-work/account-work.ts'
import { admit } from '../../steps/admit.ts'
import { identifyResourceOwner } from '../../steps/identify-resource-owner.ts'
import {
  type AnonymousLimit,
  limitAccount,
  limitAddress,
  limitMinute,
} from '../../steps/rate-limit.ts'
import type { Protection } from '../../steps/require-scope.ts'
import { type OperationRun, type RunOptions, runOperation } from './route.ts'
import type { ExportFiles } from './send-export.ts'

/** The endpoints that OAUTH_LIMITS can limit. */
export type LimitedByMinute = 'authorize' | 'token' | 'introspect' | 'revoke' | 'register' | 'dcr'

/**
 * The steps that every route of an account has before any of its own. Without a protection it needs no
 * scope; without a use, it takes no session of a browser.
 */
export type Admission = (
  protection: Protection | null,
  cookieUse: CookieUse | null,
) => readonly RequestHandler[]

/** The parts of an environment that the steps of routes need. */
export interface RouteDependencies extends AnonymousLimit, Omit<RunOptions, 'usageRecorded'> {
  readonly environment: Environment
  readonly keyPrefix: string
  readonly findSession: FindSession
  /** `{base_url}/v1` */
  readonly issuer: string
  /** The base URL of the other environment. */
  readonly otherBaseUrl: string
  /** The contact of the operator, for holders of suspended accounts; null: there is none. */
  readonly supportContact: string | null
  readonly clients: VerifiedClients
  readonly known: LookedUp
  readonly limiter: RateLimiter
  readonly accountWork: AccountWork
  /** The prices and inputs of the product operations. */
  readonly catalog: Catalog
  /** Limits of client addresses, beside the limit of each second. */
  readonly minuteLimits: Readonly<Record<LimitedByMinute, MinuteLimit>>
  /** Counts apps and browsers that cannot prove who they are. */
  readonly failures: MinuteLimit
  readonly trail: RefusedCallers
  readonly recorder: UsageRecorder
  readonly firstPartyOrigins: ReadonlySet<string>
  /** The operator's own pages of sign-in and consent, if there are any. */
  readonly oauthUiUrl: string | null
  /** The files of exports; null: this gateway keeps none. */
  readonly exportFiles: ExportFiles | null
  readonly log: Logger
  readonly docsUrl: string
  /** The page of the console with the usage log; null: there is no console. */
  readonly logPage: string | null
  /** Whether this gateway serves the console. */
  readonly hasConsole: boolean
  readonly metered: MeteredService
  /** Authenticates API keys and access tokens. */
  readonly authenticate: RequestHandler
  /** Authenticates once more, after the body of a request has been read. */
  readonly authenticateAgain: RequestHandler
  readonly admission: Admission
}

/** The tools from which a kind makes the steps of its routes. */
export interface RouteTools extends RouteDependencies {
  /** Finds the account holder, if there is one: by a key, or by the session of the browser. */
  readonly identifyResourceOwner: readonly RequestHandler[]
  /** Finds the account holder once more, after the body of a request has been read. */
  readonly identifyResourceOwnerAgain: RequestHandler
  readonly browser: BrowserFlow
  readonly run: (route: OperationRun) => RequestHandler
}

/** The tools are made once for each environment, because some of them remember or batch. */
export function routeTools(deps: RouteDependencies): RouteTools {
  const { recorder, limiter } = deps
  const owner = identifyResourceOwner({
    ...deps,
    limitAccount: limitAccount(limiter),
    limitAddress: limitAddress(deps),
  })
  const runOptions = { ...deps, usageRecorded: recorder.recordedIfPossible }
  return {
    ...deps,
    // An account holder who proves to be known leaves a usage-log entry, as on any route that asks for a
    // key.
    identifyResourceOwner: [admit(recorder), ...owner.identify],
    identifyResourceOwnerAgain: owner.identifyAgain,
    browser: browserFlow(deps),
    run: (route) => runOperation(route, runOptions),
  }
}

/** The limit of a minute, on the routes that have one. */
export function minuteLimit(
  name: LimitedByMinute | undefined,
  { minuteLimits }: RouteTools,
): RequestHandler[] {
  // A limit of 0 limits nothing.
  return name && minuteLimits[name].perMinute > 0 ? [limitMinute(minuteLimits[name])] : []
}
