import pg from 'pg'

/** A borrower needs less time than this to release a connection that broke. */
const releaseMs = 1000

interface LentConnections {
  readonly watch: (pool: pg.Pool) => void
  /** Ends the lent connections: callers that wait for an answer get an error. */
  readonly endAll: () => void
}

/**
 * A connection that is lent for longer than `maxLentMs` has gone silent, and is ended: MikroORM waits for an answer
 * without a limit. Kysely also keeps a connection that broke inside a transaction, because COMMIT and
 * ROLLBACK both fail on it; ending it frees its place in the pool.
 */
export function createLentConnections(maxLentMs: number): LentConnections {
  const lent = new Map<pg.PoolClient, NodeJS.Timeout>()
  return {
    watch(pool) {
      pool.on('acquire', (client) => {
        lent.set(client, setTimeout(cut, maxLentMs, client).unref())
      })
      pool.on('release', (_error, client) => {
        clearTimeout(lent.get(client))
        lent.delete(client)
        // Wire connections have taken the place of this connection; the pool lets go of a client that
        // ends.
        if (pool.totalCount > pool.options.max) end(client)
      })
      pool.on('connect', (client) => {
        client.once('end', () => {
          setTimeout(() => {
            if (lent.has(client)) client.release(true)
          }, releaseMs)
        })
      })
    },
    endAll() {
      for (const client of lent.keys()) cut(client)
    },
  }
}

/** Cuts a connection that went silent, without a goodbye: the server would not answer that either. */
function cut(client: pg.PoolClient): void {
  end(client)
  if (client instanceof pg.Client) client.connection.stream.destroy()
}

/** Ends a connection. If a statement is under way, the socket is destroyed. */
export function end(client: pg.Client | pg.PoolClient): void {
  if (client instanceof pg.Client) void client.end().catch(() => {})
}
