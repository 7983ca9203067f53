import type { InputSchemas } from '../../http/input.ts'
import type { CorsPolicy } from '../../steps/cors.ts'
import type { Step } from '../../steps/dispatch/steps.ts'
import type { Protection } from '../../steps/require-scope.ts'
import type { OpenapiPart } from './openapi/openapi-part.ts'
import type { RouteKind, RouteRow, SuccessStatus } from './route.ts'
import type { RouteTools } from './route-tools.ts'

/**
 * A route as its kind has made it from a row: the row, its steps, its part of the OpenAPI document.
 */
export interface Route extends RouteRow, InputSchemas, Partial<Protection> {
  readonly kind: RouteKind
  /** The path is not below /v1. */
  readonly isRooted?: boolean
  /** The name of the route in the documentation; without one, the name of the operation. */
  readonly operationId?: string
  readonly status?: SuccessStatus
  /** Some results are 202. */
  readonly isLater?: unknown
  /** Which origins may read the answers; any, unless set. */
  readonly cors?: CorsPolicy
  /** The steps of a request, in order. */
  readonly steps: (tools: RouteTools) => readonly Step[]
  readonly openapi: OpenapiPart
}

/** A route of one kind, with the members of its row. */
export type RouteOf<Kind extends RouteKind, Row> = Route & Row & { readonly kind: Kind }
