import pg from 'pg'
import { RefusedUnsent, SilentDatabase } from '../health/silence-watch.ts'
import { type Prepared, runMessages } from './wire-message.ts'
import { type PreparedOn, WireRun } from './wire-run.ts'

export interface ConnectionUse {
  readonly inUse: number
  readonly idle: number
  /** Statements that wait for a connection. */
  readonly waiting: number
}

/**
 * Connections that are opened when they are first needed, and then stay open. Each runs one statement at a
 * time, which is a transaction of its own.
 */
export interface WireConnections {
  /**
   * Rejects with RefusedUnsent when the statement was not sent; after any other error of a connection, nobody
   * knows whether it was committed. `setting` is the parameter of the setter.
   */
  run<Row extends object>(
    statement: Prepared,
    values: readonly unknown[],
    setting: string,
  ): Promise<Row[]>
  readonly use: () => ConnectionUse
  /** Tells everybody who waits that the database is silent. */
  endAll(): void
  /** Resolves when the statements under way are over. */
  close(): Promise<void>
}

export interface WireConnectionsOptions {
  /**
   * The configuration of a connection. A statement waits for one as long as `connectionTimeoutMillis` says.
   */
  readonly connection: pg.ClientConfig & { readonly connectionTimeoutMillis: number }
  readonly maxConnections: number
  /**
   * How long an answer is waited for: more than the statement_timeout, because a statement that we report as
   * failed must not commit afterwards.
   */
  readonly timeoutMs: number
  readonly types: pg.CustomTypesConfig
  /** The statement that runs ahead of each statement, in its transaction; null: there is none. */
  readonly setter: Prepared | null
  /** Is called again and again while a statement waits for long. */
  readonly suspectSilence: () => void
}

/** The most statements that wait for a connection; a further one is refused. */
const maxWaiting = 1000
const watchMs = 100
/** A longer wait may be a sign of a silent database. */
const longWaitMs = 300
/** The connections may be idle for hours; the network must not drop them. */
const keepAliveMs = 10_000

/** The error of a statement that got no connection. Its code is that of an address that does not answer. */
class NoConnection extends Error {
  override readonly name = 'NoConnection'
  readonly code = 'ETIMEDOUT'
}

/** The error of pg's client when it could not connect in time; it has no code. */
function isTooLate(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout expired'
}

function notOpened(): NoConnection {
  return new NoConnection('No connection was opened in time.')
}

interface WireConnection {
  readonly client: pg.Client
  readonly prepared: PreparedOn
  run: WireRun | null
  /** The name of the statement that it ran last. */
  ranLast: string
  /** Since when the connection is not ready; null: it is ready. */
  busySinceMs: number | null
}

