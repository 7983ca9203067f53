import type { RequestHandler } from 'express'
import type { Deprecation } from '../../../schema/catalog/deprecation.ts'
import type { BodyOf, OperationName } from '../../../schema/generated/operations.ts'
import { spending } from '../../../schema/process/spent-time.ts'
import type { OAuthErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import { storedAnswerSeconds } from '../../../schema/vocabulary/idempotency-lifetime.ts'
import { graphCaller } from '../../callers/graph-caller.ts'
import type { Outcome } from '../../charge/held.ts'
import { HeldChange } from '../../charge/held-change.ts'
import { type IdempotencyOptions, idempotencyKeyOf } from '../../charge/idempotency.ts'
import type { Ledger } from '../../charge/ledger.ts'
import type { Execute } from '../../graph/graph-client.ts'
import { HttpAnswering } from '../../http/answering.ts'
import { type Call, callerOf, callOf } from '../../http/call.ts'
import { OAuthError } from '../../http/errors.ts'
import { asSent, type InputSchemas, parseInput, type RawInput } from '../../http/input.ts'
import { type Headers, sendJson } from '../../http/respond.ts'
import type { SendResult } from '../../http/send-result.ts'
import type { Keeping, KeptAnswers } from './kept-answers.ts'

/** Each kind has a function of its name in this folder: `accountRoute`, `appRoute` and so on. */
export type RouteKind =
  | 'account'
  | 'app'
  | 'browser'
  | 'file'
  | 'page'
  | 'pdf'
  | 'portal'
  | 'public'
  | 'quote'
  | 'registration'
  | 'signed'
  | 'userinfo'

/** The members that a row of every kind has. */
export interface RouteRow<Name extends OperationName = OperationName> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Below /v1, as Express writes it. */
  readonly path: string
  /** A file of schema/operations. Its folder names the subgraph that answers. */
  readonly operation: Name
  /** One line for the documentation. */
  readonly summary: string
  /**
   * The long text of the documentation, which begins with what the route does (`Lists …`). Without it the
   * documentation has the text of the graph.
   */
  readonly description?: string
  /** The specification does not list the route. */
  readonly isExtension?: boolean
  /** The route will end: every answer and the documentation say so. */
  readonly deprecated?: Deprecation
}

/** The members of a route that `runOperation` needs. */
export interface OperationRun<Name extends OperationName = OperationName>
  extends Pick<RouteRow<Name>, 'method' | 'operation'>,
    InputSchemas {
  readonly kind: RouteKind
  /** The status of a success; 200 unless set. */
  readonly status?: SuccessStatus
  /** Whether the result tells of what happens later only: the status is then 202. */
  isLater?(this: void, result: BodyOf<Name>): boolean
  /** Headers of a success, beyond those of every answer. */
  readonly headers?: Headers
  /**
   * The body leaves out members that are null, all or those of these names: absent is absent there
   * (docs/contract.md).
   */
  readonly leavesOutNull?: boolean | readonly string[]
  /** Makes the answer from the result, if only the facade knows all that it depends on. */
  shown?(this: void, result: BodyOf<Name>): unknown
  /** Variables that follow from the input. */
  readonly derived?: (input: Readonly<Record<string, unknown>>) => Record<string, unknown>
  /** Sends the result in another form than JSON; returns false to have it sent as JSON. */
  sendResult?(this: void, ...sent: Parameters<SendResult<BodyOf<Name>>>): ReturnType<SendResult>
  /**
   * The body holds a secret that is shown once: only the same key can open the copy for retries.
   */
  readonly revealsSecret?: boolean
  /** The answer shows requests, so it waits until those that were just answered are recorded. */
  readonly readsUsage?: boolean
  /** The answer of a read is kept for the account, until the account changes. */
  readonly keeping?: Keeping
}

export type SuccessStatus = 200 | 201 | 202

export interface RunOptions {
  readonly execute: Execute
  /**
   * Resolves once all answered requests are in the usage log, or when a reader should wait no longer.
   */
  readonly usageRecorded: () => Promise<void>
  readonly keptAnswers: KeptAnswers
  readonly ledger: Ledger
  /** The page to buy credits on; null: there is none. */
  readonly topUpUrl: string | null
  readonly holdTtlSeconds: number
  readonly processId: string
  readonly idempotency: IdempotencyOptions
}

/**
 * Checks the input, runs the operation and sends its result. With an idempotency key, a change
 * happens once.
 */
