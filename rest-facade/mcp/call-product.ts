import type { Request } from 'express'
import type { Service } from '../../schema/catalog/load-catalog.ts'
import type { Operation } from '../../schema/catalog/operation.ts'
import { toolName } from '../../schema/catalog/tool-name.ts'
import { withoutKeys } from '../../schema/credentials/api-key-format.ts'
import { chargeCall, repeatCall } from '../charge/charge-call.ts'
import { checkRequest } from '../charge/check-request.ts'
import type { IdempotencyKey } from '../charge/idempotency.ts'
import { callLimitExceeded } from '../charge/refusals.ts'
import { type MeteredOptions, sandboxScenario } from '../charge/run-metered.ts'
import { earlyRefusal } from '../charge/scenarios.ts'
import { unitCreditsOf } from '../charge/shortages.ts'
import type { Answering } from '../http/answering.ts'
import type { Call } from '../http/call.ts'
import { type ApiError, invalidRequest } from '../http/errors.ts'
import { claimOf } from './claim.ts'
import { EqualCall, noAnswer } from './equal-call.ts'
import type { Params } from './protocol.ts'

/** Tells whether the scopes of a caller suffice: null, or the refusal. */
export type ScopeRefusal = Parameters<typeof earlyRefusal>[2]

interface ProductOptions extends MeteredOptions {
  /** How long an equal call waits for the first one, in ms. */
  readonly patienceMs: number
  readonly scopeRefusal: ScopeRefusal
  /** Throws FORBIDDEN, and notes it. */
  readonly requireScope: (call: Call) => void
}

/** A call of a tool. */
export interface ToolCall {
  readonly req: Request
  readonly call: Call
  readonly input: Params
  readonly answering: Answering & { loseAnswer(): void }
  /** Authenticates once more, and then goes on. A failure of either is told to whoever is asking. */
  readonly authenticateAgain: (asking: Answering, goOn: () => unknown) => unknown
}

/**
 * Calls an operation as a tool, by the one way of all charged calls: names the call, and returns what makes it. Both
 * throw what the caller is told.
 */
export function productCaller(
  operation: Operation,
  service: Service,
  options: ProductOptions,
): (asked: ToolCall) => () => void {
  const { price } = operation
  const { scopeRefusal, requireScope } = options
  const tool = toolName(operation)
  const partsOf = partsFor(operation)

  return function prepareCall(asked) {
    const { call, input } = asked
    const { max_credits: limit, idempotency_key: ownKey, ...others } = input
    const members = price.maximum > 0 ? others : input
    const parts = partsOf(members)
    call.method = operation.method
    call.route = `/v1/${service.slug}${operation.path}`
    call.endpoint = endpointOf(call.route, parts.path)
    call.service = service.slug
    call.backendModule = service.backendModule
    return function makeCall() {
      requireScope(call)
      // The check writes defaults into what it checks.
      const key = claimOf({ call, tool, input: members, ownKey }, operation, options.idempotency)
      const given = checkRequest(operation, { ...parts, params: parts.path })
      const scenario = scenarioOf(asked)
      const maximum = price.maximumOf(given)
      const refusal =
        price.maximum > 0 ? limitRefusal(limit, maximum, unitCreditsOf(operation)) : null
      if (!refusal) {
        const charged = { call, input: given, key, scenario }
        chargeCall(operation, options, charged, answeringOf(asked, key, noAnswer))
        return
      }
      if (!key) throw refusal
      // A repetition costs nothing, so its limit permits it.
      repeatCall(operation, options, { call, key }, refusal, answeringOf(asked, key, refusal))
    }
  }

  function scenarioOf({ req, call, answering }: ToolCall): string | null {
    const scenario = sandboxScenario(call, req)
    const early = scenario === null ? null : earlyRefusal(scenario, call, scopeRefusal)
    if (early) throw early
    if (scenario === 'hang_up') answering.loseAnswer()
    return scenario
  }

  /** A call whose key follows from it may wait for an equal one; `gone` is told where that gives no answer. */
  function answeringOf(
    { call, answering, authenticateAgain }: ToolCall,
    key: IdempotencyKey | null,
    gone: ApiError,
  ): Answering {
    if (!key || key.answerSeconds === null) return answering
    const ask = (waiting: Answering) => {
      requireScope(call)
      repeatCall(operation, options, { call, key }, gone, waiting)
    }
    const repeat = (waiting: Answering) => authenticateAgain(waiting, () => ask(waiting))
    return new EqualCall(answering, { patienceMs: options.patienceMs, repeat, gone })
  }
}

/** The refusal of a call that can cost more than its caller permits, or null. Throws INVALID_REQUEST. */
function limitRefusal(
  limit: unknown,
  maximum: number,
  unitCredits: number | null,
): ApiError | null {
  if (limit === undefined) return null
  if (typeof limit !== 'number' || !Number.isSafeInteger(limit) || limit < 0) {
    const message = 'must be an integer from 0'
    throw invalidRequest([{ field: 'max_credits', in: 'body', message }])
  }
  return maximum > limit ? callLimitExceeded(maximum, limit, unitCredits) : null
}

/** The parts of a request, from one flat object: what is not known belongs to the body, or to the query without one. */
function partsFor({ request }: Operation) {
  const { path, query } = request.schemas
  const inPath = new Set(Object.keys(Object(path?.properties)))
  const inQuery = new Set(Object.keys(Object(query?.properties)))
  const rest = request.hasBody ? 'body' : 'query'
  return (input: Params) => {
    const members = { path: [], query: [], body: [] } as Record<Part, [string, unknown][]>
    for (const member of Object.entries(input)) {
      const [name] = member
      members[inPath.has(name) ? 'path' : inQuery.has(name) ? 'query' : rest].push(member)
    }
    return {
      path: Object.fromEntries(members.path),
      query: Object.fromEntries(members.query),
      body: request.hasBody ? Object.fromEntries(members.body) : undefined,
    }
  }
}

type Part = 'path' | 'query' | 'body'

const maxEndpointLength = 2048

/** The path of the REST request, as far as the values of its placeholders are there. */
function endpointOf(route: string, values: Params): string {
  if (!route.includes('{')) return route
  const path = route.replaceAll(/\{([a-z_]+)\}/g, (placeholder, name) => {
    const value = values[name]
    return typeof value === 'string' ? encodeURIComponent(value.toWellFormed()) : placeholder
  })
  return withoutKeys(path).slice(0, maxEndpointLength)
}
