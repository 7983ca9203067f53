import type { ErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import { limitAddress } from '../../steps/rate-limit.ts'
import type { RouteOf } from './kind.ts'
import type { OperationRun, RouteRow } from './route.ts'

/** A document that any caller may read. */
interface PublicRow extends RouteRow, Pick<OperationRun, 'query' | 'headers' | 'leavesOutNull'> {
  readonly method: 'get'
  /** The path is not below /v1, because an RFC says where it is, or because people see it. */
  readonly isRooted?: boolean
  /** The name of the route in the documentation, where the operation serves several routes. */
  readonly operationId?: string
  /** Refusals of the subgraph, beyond those that follow from the row: for the documentation. */
  readonly refusals?: readonly ErrorCode[]
}

export function publicRoute(row: PublicRow): RouteOf<'public', PublicRow> {
  const kind = 'public'
  return {
    ...row,
    kind,
    steps: (tools) => [limitAddress(tools), tools.run({ ...row, kind })],
    openapi: {
      security: [],
      success: {
        headers: Object.keys(row.headers ?? {}),
        json: { leavesOutNull: row.leavesOutNull },
      },
      refusals: row.refusals,
    },
  }
}