export function runOperation(route: OperationRun, options: RunOptions): RequestHandler {
  const { operation, status = 200, headers = {}, readsUsage = false, keeping } = route
  const {
    sendResult,
    derived,
    shown,
    isLater,
    leavesOutNull = false,
    revealsSecret: isSecret = false,
  } = route
  const { execute, usageRecorded, idempotency, holdTtlSeconds, keptAnswers } = options
  // An attempt is replayed from its settlement on, which came at most the lifetime of a hold after it
  // began.
  const seconds = storedAnswerSeconds - holdTtlSeconds
  const isChange = takesIdempotencyKey(route)
  const statusOf = (result: never) => (isLater?.(result) ? 202 : status)
  const bodyOf = (result: unknown) => (leavesOutNull ? withoutNull(result, leavesOutNull) : result)
  return async function runOperation(req, res, next) {
    const call = callOf(res)
    call.spent?.noteTurn()
    const input = call.form ?? parseInput(route, req)
    const variables = derived ? { ...input, ...derived(input) } : input
    if (readsUsage) await usageRecorded()
    const key = isChange ? idempotencyKeyOf(req, call, idempotency) : null
    const caller =
      key && isSecret ? { ...callerOf(call), replayKey: key.replayKey() } : graphCaller(call)
    const ask = async (members = {}) => {
      if (isChange) call.isDispatched = true
      const asked = { ...variables, ...members }
      const found = await spending(call.spent, () => execute(operation, asked, caller)).catch(
        (error: unknown) => {
          throw asSent(error, route)
        },
      )
      call.spent?.noteTurn()
      if (isOAuthFailure(found)) throw new OAuthError(found.error, found.error_description)
      return shown ? shown(found) : found
    }
    if (!key) {
      const result = keeping
        ? await keptAnswers.find(operation, keeping, callerOf(call), ask)
        : await ask()
      const isSent = await sendResult?.(result, req, res)
      return isSent ? undefined : sendJson(res, statusOf(result as never), bodyOf(result), headers)
    }
    const once = { reference: key.claim.keyHash, seconds }
    async function work(): Promise<Outcome> {
      const result = await ask({ once })
      return {
        status: statusOf(result as never),
        headers,
        body: JSON.stringify(bodyOf(result)),
        credits: 0,
        counted: 0,
      }
    }
    const answering = new HttpAnswering(res, next)
    new HeldChange({ key, isSecret, work }, options, call, answering).run()
  }
}

/** Runs a read for a caller who asks in another way than by its route. Throws INVALID_REQUEST. */
export function readOperation(
  route: OperationRun,
  { execute, usageRecorded }: Pick<RunOptions, 'execute' | 'usageRecorded'>,
): (call: Call, given: RawInput) => Promise<unknown> {
  const { operation, derived, readsUsage = false } = route
  return async function readOperation(call, given) {
    call.spent?.noteTurn()
    const input = parseInput(route, given)
    if (readsUsage) await usageRecorded()
    const asked = derived ? { ...input, ...derived(input) } : input
    const found = await spending(call.spent, () =>
      execute(operation, asked, graphCaller(call)),
    ).catch((error: unknown) => {
      throw asSent(error, route)
    })
    call.spent?.noteTurn()
    return found
  }
}

/** Whether an idempotency key has a meaning for the route: it changes something of an account. */
export function takesIdempotencyKey({ kind, method }: Pick<OperationRun, 'kind' | 'method'>) {
  return kind === 'account' && method !== 'get'
}

interface OAuthFailure {
  readonly error: OAuthErrorCode
  readonly error_description: string
}

/** The answer of an operation that failed but keeps its changes (docs/oauth-rules.md §1.8). */
function isOAuthFailure(result: unknown): result is OAuthFailure {
  return typeof result === 'object' && result !== null && 'error_description' in result
}

function withoutNull(value: unknown, names: true | readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutNull(one, names))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(
    ([name, member]) => member !== null || !mayLeaveOut(name, names),
  )
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNull(member, names)]))
}

/** A null cursor marks the end of a list (docs/spec.md §7.3). */
function mayLeaveOut(name: string, names: true | readonly string[]): boolean {
  return names === true ? name !== 'next_cursor' : names.includes(name)
}

/** The names of a route in the usage log, and the headers of all its answers. */
interface RouteName {
  /** The path of the route, with placeholders. */
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

interface RoutePath extends Pick<RouteRow, 'path'> {
  /** The path is not below /v1, because an RFC says where it is, or because people see it. */
  readonly isRooted?: boolean
}

/** The path as the documentation writes it: `/v1/account/keys/{key_id}`. */
export function templateOf({ path, isRooted }: RoutePath): string {
  return `${isRooted ? '' : '/v1'}${path.replaceAll(/:([a-z_]+)/g, '{$1}')}`
}

/** The usage log's `service` of a route that is no product operation (docs/contract.md §7). */
export function serviceOf(path: string): string {
  if (path.startsWith('/account/keys')) return 'keys'
  if (path.startsWith('/account/usage') || path.startsWith('/account/audit')) return 'usage'
  if (path.startsWith('/billing') || path === '/quotes') return 'billing'
  if (path.startsWith('/oauth') || path.startsWith('/.well-known')) return 'oauth'
  return 'account'
}
