import type { ServiceSlug } from '../vocabulary/scopes.ts'
import type { OperationFile } from './catalog-file.ts'
import type { Deprecation } from './deprecation.ts'
import type { RequestInput, RequestValidator } from './request-validator.ts'

/** One product operation, ready to be served. */
export interface Operation {
  readonly id: string
  readonly service: ServiceSlug
  readonly serviceName: string
  readonly backendModule: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below /v1/<slug>, with {placeholders}. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly scope: string
  readonly isIdempotent: boolean
  readonly price: PriceRule
  readonly request: RequestValidator
  readonly deprecated?: Deprecation
  /** The entry of its file, for the documentation. */
  readonly declared: OperationFile
  readonly response: { readonly status: number; readonly schema: Readonly<Record<string, unknown>> }
}

/** Whether an operation uses idempotency keys: a repetition would change something or cost credits again. */
export function takesIdempotencyKey({ method, price }: Operation): boolean {
  return method !== 'GET' || price.maximum > 0
}

/** Calculates a price: the maximum before the call, and the real price after it. */
export interface PriceRule {
  /** The highest price of any request, in credits. */
  readonly maximum: number
  /** The highest price of this request. */
  maximumOf(input: RequestInput): number
  /** The lowest price of a success of this request; the highest too, where the units are known. */
  minimumOf(input: RequestInput): number
  /** The path of the units in the response, or null for a flat price. */
  readonly unitsAt: readonly string[] | null
  /** The name of one unit, such as `result`; null for a flat price. */
  readonly unitName: string | null
  readonly creditsPerUnit: number
  /** Whether the request says how many units there may be. */
  readonly isBounded: boolean
}
