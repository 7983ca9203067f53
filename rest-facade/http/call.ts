import type { Request, Response } from 'express'
import type { AccountCaller, ClientCaller, Environment } from '../../schema/credentials/caller.ts'
import type { SpentTime } from '../../schema/process/spent-time.ts'
import type { ApiError } from './errors.ts'

/** The known facts about one HTTP request on its way through the facade. */
export interface Call {
  /** `req_…`: the `X-Request-Id` of the answer and the usage log's `request_id`. */
  readonly requestId: string
  /** W3C trace id: the caller's, or a new one. It is final before any other process learns it. */
  traceId: string
  readonly environment: Environment
  readonly arrivedAt: Date
  /** Time of arrival on a monotonic clock. */
  readonly arrivedAtMs: number
  /** Of the request; a call of a tool has the method and the path of its REST route. */
  method: string
  /** Path without its query. */
  endpoint: string
  /** The client's address: from a header only if TRUST_PROXY permits it. */
  readonly address: string
  /** The path of the route with placeholders; it is set once the route is known. */
  route: string
  service: string
  backendModule: string
  /** The headers that say which origins may read the answer: any, unless the path has another policy. */
  corsHeaders: Readonly<Record<string, string>>
  /** Set with the route: headers of all its answers, for example that it is deprecated. */
  routeHeaders: Readonly<Record<string, string>>
  /** The value of the header `X-End-User`, for the usage log alone; null without one. */
  readonly endUser: string | null
  /** Set by authentication. */
  caller: AccountCaller | null
  /** Set by the authentication of apps. */
  client: ClientCaller | null
  /** Set by the authentication of apps: the checked fields of the form, as the operation takes them. */
  form: Readonly<Record<string, unknown>> | null
  /**
   * Set by the authentication of apps: the challenge for an app that used the header (RFC 6749
   * §5.2).
   */
  clientChallenge: string
  /** Set by authentication: the credential in plain text. Kept for the request, never logged. */
  credential: string
  /** Set by authentication: a name of the credential that is no secret. */
  credentialId: string
  /** Set by authentication: whose budgets count for product calls; empty without one. */
  budgetOwners: readonly string[]
  /** Set by authentication: `VerifiedKeys.notices` before it looked the key up. */
  noticesBefore: number
  /** Set by authentication: the limit of the account's tiers. */
  rateLimitRps: number
  /** Set by the limiter; every answer shows it. */
  rateWindow: RateWindow | null
  /** Set with `rateWindow`: the limiter that counted, and that refuses. */
  limiter: Limiter
  /**
   * Set just before a backend module is called, or a subgraph for a change: the result is recorded
   * as it is, also when the client no longer listens.
   */
  isDispatched: boolean
  /** Set by the answer of a tool: the status of its REST route, which is recorded in place of that of the answer. */
  toolStatus: number | null
  /** Called with the recorded status of the call. */
  whenAnswered: ((status: number) => void) | null
  /** Set while a large body is parsed: releases the room that it takes (see `takeRoom`). */
  releaseRoom: (() => void) | null
  /** Set on routes of accounts that are no product operations: the time that is spent on it. */
  spent: SpentTime | null
  /** The credits that the call has cost; the charge sets them. */
  creditsCharged: number
  /** Set when the call is answered with a failure: what the usage log keeps of it. */
  failure: Pick<ApiError, 'code' | 'logged'> | null
  /** Set while the charge of the call is unknown. */
  settling: Promise<{ readonly credits: number }> | null
}

/**
 * An account's second, a client address's second, a client's minute, the work for an account, its
 * declined payments, or its new addresses.
 */
export type Limiter = 'account' | 'address' | 'minute' | 'work' | 'declines' | 'notifications'

/** Where a caller stands in the current second. */
export interface RateWindow {
  readonly limitRps: number
  /** Never below 0. */
  readonly remaining: number
  /** The next whole Unix second, when the count starts again. */
  readonly resetAtSeconds: number
  readonly isExceeded: boolean
}

/** The fields of every log line about a request. */
export function logFieldsOf({ requestId, traceId, caller, method, route }: Call) {
  return { requestId, traceId, accountId: caller?.accountId, method, route }
}

declare global {
  namespace Express {
    interface Locals {
      call?: Call
    }
  }
}

export function setCall(res: Response, call: Call): void {
  res.locals = { call }
}

export function callOf({ locals: { call } }: Response): Call {
  if (!call) throw new Error('The first middleware has not run.')
  return call
}

/** The caller of a route that authenticates. */
export function callerOf(call: Call): AccountCaller {
  if (!call.caller) throw new Error(`${call.endpoint} is used without authentication.`)
  return call.caller
}

/** One value of a header, or an empty string. */
export function headerOf(req: Request, name: string): string {
  const value = req.headers[name]
  return typeof value === 'string' ? value : ''
}

/**
 * Whether the usage log names the session as the source of a call. A product call costs, and is an ordinary
 * call: of the key that has opened the session, or of no key where a person has a role.
 */
export function isOfSession({ caller, backendModule }: Call): boolean {
  return caller?.session !== undefined && backendModule.startsWith('subgraph:')
}
