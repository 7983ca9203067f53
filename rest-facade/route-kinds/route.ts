import type { Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import type { Caller } from '../../schema/credentials/caller.ts'
import type { ErrorCode, OAuthErrorCode } from '../../schema/vocabulary/error-codes.ts'
import type { Execute } from '../graph/graph-client.ts'
import { type Call, callerOf, callOf } from '../http/call.ts'
import type { Deprecation } from '../http/deprecation.ts'
import { OAuthError } from '../http/errors.ts'
import { type InputSchemas, parseInput } from '../http/input.ts'
import { type Headers, sendJson } from '../http/respond.ts'
import { answerHeld, type Outcome } from '../metering/held-call.ts'
import { type IdempotencyOptions, idempotencyKeyOf } from '../metering/idempotency.ts'
import type { Ledger } from '../metering/ledger.ts'
import type { CorsPolicy } from '../middleware/cors.ts'
import type { Metrics } from '../observability/metrics.ts'
import { within } from '../work/within.ts'

/** One /v1 endpoint: what it accepts, and the persisted operation whose aliases are its body. */
export interface Route extends InputSchemas {
  readonly method: 'get' | 'post' | 'patch' | 'delete'
  /** Below /v1, as Express writes it. */
  readonly path: string
  /** The path is not below /v1: an RFC says where it is. */
  readonly isRooted?: boolean
  /** One line for the documentation. */
  readonly summary: string
  /** What the documentation says at length, where the graph speaks to others; else what the graph says. */
  readonly description?: string
  /** Its name in the documentation, where the operation serves several routes; else the operation's. */
  readonly operationId?: string
  /** The spec does not list it. */
  readonly isExtension?: boolean
  /** What the subgraph refuses besides what every such route does: for the documentation. */
  readonly refusals?: readonly ErrorCode[]
  /** Protocol errors it answers with (RFC 6749 §5.2): for the documentation. */
  readonly oauthErrors?: readonly OAuthErrorCode[]
  /** What the body is, where it is not what the operation selects: for the documentation. */
  readonly answer?: z.ZodObject
  /** Members of the result that the body lacks: for the documentation. */
  readonly withheld?: readonly string[]
  /** It will end: every answer says so, and the documentation. */
  readonly deprecated?: Deprecation
  /** A file of schema/operations. */
  readonly operation: string
  /** The subgraph that answers: the usage log's `backend_module` is `subgraph:<name>`. */
  readonly subgraph: 'account' | 'keys' | 'oauth' | 'usage'
  /** What a key must be allowed to do; a route without one is public. */
  readonly scope?: string
  /** Another scope that will do. */
  readonly orScope?: string
  /** One that some answers need besides: the subgraph refuses them (see `explainRefusal`). */
  readonly someNeedScope?: string
  /** When it succeeds; 200 unless said. */
  readonly status?: 200 | 201 | 202
  /** Beyond those of every answer. */
  readonly headers?: Headers
  /** A provider sends it: see `readSignedBody`. */
  readonly isSigned?: boolean
  /** Only an API key is accepted, no access token (docs/oauth-rules.md §1.10). */
  readonly keysOnly?: boolean
  /** A route without a scope that asks who calls all the same: an account holder, if there is one, or an app. */
  readonly caller?: 'owner' | 'client'
  /** A body that is JSON's null is none. */
  readonly takesNullBody?: boolean
  /** The answer is a file: see `sendExport`. */
  readonly sendsExport?: boolean
  /** The body is a form (RFC 6749), not JSON. */
  readonly isForm?: boolean
  /** Changes nothing; the access token may come in a form: see `readTokenForm`. */
  readonly takesTokenForm?: boolean
  /** What is null is left out of the body: absent is absent there (docs/contract.md). */
  readonly leavesOutNull?: boolean
  /** Which origins may read the answer; anybody's unless said. */
  readonly cors?: CorsPolicy
  /** So many requests of one client address in a minute (OAUTH_LIMITS, docs/contract.md §1). */
  readonly minuteLimit?: LimitedByMinute
  /** An app that cannot prove who it is may not call it. */
  readonly confidentialOnly?: boolean
  /** What a browser is served at it instead: see `browserFlow`. */
  readonly page?: 'authorize' | 'consent' | 'sign-in' | 'sign-out'
  /** Sends the result another way than as JSON. */
  readonly present?: Present
  /** The body holds a secret that is shown once: a copy for retries can be opened by the same key alone. */
  readonly revealsSecret?: boolean
  /** The answer shows requests that may have been answered just now: wait until they are recorded. */
  readonly readsUsage?: boolean
}

/** What OAUTH_LIMITS can limit. */
export type LimitedByMinute = 'authorize' | 'token' | 'introspect' | 'revoke' | 'register'

/** Sends what the operation answered; returns false to have it sent as JSON. */
export type Present = (result: unknown, req: Request, res: Response) => boolean | Promise<boolean>

/** How long a reader of the usage log waits for what was answered just now. */
const recordPatienceMs = 2000

interface RunOptions {
  readonly execute: Execute
  /** Resolves once everything answered so far is in the usage log, or cannot be for the moment. */
  readonly usageRecorded: () => Promise<void>
  readonly ledger: Ledger
  readonly holdTtlSeconds: number
  readonly processId: string
  readonly idempotency: IdempotencyOptions
  readonly metrics: Metrics
}

/** Checks the input, runs the operation, sends its result; a change with an idempotency key happens once. */
export function runOperation(route: Route, options: RunOptions): RequestHandler {
  const { operation, status = 200, headers = {}, readsUsage = false } = route
  const { present, leavesOutNull = false, revealsSecret: isSecret = false } = route
  const { execute, usageRecorded, idempotency, holdTtlSeconds } = options
  // An attempt that was answered had settled its hold by then, and is replayed from then on.
  const seconds = idempotency.ttlSeconds - holdTtlSeconds
  const isChange = takesIdempotencyKey(route)
  return async function runOperation(req, res) {
    const call = callOf(res)
    const { params, query, body } = req
    const variables = parseInput(route, { params, query, body })
    if (readsUsage) await within(recordPatienceMs, usageRecorded())
    const key = isChange ? idempotencyKeyOf(req, call, idempotency) : null
    const caller =
      key && isSecret ? { ...callerOf(call), replayKey: key.replayKey() } : graphCaller(call)
    const ask = async (members = {}) => {
      if (isChange) call.isDispatched = true
      const result = await execute(operation, { ...variables, ...members }, caller)
      if (isOAuthFailure(result)) throw new OAuthError(result.error, result.error_description)
      return leavesOutNull ? withoutNull(result) : result
    }
    if (!key) {
      const result = await ask()
      const isSent = await present?.(result, req, res)
      return isSent ? undefined : sendJson(res, status, result, headers)
    }
    const once = { reference: key.claim.keyHash, seconds }
    async function work(): Promise<Outcome> {
      const result = await ask({ once })
      return { status, headers, body: JSON.stringify(result), credits: 0 }
    }
    await answerHeld(res, { maximum: 0, key, isSecret, isMetered: false, work }, options)
  }
}

/** Whether an idempotency key has a meaning for it: it changes something of an account. */
export function takesIdempotencyKey({ method, scope, takesTokenForm, page }: Route): boolean {
  return method !== 'get' && scope !== undefined && !takesTokenForm && page === undefined
}

interface OAuthFailure {
  readonly error: OAuthErrorCode
  readonly error_description: string
}

/** What an operation answers whose changes must stand although it failed (docs/oauth-rules.md §1.8). */
function isOAuthFailure(result: unknown): result is OAuthFailure {
  return typeof result === 'object' && result !== null && 'error_description' in result
}

function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(
    // Null is how a list says that it ends (docs/spec.md §7.3).
    ([name, member]) => member !== null || name === 'next_cursor',
  )
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNull(member)]))
}

