import pg from 'pg'

/** Checks whether a database can be used, on a connection of its own that it keeps open. */
export interface DatabaseProbe {
  /** Throws when the database cannot be used, or accepts no changes. */
  readonly check: () => Promise<void>
  readonly close: () => Promise<void>
}

const defaultPatienceMs = 2000
/** The connection may be idle for hours; the network must not drop it. */
const keepAliveMs = 10_000

/**
 * A probe of the database. It needs no connection of a pool: when all of them are busy, the database still
 * works.
 */
export function createDatabaseProbe(url: string, patienceMs = defaultPatienceMs): DatabaseProbe {
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
    // A check in progress fails by itself; the next one makes another connection.
    connection.on('error', () => {
      if (client === connection) client = null
    })
    await connection.connect()
    return connection
  }

  async function drop(): Promise<void> {
    const dropped = client
    client = null
    // The connection is useless by now, whatever its end reports.
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
      // The end is not awaited, because a silent connection does not answer it either.
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
