import type { Request, RequestHandler } from 'express'
import { type Operation, takesIdempotencyKey } from '../../schema/catalog/operation.ts'
import type { RequestInput } from '../../schema/catalog/request-validator.ts'
import { parseScenario, scenarioForms, scenarioHeader } from '../../schema/catalog/scenario.ts'
import type { BackendRequest } from '../backends/backend.ts'
import type { CallerTokens } from '../backends/caller-tokens.ts'
import { type Call, callerOf, callOf, headerOf } from '../http/call.ts'
import { ApiError, ClientGone, invalidRequest } from '../http/errors.ts'
import { dropBody, maxSmallBytes } from '../http/large-body.ts'
import { isGone } from '../http/respond.ts'
import { newSpanId } from '../http/trace-ids.ts'
import { ChargedCall, type ChargeOptions } from './charged-call.ts'
import { checkRequest } from './check-request.ts'
import { type IdempotencyKey, type IdempotencyOptions, idempotencyKeyOf } from './idempotency.ts'

/** What product operations are run with. */
export interface MeteredOptions extends ChargeOptions {
  readonly callerTokens: CallerTokens
  readonly idempotency: IdempotencyOptions
}

/** The metered call: its highest price is held while the backend works (docs/credits.md §1). */
export function runMetered(operation: Operation, options: MeteredOptions): RequestHandler {
  const { backend, callerTokens, idempotency } = options
  const { backendModule, scope } = operation
  return function runMetered(req, res, next) {
    const call = callOf(res)
    const { accountId } = callerOf(call)
    const callerHeaders = () => callerTokens.headersFor({ accountId, backendModule, scope })
    const asked = { call, callerHeaders }
    const { key, scenario, maximum, request } = readCall(operation, req, asked, idempotency)
    // The module may take long: meanwhile nothing refers to the parsed body.
    dropBody(req, res)
    // Without caller headers the call fails here, before credits are held and the backend is
    // called.
    callerTokens.requireSigner()

    // Checked before the hold: an abandoned call would cost two commits.
    if (isGone(res)) throw new ClientGone()
    const place = backend.enter(accountId)
    const simulated = scenario === 'insufficient_credits' ? outOfCredits(maximum) : null
    const held = {
      ...{ maximum: priced(call, maximum), counted: maximum },
      ...{ key, isSecret: false, isMetered: true },
    }
    const read = { operation, request, simulated, held, place }
    new ChargedCall(read, options, res, next).run()
  }
}

/** The sandbox runs the same code at a price of zero (docs/credits.md §2). */
export function priced({ environment }: Pick<Call, 'environment'>, credits: number): number {
  return environment === 'sandbox' ? 0 : credits
}

/** Gives a sandbox caller the answer of a live caller without credits. */
function outOfCredits(maximum: number): ApiError {
  const message = `This request can cost ${maximum} credits; the scenario simulates an empty balance.`
  return new ApiError('INSUFFICIENT_CREDITS', message)
}

/** Only the sandbox reads this header; the live listener ignores it. */
function sandboxScenario({ environment }: Call, req: Request): string | null {
  const header = headerOf(req, scenarioHeader.toLowerCase())
  if (environment !== 'sandbox' || header === '') return null
  if (parseScenario(header)) return header.trim()
  const message = `must be one of ${scenarioForms}`
  throw invalidRequest([{ field: scenarioHeader, in: 'header', message }])
}

interface Asked extends Pick<BackendRequest, 'callerHeaders'> {
  readonly call: Call
}

/** Everything that the call needs of its request. Throws INVALID_REQUEST. */
function readCall(
  operation: Operation,
  req: Request,
  asked: Asked,
  idempotency: IdempotencyOptions,
) {
  const { call } = asked
  const input = checkRequest(operation, req)
  const scenario = sandboxScenario(call, req)
  const key = takesIdempotencyKey(operation) ? idempotencyKeyOf(req, call, idempotency) : null
  const maximum = operation.price.maximumOf(input)
  const request = backendRequest(operation, { ...asked, input, scenario, key })
  return { key, scenario, maximum, request }
}

interface BackendRequestOptions extends Asked {
  readonly input: RequestInput
  readonly scenario: string | null
  readonly key: IdempotencyKey | null
}

/** The request has only the parts named here, and no header of the caller. */
function backendRequest(
  { method, path, request, isIdempotent }: Operation,
  { call, input, scenario, key, callerHeaders }: BackendRequestOptions,
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
  return path.replaceAll(/\{([a-z_]+)\}/g, (_, name) => encodeURIComponent(String(values[name])))
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(query).map(([name, value]) => [name, String(value)])
  return entries.length > 0 ? `?${new URLSearchParams(entries)}` : ''
}