/** What the usage log calls a route, and what every answer of it says. */
interface RouteName {
  /** With placeholders. */
  readonly route: string
  readonly service?: string
  readonly backendModule?: string
  readonly headers?: Headers
}

/** Names the route, before anything can refuse the request. */
export function nameRoute({
  route,
  service = '',
  backendModule = '',
  headers = {},
}: RouteName): RequestHandler {
  return function nameRoute(_req, res, next) {
    const call = callOf(res)
    call.route = route
    call.service = service
    call.backendModule = backendModule
    call.routeHeaders = headers
    next()
  }
}

/** The path as the documentation writes it: `/v1/account/keys/{key_id}`. */
export function templateOf({ path, isRooted }: Pick<Route, 'path' | 'isRooted'>): string {
  return `${isRooted ? '' : '/v1'}${path.replaceAll(/:([a-z_]+)/g, '{$1}')}`
}

/** The usage log's `service` of a route that is no product operation (docs/contract.md §7). */
export function serviceOf(path: string): string {
  if (path.startsWith('/account/keys')) return 'keys'
  if (path.startsWith('/account/usage') || path.startsWith('/account/audit')) return 'usage'
  if (path.startsWith('/billing')) return 'billing'
  if (path.startsWith('/oauth') || path.startsWith('/.well-known')) return 'oauth'
  return 'account'
}

/** Who calls, for the graph: an account, an app, or anybody. */
export function graphCaller({
  caller,
  client,
  environment,
  requestId,
  traceId,
  address,
}: Call): Caller {
  if (caller) return caller
  if (client) return client
  return { kind: 'anonymous', environment, requestId, traceId, address: address || null }
}
