import type { Request, Response } from 'express'
import type { AccountCaller, ClientCaller, Environment } from '../../schema/credentials/caller.ts'

/** One HTTP request on its way through the facade: what is known of it so far. */
export interface Call {
  /** `req_…`: the `X-Request-Id` of the answer and the usage log's `request_id`. */
  readonly requestId: string
  /** W3C trace id: the caller's, or a new one. Fixed before anything is told it. */
  traceId: string
  readonly environment: Environment
  readonly arrivedAt: Date
  /** By a clock that only goes forward. */
  readonly arrivedAtMs: number
  readonly method: string
  /** Path without its query. */
  readonly endpoint: string
  /** The client's address, as far as TRUST_PROXY lets a header say it. */
  readonly address: string
  /** Set once the route is known: its path with placeholders. */
  route: string
  service: string
  backendModule: string
  /** Which origins may read the answer; any, unless the path says otherwise. */
  corsHeaders: Readonly<Record<string, string>>
  /** Set with the route: what every answer of it says, such as that it will end. */
  routeHeaders: Readonly<Record<string, string>>
  /** Set by authentication. */
  caller: AccountCaller | null
  /** Set by the authentication of apps. */
  client: ClientCaller | null
  /** Set by the authentication of apps: what a refusal says to one that used the header (RFC 6749 §5.2). */
  clientChallenge: string
  /** Set by authentication: the plaintext that was presented. Kept for the request, never logged. */
  credential: string
  /** Set by authentication: what names the credential and is no secret. */
  credentialId: string
  /** Set by authentication: what the account's tiers allow. */
  rateLimitRps: number
  /** Set by the limiter; every answer shows it. */
  rateWindow: RateWindow | null
  /** Set with it: who counted, and so who refuses. */
  limiter: Limiter
  /**
   * Set just before a backend module is asked, or a subgraph for a change: what comes of it is recorded
   * as it is, also when nobody listens.
   */
  isDispatched: boolean
  /** Told of the status that the call is recorded with, by whoever waits for that. */
  whenAnswered: ((status: number) => void) | null
  /** Set by metering. */
  creditsCharged: number
  /** Set by metering while it is not known what was charged. */
  settling: Promise<{ readonly credits: number }> | null
}

/** An account's second, a client address's second, a client's minute, or an account's declined payments. */
export type Limiter = 'account' | 'address' | 'minute' | 'declines'

/** Where a caller stands in the current second. */
export interface RateWindow {
  readonly limitRps: number
  /** Never below 0. */
  readonly remaining: number
  /** The next whole Unix second, when the count starts again. */
  readonly resetAtSeconds: number
  readonly isExceeded: boolean
}

/** What every line of the log about a request says of it. */
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
  res.locals.call = call
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
