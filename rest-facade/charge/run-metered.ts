import type { Request, RequestHandler } from 'express'
import type { Service } from '../../schema/catalog/load-catalog.ts'
import { type Operation, takesIdempotencyKey } from '../../schema/catalog/operation.ts'
import { parseScenario, scenarioForms, scenarioHeader } from '../../schema/catalog/scenario.ts'
import { HttpAnswering, LosingAnswering } from '../http/answering.ts'
import { type Call, callOf, headerOf } from '../http/call.ts'
import { invalidRequest } from '../http/errors.ts'
import { dropBody } from '../http/large-body.ts'
import { scopeCheck } from '../steps/require-scope.ts'
import { type ChargeCallOptions, chargeCall } from './charge-call.ts'
import { checkRequest } from './check-request.ts'
import { type IdempotencyOptions, idempotencyKeyOf } from './idempotency.ts'
import { earlyRefusal } from './scenarios.ts'

/** What product operations are run with. */
export interface MeteredOptions extends ChargeCallOptions {
  readonly idempotency: IdempotencyOptions
  /** `{base_url}/v1` */
  readonly issuer: string
}

/** What the operations of a service are run with. */
export type MeteredService = (service: Service) => MeteredOptions

/**
 * Runs a charged call for a request of HTTP. Throws INVALID_REQUEST, the refusal of a scenario, and what
 * `chargeCall` throws.
 */
export function runMetered(operation: Operation, options: MeteredOptions): RequestHandler {
  const scopeRefusal = scopeCheck(operation, options.issuer)
  return function runMetered(req, res, next) {
    const call = callOf(res)
    const input = checkRequest(operation, req)
    const scenario = sandboxScenario(call, req)
    const refusal = scenario === null ? null : earlyRefusal(scenario, call, scopeRefusal)
    if (refusal) throw refusal
    const key = takesIdempotencyKey(operation)
      ? idempotencyKeyOf(req, call, options.idempotency)
      : null
    const Answering = scenario === 'hang_up' ? LosingAnswering : HttpAnswering
    try {
      chargeCall(operation, options, { call, input, key, scenario }, new Answering(res, next))
    } finally {
      // The module may take long: meanwhile nothing refers to the parsed body.
      dropBody(req, res)
    }
  }
}

/** The live listener ignores the header. Throws INVALID_REQUEST. */
export function sandboxScenario({ environment }: Call, req: Request): string | null {
  if (environment !== 'sandbox') return null
  const header = headerOf(req, scenarioHeader.toLowerCase())
  if (header === '') return null
  if (parseScenario(header)) return header.trim()
  const message = `must be one of ${scenarioForms}`
  throw invalidRequest([{ field: scenarioHeader, in: 'header', message }])
}
