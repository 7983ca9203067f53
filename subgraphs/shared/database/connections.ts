import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { AccountTurns } from './health/account-turns.ts'
import { connectTimeoutMs } from './health/connect-timeout.ts'
import { createLentConnections } from './health/lent-connections.ts'
import { type SilenceWatch, watchForSilence } from './health/silence-watch.ts'
import { defaultTimeoutMs, planOnce, sessionSettingsWithin } from './sessions.ts'
import type { ConnectionUse } from './wire/wire-connections.ts'
import {
  createWireStatements,
  shareOf,
  type WireShare,
  type WireStatements,
} from './wire-statements.ts'

/** The connections of a process to one database. All subgraphs that have their tables there share them. */
export interface Connections {
  readonly url: string
  /** The pool for transactions, and for statements that have no `wire`. */
  readonly pool: pg.Pool
  readonly wire: WireStatements
  /** The turns of single accounts on the pool. */
  readonly turns: AccountTurns
  readonly silence: SilenceWatch
  readonly warn: (message: string) => void
  /** How long to wait for the answer to a statement. */
  readonly timeoutMs: number
  /** How many connections there are, by what they do. */
  readonly use: () => ConnectionUse
  /** Resolves when the statements under way are over. */
  close(): Promise<void>
}

export interface PoolSize {
  /** The most connections, those of the wire included. */
  readonly poolSize: number
  /** The part of the connections that wire statements have for themselves. */
  readonly wire: WireShare
}

interface ConnectionsOptions {
  readonly url: string
  readonly poolSize: number
  /** How long to wait for the answer to a statement; by default five seconds. */
  readonly timeoutMs?: number
  /**
   * The connections of the wire. By default three eighths of all connections are for batches of many
   * accounts, and a fifth for statements of one account each.
   */
  readonly wire?: WireShare
  /** The name of the subgraphs that share the connections: PostgreSQL shows it in its list of sessions. */
  readonly name: string
  /** Receives warnings, for example about connections that broke while they were idle. */
  readonly warn: (message: string) => void
}

/** How long an idle connection stays open: to open one takes longer than most statements. */
const idleTimeoutMillis = 300_000
/** A working database answers a trivial question sooner than in this share of the time of a statement. */
const silentShare = 0.2
/**
 * The length of the longest transaction, in times of a statement: a connection that is lent for
 * longer has gone silent.
 */
const longestTransaction = 3
/** A statement waits for a connection for this share of the time of a statement. */
const connectShare = 0.4
/**
 * The part of the pool for the statements of single accounts, for which batches of all accounts must not
 * wait.
 */
const accountsShare = 0.5
/** Packets that keep the network from dropping an idle connection. */
const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }

/** A connection is opened only when a statement needs it. */
export async function openConnections(options: ConnectionsOptions): Promise<Connections> {
  const { url, poolSize, warn, timeoutMs = defaultTimeoutMs } = options
  const patienceMs = timeoutMs * connectShare
  const session = {
    connectionTimeoutMillis: connectTimeoutMs(url, patienceMs),
    options: `${sessionSettingsWithin(timeoutMs)} ${planOnce}`,
    application_name: `credit-gateway ${options.name}`,
  }
  const lent = createLentConnections(timeoutMs * longestTransaction)
  const opened = openPool({ url, poolSize, warn, session, onPoolCreated: lent.watch })
  const pool = await nativePool(opened)
  const silence = watchForSilence(url, {
    silentMs: timeoutMs * silentShare,
    onSilence() {
      lent.endAll()
      wire.endAll()
    },
  })
  const wire = createWireStatements({
    connection: { connectionString: url, ...session },
    share: options.wire ?? shareOf(poolSize),
    silence,
    timeoutMs,
    takePlaces(count) {
      pool.options.max = Math.max(1, pool.options.max - count)
    },
  })
  const most = () => Math.ceil((pool.options.max ?? poolSize) * accountsShare)
  const turns = new AccountTurns({ most, patienceMs })
  return {
    ...{ url, pool, wire, turns, silence, warn, timeoutMs },
    use() {
      const { totalCount, idleCount, waitingCount } = pool
      const waiting = waitingCount + turns.waiting
      const pooled = { inUse: totalCount - idleCount, idle: idleCount, waiting }
      return wire.use().reduce(
        (sum, use) => ({
          inUse: sum.inUse + use.inUse,
          idle: sum.idle + use.idle,
          waiting: sum.waiting + use.waiting,
        }),
        pooled,
      )
    },
    async close() {
      await wire.close()
      await opened.close(true)
      await silence.close()
    },
  }
}

interface PoolOptions extends Pick<ConnectionsOptions, 'url' | 'poolSize' | 'warn'> {
  readonly session: Readonly<Record<string, unknown>>
  readonly onPoolCreated: (pool: pg.Pool) => void
}

/** MikroORM makes the pool, with its own parsers, which entities need. */
function openPool({ url, poolSize, warn, session, onPoolCreated }: PoolOptions) {
  return new MikroORM({
    clientUrl: url,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    pool: { min: 0, max: poolSize, idleTimeoutMillis },
    colors: false,
    logger: warn,
    driverOptions: { ...session, ...keepAlive, onPoolCreated },
  })
}

async function nativePool(opened: ReturnType<typeof openPool>): Promise<pg.Pool> {
  const client: unknown = await opened.em.getConnection().getNativeClient()
  if (client instanceof pg.Pool) return client
  throw new Error('MikroORM does not hand out its connection pool.')
}
