import type { RequestHandler } from 'express'
import type { Caller } from '../schema/caller.ts'
import { type Call, callOf } from './call.ts'
import type { Execute } from './graph-client.ts'
import { answerHeld, type Outcome } from './held-call.ts'
import { type IdempotencyOptions, idempotencyKeyOf } from './idempotency.ts'
import { type InputSchemas, parseInput } from './input.ts'
import type { Ledger } from './ledger.ts'
import { within } from './patience.ts'
import { type Headers, sendJson } from './respond.ts'

/** One /v1 endpoint: what it accepts, and the persisted operation whose aliases are its body. */
export interface Route extends InputSchemas {
  readonly method: 'get' | 'post' | 'patch' | 'delete'
  /** Below /v1, as Express writes it. */
  readonly path: string
  /** One line for the documentation. */
  readonly summary: string
  /** A file of schema/operations. */
  readonly operation: string
  /** The subgraph that answers: the usage log's `backend_module` is `subgraph:<name>`. */
  readonly subgraph: 'account' | 'keys' | 'oauth' | 'usage'
  /** What a key must be allowed to do; a route without one is public. */
  readonly scope?: string
  /** When it succeeds; 200 unless said. */
  readonly status?: 200 | 201 | 202
  /** Beyond those of every answer. */
  readonly headers?: Headers
  /** A provider sends it: see `readSignedBody`. */
  readonly isSigned?: boolean
  /** The body holds a secret that is shown once: a stored copy for retries is sealed. */
  readonly revealsSecret?: boolean
  /** The answer shows requests that may have been answered just now: wait until they are recorded. */
  readonly readsUsage?: boolean
}

/** How long a reader of the usage log waits for what was answered just now. */
const recordPatienceMs = 2000

interface RunOptions {
  readonly execute: Execute
  /** Resolves once everything answered so far is in the usage log. */
  readonly usageRecorded: () => Promise<void>
  readonly ledger: Ledger
  readonly holdTtlSeconds: number
  readonly processId: string
  readonly idempotency: IdempotencyOptions
}

/** Checks the input, runs the operation, sends its result; a change with an idempotency key happens once. */
export function runOperation(route: Route, options: RunOptions): RequestHandler {
  const { operation, status = 200, headers = {}, readsUsage = false, revealsSecret = false } = route
  const { execute, usageRecorded, idempotency, holdTtlSeconds } = options
  // An attempt that was answered had settled its hold by then, and is replayed from then on.
  const seconds = idempotency.ttlSeconds - holdTtlSeconds
  const isChange = route.method !== 'get' && route.scope !== undefined
  return async function runOperation(req, res) {
    const call = callOf(res)
    const { params, query, body } = req
    const variables = parseInput(route, { params, query, body })
    if (readsUsage) await within(recordPatienceMs, usageRecorded())
    const caller = graphCaller(call)
    const key = isChange ? idempotencyKeyOf(req, call, idempotency) : null
    if (!key) return sendJson(res, status, await execute(operation, variables, caller), headers)
    const once = { reference: key.claim.keyHash, seconds }
    async function work(): Promise<Outcome> {
      const result = await execute(operation, { ...variables, once }, caller)
      return { status, headers, body: JSON.stringify(result), credits: 0 }
    }
    await answerHeld(res, { maximum: 0, key, revealsSecret, isMetered: false, work }, options)
  }
}

/** Names the route in the usage log, before anything can refuse the request. */
export function nameService(service: string, backendModule: string): RequestHandler {
  return function nameService(_req, res, next) {
    const call = callOf(res)
    call.service = service
    call.backendModule = backendModule
    next()
  }
}

/** The usage log's `service` of a route that is no product operation (contract §7). */
export function serviceOf(path: string): string {
  if (path.startsWith('/account/keys')) return 'keys'
  if (path.startsWith('/account/usage') || path.startsWith('/account/audit')) return 'usage'
  if (path.startsWith('/billing')) return 'billing'
  if (path.startsWith('/oauth') || path.startsWith('/.well-known')) return 'oauth'
  return 'account'
}

function graphCaller({ caller, environment, requestId, traceId, address }: Call): Caller {
  if (caller) return caller
  return { kind: 'anonymous', environment, requestId, traceId, address: address || null }
}
