import pg from 'pg'

/** Tells whether a database can be used, on the one connection that it keeps for that. */
export interface DatabaseProbe {
  /** Throws when it cannot, or when it takes no changes. */
  readonly check: () => Promise<void>
  readonly close: () => Promise<void>
}

const patienceMs = 2000
/** It may be idle for hours: a network between must not forget it. */
const keepAliveMs = 10_000

/** Beside the pools: where all their connections are busy, the database is there all the same. */
export function createDatabaseProbe(url: string): DatabaseProbe {
  let client: pg.Client | null = null
  let checking: Promise<void> | null = null

  async function connect(): Promise<pg.Client> {
    const connection = new pg.Client({
      connectionString: url,
      application_name: 'credit-gateway readiness',
      connectionTimeoutMillis: patienceMs,
      query_timeout: patienceMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
    })
    // A check under way is told by its own failure; the next one makes another connection.
    connection.on('error', () => {
      if (client === connection) client = null
    })
    await connection.connect()
    return connection
  }

  async function drop(): Promise<void> {
    const dropped = client
    client = null
    // It is of no use any more, however it ends.
    await dropped?.end().catch(() => {})
  }

  async function ask(): Promise<void> {
    try {
      client ??= await connect()
      const { rows } = await client.query<{ is_standby: boolean }>(
        'SELECT pg_is_in_recovery() AS is_standby',
      )
      if (rows[0]?.is_standby) throw new Error('The database is a standby: it takes no changes.')
    } catch (error) {
      // Not awaited: a connection that went silent does not end either.
      void drop()
      throw error
    }
  }

  return {
    check: () => {
      checking ??= ask().finally(() => {
        checking = null
      })
      return checking
    },
    close: async () => {
      await checking?.catch(() => {})
      await drop()
    },
  }
}
