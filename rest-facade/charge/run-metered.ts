import type { Request, RequestHandler } from 'express'
import { type Operation, takesIdempotencyKey } from '../../schema/catalog/operation.ts'
import { parseScenario, scenarioForms, scenarioHeader } from '../../schema/catalog/scenario.ts'
import { HttpAnswering } from '../http/answering.ts'
import { type Call, callOf, headerOf } from '../http/call.ts'
import { invalidRequest } from '../http/errors.ts'
import { dropBody } from '../http/large-body.ts'
import { type ChargeCallOptions, chargeCall } from './charge-call.ts'
import { checkRequest } from './check-request.ts'
import { type IdempotencyOptions, idempotencyKeyOf } from './idempotency.ts'

/** What product operations are run with. */
export interface MeteredOptions extends ChargeCallOptions {
  readonly idempotency: IdempotencyOptions
}

/** The way of HTTP to a charged call. Throws INVALID_REQUEST, and what `chargeCall` throws. */
export function runMetered(operation: Operation, options: MeteredOptions): RequestHandler {
  return function runMetered(req, res, next) {
    const call = callOf(res)
    const input = checkRequest(operation, req)
    const scenario = sandboxScenario(call, req)
    const key = takesIdempotencyKey(operation)
      ? idempotencyKeyOf(req, call, options.idempotency)
      : null
    try {
      chargeCall(operation, options, { call, input, key, scenario }, new HttpAnswering(res, next))
    } finally {
      // The module may take long: meanwhile nothing refers to the parsed body.
      dropBody(req, res)
    }
  }
}

/** Only the sandbox reads this header; the live listener ignores it. */
function sandboxScenario({ environment }: Call, req: Request): string | null {
  const header = headerOf(req, scenarioHeader.toLowerCase())
  if (environment !== 'sandbox' || header === '') return null
  if (parseScenario(header)) return header.trim()
  const message = `must be one of ${scenarioForms}`
  throw invalidRequest([{ field: scenarioHeader, in: 'header', message }])
}
