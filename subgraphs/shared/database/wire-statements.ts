import type { SilenceWatch } from './health/silence-watch.ts'
import {
  refuseUntypedPlaceholders,
  type ServiceStatement,
  types,
  type WireStatement,
} from './statement.ts'
import { allTenants, sessionOfAllTenants, setTenant, type Tenant } from './tenant.ts'
import {
  type ConnectionUse,
  createWireConnections,
  type WireConnections,
  type WireConnectionsOptions,
} from './wire/wire-connections.ts'
import type { Prepared } from './wire/wire-message.ts'

/** Runs the statements of the hot path, on connections of their own. */
export interface WireStatements {
  run<Row extends object>(
    statement: ServiceStatement | WireStatement<'tenant'>,
    values: readonly unknown[],
    tenant: Tenant,
  ): Promise<Row[]>
  readonly use: () => readonly ConnectionUse[]
  endAll(): void
  close(): Promise<void>
}

/** How many connections wire statements of each kind have for themselves, at least one. */
export interface WireShare {
  readonly service: number
  readonly tenant: number
}

export function shareOf(poolSize: number): WireShare {
  return {
    service: Math.max(1, Math.round(poolSize * 0.375)),
    tenant: Math.max(1, Math.round(poolSize * 0.2)),
  }
}

interface WireStatementsOptions {
  readonly connection: WireConnectionsOptions['connection']
  readonly share: WireShare
  readonly silence: SilenceWatch
  /** How long to wait for the answer to a statement. */
  readonly timeoutMs: number
  /** Receives the number of connections that the wire takes from the pool from now on. */
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
const serviceSession = [sessionOfAllTenants, ...[...hotPlans, 'lock_timeout=100ms'].map(asOption)]

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
  name: 'set-wire-tenant',
  text: setTenant('$1'),
  parameters: ['text'],
}

/**
 * Opens two sets of connections. Sessions of the first set see the rows of all tenants; sessions of the
 * second set see no rows until the setter names a tenant.
 */
export function createWireStatements(options: WireStatementsOptions): WireStatements {
  const { connection, share, silence, timeoutMs, takePlaces } = options
  const sets = new Map<'service' | 'tenant', WireConnections>()
  const known = new WeakSet<object>()

  function setOf(session: 'service' | 'tenant'): WireConnections {
    const opened = sets.get(session)
    if (opened) return opened
    const isService = session === 'service'
    const maxConnections = share[session]
    const settings = isService ? serviceSession : []
    const made = createWireConnections({
      connection: { ...connection, options: [connection.options, ...settings].join(' ') },
      maxConnections,
      timeoutMs,
      types,
      setter: isService ? null : setter,
      suspectSilence: () => silence.look(),
    })
    sets.set(session, made)
    takePlaces(maxConnections)
    return made
  }

  return {
    async run(statement, values, tenant) {
      const { name, wire: session } = statement
      if (session === 'service' && tenant !== allTenants) {
        throw new Error(
          `"${name}" sees the rows of all tenants: only the view of all tenants runs it.`,
        )
      }
      if (!known.has(statement)) {
        refuseUntypedPlaceholders(statement)
        known.add(statement)
      }
      silence.refuseInSilence()
      return setOf(session).run(statement, values, tenant)
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
