import type { Operation } from '../../schema/catalog/operation.ts'
import type { RequestInput } from '../../schema/catalog/request-validator.ts'
import { invalidRequest } from '../http/errors.ts'

/** The input of a request for an operation, as it was read. */
export interface GivenRequest {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** The checked input of an operation. Throws INVALID_REQUEST with every offending field. */
export function checkRequest(
  { request }: Operation,
  { params, query, body }: GivenRequest,
): RequestInput {
  const checked = request.check({ path: params, query, body })
  if ('query' in checked) return checked
  throw invalidRequest(checked)
}
