import type { Environment } from './caller.ts'

/** An account in one of its two environments, each of which has its own state. */
export interface AccountScope {
  readonly accountId: string
  readonly environment: Environment
}
