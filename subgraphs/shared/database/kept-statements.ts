import type { SilenceWatch } from './health/silence-watch.ts'
import {
  type ConnectionUse,
  createKeptConnections,
  type KeptConnections,
  type KeptConnectionsOptions,
} from './kept/kept-connections.ts'
import type { Prepared } from './kept/kept-message.ts'
import {
  type KeptStatement,
  refuseUntypedPlaceholders,
  type ServiceStatement,
  types,
} from './statement.ts'
import { everyone, everyonesSession, setTenant, type Tenant } from './tenant.ts'

/** Runs the statements of the hot path, on connections of their own. */
export interface KeptStatements {
  run<Row extends object>(
    statement: ServiceStatement | KeptStatement<'tenant'>,
    values: readonly unknown[],
    tenant: Tenant,
  ): Promise<Row[]>
  readonly use: () => readonly ConnectionUse[]
  endAll(): void
  close(): Promise<void>
}

/** How many connections are kept for statements of each kind, at least one. */
export interface KeptShare {
  readonly service: number
  readonly tenant: number
}

export function shareOf(poolSize: number): KeptShare {
  return {
    service: Math.max(1, Math.round(poolSize * 0.375)),
    tenant: Math.max(1, Math.round(poolSize * 0.2)),
  }
}

interface KeptStatementsOptions {
  readonly connection: KeptConnectionsOptions['connection']
  readonly share: KeptShare
  readonly silence: SilenceWatch
  /** How long to wait for the answer to a statement. */
  readonly timeoutMs: number
  /** Told how many connections more may be kept ones from now on. */
  readonly takePlaces: (count: number) => void
}

/**
 * A statement of the hot path finds its rows by an index, whatever the statistics of a growing table say just
 * now: its plan is made once, of nested loops. Without JIT, because the plans that are left may look
 * expensive, and PostgreSQL would compile them at each execution.
 */
const hotPlans = [
  ...['plan_cache_mode=force_generic_plan', 'jit=off'],
  ...['enable_seqscan=off', 'enable_bitmapscan=off'],
  ...['enable_hashjoin=off', 'enable_mergejoin=off', 'enable_memoize=off'],
]

/** One locked row must not hold up the statements of all others: see `ServiceStatement.givesUpLocks`. */
const serviceSession = [everyonesSession, ...[...hotPlans, 'lock_timeout=100ms'].map(asOption)]

/**
 * Whether a statement gave up a lock that another transaction holds; it has changed nothing. A database
 * failure has it as `isLockTimeout` in its extensions.
 */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03'
}

function asOption(setting: string): string {
  return `-c ${setting}`
}

const setter: Prepared = {
  name: 'set-kept-tenant',
  text: setTenant('$1'),
  parameters: ['text'],
}

/** The session of one set of connections is everyone's, that of the other is nobody's. */
export function createKeptStatements(options: KeptStatementsOptions): KeptStatements {
  const { connection, share, silence, timeoutMs, takePlaces } = options
  const sets = new Map<'service' | 'tenant', KeptConnections>()
  const known = new WeakSet<object>()

  function setOf(kept: 'service' | 'tenant'): KeptConnections {
    const opened = sets.get(kept)
    if (opened) return opened
    const isService = kept === 'service'
    const maxConnections = share[kept]
    const session = isService ? serviceSession : []
    const made = createKeptConnections({
      connection: { ...connection, options: [connection.options, ...session].join(' ') },
      maxConnections,
      timeoutMs,
      types,
      setter: isService ? null : setter,
      suspectSilence: () => silence.look(),
    })
    sets.set(kept, made)
    takePlaces(maxConnections)
    return made
  }

  return {
    async run(statement, values, tenant) {
      const { name, kept } = statement
      if (kept === 'service' && tenant !== everyone) {
        throw new Error(
          `"${name}" sees the rows of all tenants: only the view of everyone runs it.`,
        )
      }
      if (!known.has(statement)) {
        refuseUntypedPlaceholders(statement)
        known.add(statement)
      }
      silence.refuseInSilence()
      return setOf(kept).run(statement, values, tenant)
    },
    use: () => [...sets.values()].map((set) => set.use()),
    endAll() {
      for (const set of sets.values()) set.endAll()
    },
    async close() {
      await Promise.all([...sets.values()].map((set) => set.close()))
    },
  }
}
