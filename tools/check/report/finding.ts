/**
 * `error`: something is wrong in this tree. `breaking`: a client of the base would fail.
 * `dangerous`: one might. The first two fail the check, unless a break is acknowledged.
 */
export type Severity = 'error' | 'breaking' | 'dangerous'

/** Something that `schema:check` reports. */
export interface Finding {
  /** Stable: `<area>/<kind>/<what>`. An acknowledgement names it. */
  readonly id: string
  readonly severity: Severity
  /** Below the project's root. */
  readonly file: string
  /** Counted from 1, where it is known. */
  readonly line?: number
  readonly message: string
  /** The broken clients, one row for each persisted operation; empty where none is known. */
  readonly breaks?: readonly Break[]
}

/** A persisted operation and all that executes it. */
export interface Break {
  /**
   * The name of the operation; null where a route is no operation of the graph: a product
   * operation, health.
   */
  readonly operation: string | null
  /** The routes that break, such as `GET /v1/account`. */
  readonly routes: readonly string[]
  /** Files of the gateway that execute it for itself: to authenticate, to settle, by a job. */
  readonly gateway: readonly string[]
}

/** Something that cannot be checked: said on stderr, with exit code 2. */
export class CannotCheck extends Error {
  override readonly name = 'CannotCheck'
}
