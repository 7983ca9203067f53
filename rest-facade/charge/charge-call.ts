import type { Operation } from '../../schema/catalog/operation.ts'
import type { RequestInput } from '../../schema/catalog/request-validator.ts'
import { scenarioHeader } from '../../schema/catalog/scenario.ts'
import type { BackendRequest, ModulePlace } from '../backends/backend.ts'
import type { CallerTokens } from '../backends/caller-tokens.ts'
import type { Answering } from '../http/answering.ts'
import { type Call, callerOf } from '../http/call.ts'
import { type ApiError, ClientGone } from '../http/errors.ts'
import { maxSmallBytes } from '../http/large-body.ts'
import { newSpanId } from '../http/trace-ids.ts'
import { ChargedCall, type ChargeOptions } from './charged-call.ts'
import type { IdempotencyKey } from './idempotency.ts'
import { lateFailure } from './scenarios.ts'
import { unitCreditsOf } from './shortages.ts'

/** What is asked of a product operation. */
export interface AskedCall {
  /** The ids and the caller. */
  readonly call: Call
  /** The input of the operation, which was checked. */
  readonly input: RequestInput
  readonly key: IdempotencyKey | null
  /** What a sandbox caller wants to see. */
  readonly scenario: string | null
}

export interface ChargeCallOptions extends ChargeOptions {
  readonly callerTokens: CallerTokens
}

/**
 * Runs a product operation and charges for it (docs/credits.md §1): the one entry for whoever asks, by HTTP or in
 * another way. The input may be dropped afterwards. Throws SERVICE_UNAVAILABLE and
 * ClientGone: then nothing is held.
 */
export function chargeCall(
  operation: Operation,
  options: ChargeCallOptions,
  asked: AskedCall,
  answering: Answering,
): void {
  const { backend, callerTokens } = options
  const { call, input, key, scenario } = asked
  const { accountId } = callerOf(call)
  const maximum = operation.price.maximumOf(input)
  const { backendModule, scope } = operation
  const callerHeaders = () => callerTokens.headersFor({ accountId, backendModule, scope })
  const request = backendRequest(operation, asked, callerHeaders)
  // A call whose caller cannot be told to the module fails here, before credits are held.
  callerTokens.requireSigner()

  // The client is looked for before the hold: an abandoned call would cost two commits.
  if (answering.isGone()) throw new ClientGone()
  const place = backend.enter(accountId)
  const simulated = scenario === null ? null : lateFailure(scenario, operation, { call, maximum })
  const held = {
    ...{ maximum: priced(call, maximum), counted: maximum },
    ...{ key, isSecret: false, isMetered: true, unitCredits: unitCreditsOf(operation) },
  }
  new ChargedCall({ operation, request, simulated, held, place }, options, call, answering).run()
}

/** What is known of a call whose answer another, equal one has. */
export interface RepeatedCall extends Pick<AskedCall, 'call'> {
  readonly key: IdempotencyKey
}

/**
 * Answers with what an equal call was answered, and otherwise fails: as IDEMPOTENCY_CONFLICT while that call is under
 * way, and with `gone` where it has no stored answer. No module is asked and no credit is held, so neither the balance nor a
 * budget refuses it.
 */
export function repeatCall(
  operation: Operation,
  options: ChargeCallOptions,
  { call, key }: RepeatedCall,
  gone: ApiError,
  answering: Answering,
): void {
  const held = { maximum: 0, counted: 0, key, isSecret: false, isMetered: true }
  const parts = { operation, request: null, simulated: gone, held, place: nowhere }
  new ChargedCall(parts, options, call, answering).run()
}

/** A call that asks no module has no place at one. */
const nowhere: ModulePlace = {
  send: () => {
    throw new Error('A call that asks no module was sent.')
  },
  leave: () => {},
}

/** The sandbox runs the same code at a price of zero (docs/credits.md §2). */
export function priced({ environment }: Pick<Call, 'environment'>, credits: number): number {
  return environment === 'sandbox' ? 0 : credits
}

/** The request has only the parts named here, and no header of the caller. */
function backendRequest(
  { method, path, request, isIdempotent }: Operation,
  { call, input, scenario, key }: AskedCall,
  callerHeaders: BackendRequest['callerHeaders'],
): BackendRequest {
  // biome-ignore format: a name and its value are a line.
  const headers = [
    'Accept', 'application/json',
    'X-Request-Id', call.requestId,
    'traceparent', `00-${call.traceId}-${newSpanId()}-01`,
  ]
  if (scenario !== null) headers.push(scenarioHeader, scenario)
  if (key) headers.push('Idempotency-Key', key.backendKey)
  if (request.hasBody) headers.push('Content-Type', 'application/json')
  return {
    method,
    headers,
    callerHeaders,
    path: fillPath(path, input.path) + queryText(input.query),
    body: request.hasBody ? textOrBytes(JSON.stringify(input.body)) : null,
    isRepeatable: isIdempotent || key !== null,
  }
}

/** Bytes take no room on the heap while the module works. */
function textOrBytes(text: string): string | Buffer {
  return text.length > maxSmallBytes ? Buffer.from(text) : text
}

function fillPath(path: string, values: Readonly<Record<string, unknown>>): string {
  if (!path.includes('{')) return path
  return path.replaceAll(/\{([a-z_]+)\}/g, (_, name) => encodeURIComponent(String(values[name])))
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(query).map(([name, value]) => [name, String(value)])
  return entries.length > 0 ? `?${new URLSearchParams(entries)}` : ''
}
