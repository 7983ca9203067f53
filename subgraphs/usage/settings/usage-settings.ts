import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { FileStorage } from '../exports/file-storage/file-storage.ts'

/** The settings of the usage subgraph. */
export interface UsageSettings {
  /** The usage log is kept for this long; for ever if it is 0 or absent. */
  readonly usageLogRetentionDays?: number
  /** Whether account holders see that operators have looked at their account; by default they do not. */
  readonly showsOperatorReads?: boolean
  /** The settings of exports; without them this process exports nothing. */
  readonly exports?: ExportSettings
}

/** The context of the resolvers of the usage subgraph. */
export interface UsageContext extends GraphContext, UsageSettings {}

/** The settings of an operator for exports. */
export interface ExportSettings {
  readonly files: FileStorage
  /** A result is kept for this long. */
  readonly retentionDays: number
  /** Receives messages for the operator. */
  readonly warn: (message: string) => void
}

/** Throws SERVICE_UNAVAILABLE where no storage is configured. */
export function requireExports({ exports }: Pick<UsageContext, 'exports'>): ExportSettings {
  if (exports) return exports
  throw new DomainError('SERVICE_UNAVAILABLE', 'This gateway does not store export results.')
}
