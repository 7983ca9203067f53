import { stringify } from 'node:querystring'
import type { Catalog } from '../../../schema/catalog/load-catalog.ts'
import type { Operation } from '../../../schema/catalog/operation.ts'
import type { RequestInput } from '../../../schema/catalog/request-validator.ts'
import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { bodyProblem } from '../../http/body-shape.ts'
import { ApiError, invalidRequest } from '../../http/errors.ts'
import { productRefusal } from '../../steps/authenticate-session.ts'
import { parseQuery } from '../../steps/dispatch/query.ts'
import { scopeCheck } from '../../steps/require-scope.ts'
import { checkRequest, type GivenRequest } from '../check-request.ts'
import { unitCreditsOf } from '../shortages.ts'
import { createProductFinder } from './product-finder.ts'
import type { QuotedCall } from './quote-body.ts'

/** The range of a call's cost. */
export interface Price {
  readonly minimum: number
  readonly maximum: number
  /** The name of the list whose items are paid for; null for a fixed price. */
  readonly unit: string | null
  /** The name of one unit for people, such as `result`; null for a fixed price. */
  readonly unitName: string | null
  /** The price of a unit, if the request says how many there may be. */
  readonly unitCredits: number | null
}

interface JudgeOptions {
  readonly catalog: Catalog
  /** `{base_url}/v1` */
  readonly issuer: string
}

type Judge = (quoted: QuotedCall, caller: AccountCaller) => Price | ApiError

/**
 * Judges a call by the code that a real call passes, up to its hold. Returns its price or its refusal.
 * The scope comes before the body, as on the way of a real call.
 */
export function createJudge({ catalog, issuer }: JudgeOptions): Judge {
  const findProduct = createProductFinder(catalog)
  const scopeChecks = new Map(
    catalog.services.flatMap(({ operations }) =>
      operations.map((operation) => [operation, scopeCheck(operation, issuer)]),
    ),
  )
  return function judge({ method, path, query = {}, body }, caller) {
    const { pathname, search } = addressOf(path, query)
    const found = findProduct(method, pathname)
    if (!found) return noProduct(method, pathname)
    const { operation, params } = found
    const refusal = productRefusal(caller) ?? scopeChecks.get(operation)?.(caller)
    if (refusal) return refusal
    try {
      return priceOf(operation, readRequest(operation, { params, query: parseQuery(search), body }))
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
  }
}

function noProduct(method: string, pathname: string): ApiError {
  return new ApiError('NOT_FOUND', `${method} ${pathname.slice(0, 200)} is no product operation.`)
}

/** The address as a client would send it: the parameters of `query` follow those in the path. */
function addressOf(path: string, query: NonNullable<QuotedCall['query']>) {
  const [pathname = '', ...inPath] = path.split('?')
  const more = Object.entries(query).map(([name, value]) => [name, textsOf(value)])
  const texts = [inPath.join('?'), stringify(Object.fromEntries(more))]
  return { pathname, search: texts.filter((text) => text !== '').join('&') }
}

function textsOf(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return values.map(String)
}

/** Reads the input of a quoted call; an operation without a body reads none. Throws INVALID_REQUEST. */
function readRequest(operation: Operation, given: GivenRequest): RequestInput {
  const { request } = operation
  if (!request.hasBody) return checkRequest(operation, { ...given, body: undefined })
  const problem = given.body === undefined ? null : bodyProblem(given.body)
  if (problem) throw invalidRequest([...request.problemsBesideBody(given), problem])
  return checkRequest(operation, given)
}

function priceOf(operation: Operation, input: RequestInput): Price {
  const { price } = operation
  return {
    minimum: price.minimumOf(input),
    maximum: price.maximumOf(input),
    unit: price.unitsAt?.at(-1) ?? null,
    unitName: price.unitName,
    unitCredits: unitCreditsOf(operation),
  }
}