// oxlint-disable-next-line max-lines-per-function -- its short functions share the connections and the line of waiting statements.
export function createWireConnections(options: WireConnectionsOptions): WireConnections {
  const { connection, maxConnections, timeoutMs, types, setter, suspectSilence } = options
  const all = new Set<WireConnection>()
  const idle: WireConnection[] = []
  let waiting: WireRun[] = []
  let opening = 0
  let isClosed = false
  let watch: NodeJS.Timeout | null = null
  let tellClosed = () => {}

  function ask(run: WireRun): void {
    if (isClosed) throw new RefusedUnsent(new NoConnection('The connections are closed.'))
    const free = takeIdle(run.name)
    if (free) {
      start(free, run)
    } else {
      if (waiting.length >= maxWaiting) {
        throw new RefusedUnsent(new NoConnection('Too many statements wait for a connection.'))
      }
      waiting.push(run)
      if (waiting.length > opening) open()
    }
    watch ??= setInterval(look, watchMs).unref()
  }

  /** A backend that ran the statement a moment ago has its plan, its relations and their pages at hand. */
  function takeIdle(name: string): WireConnection | undefined {
    const place = idle.findLastIndex(({ ranLast }) => ranLast === name)
    return idle.splice(Math.max(place, 0), 1)[0]
  }

  function start(wire: WireConnection, run: WireRun): void {
    wire.run = run
    wire.ranLast = run.name
    wire.busySinceMs = performance.now()
    run.use(wire.prepared)
    wire.client.query(run)
  }

  /** The connection has answered all, also after an error. */
  function becomeReady(wire: WireConnection): void {
    if (wire.busySinceMs === null || !all.has(wire)) return
    if (wire.run?.hasMetStandby) {
      drop(wire)
      return
    }
    wire.run = null
    wire.busySinceMs = null
    const next = waiting.shift()
    if (next) start(wire, next)
    else if (isClosed) drop(wire)
    else idle.push(wire)
  }

  function drop(wire: WireConnection): void {
    if (!all.delete(wire)) return
    const place = idle.indexOf(wire)
    if (place >= 0) idle.splice(place, 1)
    void wire.client.end().catch(() => {})
    if (waiting.length > 0) open()
    noteClosed()
  }

  /** A silent connection is closed without a goodbye, because that would get no answer either. */
  function cut(wire: WireConnection, reason: Error): void {
    wire.run?.fail(reason)
    drop(wire)
    wire.client.connection.stream.destroy()
  }

  function open(): void {
    if (all.size + opening >= maxConnections) return
    opening += 1
    const client = new pg.Client({
      ...connection,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
    })
    const busySinceMs = performance.now()
    const wire: WireConnection = {
      client,
      prepared: new Map(),
      run: null,
      ranLast: '',
      busySinceMs,
    }
    client.on('error', () => drop(wire))
    client.once('end', () => drop(wire))
    client.connect().then(
      () => {
        opening -= 1
        all.add(wire)
        client.on('drain', () => becomeReady(wire))
        becomeReady(wire)
      },
      (error: unknown) => {
        opening -= 1
        // Other connections may still become free for the statements that wait.
        if (all.size + opening === 0) refuseWaiting(isTooLate(error) ? notOpened() : error)
        void client.end().catch(() => {})
        noteClosed()
      },
    )
  }

  function noteClosed(): void {
    if (isClosed && all.size + opening === 0) tellClosed()
  }

  function refuseWaiting(reason: unknown): void {
    const refused = waiting
    waiting = []
    for (const run of refused) run.fail(new RefusedUnsent(reason))
  }

  function look(): void {
    const now = performance.now()
    let longestMs = waiting[0] ? now - waiting[0].askedMs : 0
    while (waiting[0] && now - waiting[0].askedMs > connection.connectionTimeoutMillis) {
      const late = new NoConnection('No connection became free in time.')
      waiting.shift()?.fail(new RefusedUnsent(late))
    }
    for (const wire of all) {
      const busyMs = wire.busySinceMs === null ? 0 : now - wire.busySinceMs
      longestMs = Math.max(longestMs, busyMs)
      if (busyMs > timeoutMs) cut(wire, new SilentDatabase())
    }
    if (longestMs > longWaitMs) suspectSilence()
    if (waiting.length > 0 || idle.length < all.size) return
    if (watch) clearInterval(watch)
    watch = null
  }

  return {
    run: <Row extends object>(
      statement: Prepared,
      values: readonly unknown[],
      setting: string,
    ): Promise<Row[]> =>
      new Promise((resolve, reject) => {
        const ahead = setter && { statement: setter, value: setting }
        const messages = runMessages(statement, values, ahead)
        ask(new WireRun({ statement, setter, messages, types, resolve, reject, retry }))
      }),
    use: () => ({
      inUse: all.size + opening - idle.length,
      idle: idle.length,
      waiting: waiting.length,
    }),
    endAll() {
      refuseWaiting(new SilentDatabase())
      for (const wire of [...all]) {
        if (wire.busySinceMs !== null) cut(wire, new SilentDatabase())
      }
    },
    async close() {
      isClosed = true
      refuseWaiting(new NoConnection('The connections are closed.'))
      const closed = new Promise<void>((resolve) => {
        tellClosed = resolve
      })
      for (const wire of [...idle]) drop(wire)
      if (all.size + opening > 0) await closed
    },
  }

  /**
   * Runs the statement once more: the connection becomes ready at once, and takes the statement that
   * waits first.
   */
  function retry(run: WireRun): void {
    waiting.unshift(run)
  }
}
