import type { ProcessContext } from '../../launch/process/process-context.ts'

/** The addresses of a running role. */
export interface RoleAddresses {
  /** The addresses of the role, by listener. */
  readonly urls: Readonly<Record<string, string>>
}

/** A role starts its parts, serves, and says that it is ready. */
export type Role = (context: ProcessContext) => Promise<RoleAddresses>
