import type { ServiceSlug } from '../../schema/vocabulary/scopes.ts'
import type { Deprecation } from '../http/deprecation.ts'
import type { OperationFile } from './catalog-file.ts'
import type { RequestInput, RequestValidator } from './request-validator.ts'

/** One product operation, ready to be served. */
export interface Operation {
  readonly id: string
  readonly service: ServiceSlug
  readonly serviceName: string
  readonly backendModule: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below /v1/<slug>, with {placeholders}. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly scope: string
  readonly isIdempotent: boolean
  readonly price: PriceRule
  readonly request: RequestValidator
  readonly deprecated?: Deprecation
  /** As its file has it: for the documentation. */
  readonly declared: OperationFile
  readonly response: { readonly status: number; readonly schema: Readonly<Record<string, unknown>> }
}

/** Whether an idempotency key has a meaning for it: a second time would change something, or cost again. */
export function takesIdempotencyKey({ method, price }: Operation): boolean {
  return method !== 'GET' || price.maximum > 0
}

/** How a price is worked out: before the call its maximum, after the call what is due. */
export interface PriceRule {
  /** Credits, whatever is asked for. */
  readonly maximum: number
  /** The most that this request can cost. */
  maximumOf(input: RequestInput): number
  /** Where the response holds the units, or null for a flat price. */
  readonly unitsAt: readonly string[] | null
  readonly creditsPerUnit: number
}
