import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

interface StaleNoticesOptions {
  readonly url: string
  /** Something about this account changed, here or in another process. */
  readonly onStale: (accountId: string) => void
  /** Notices may have been missed: nothing that is remembered can be trusted. */
  readonly onGap: () => void
}

export interface StaleNotices {
  close(): Promise<void>
}

const retryPauseMs = 500

/** Listens to what the tables' triggers announce at commit; comes back by itself after an outage. */
export function listenForStaleNotices(options: StaleNoticesOptions): StaleNotices {
  const { url, onStale, onGap } = options
  let client: pg.Client | null = null
  let isClosed = false

  async function keepListening(): Promise<void> {
    while (!isClosed) {
      const connection = new pg.Client({
        connectionString: url,
        application_name: 'credit-gateway notices',
        connectionTimeoutMillis: 2000,
        keepAlive: true,
      })
      client = connection
      const lost = new Promise<void>((resolve) => {
        connection.on('error', () => resolve())
        connection.once('end', () => resolve())
      })
      connection.on('notification', ({ payload }) => onStale(payload ?? ''))
      try {
        await connection.connect()
        await connection.query('LISTEN gateway_stale')
        onGap()
        await lost
      } catch {
        // The database is away. The next round tries again; until then caches end by their age.
      }
      if (!isClosed) await sleep(retryPauseMs, undefined, { ref: false })
    }
  }

  void keepListening()
  return {
    async close() {
      isClosed = true
      await client?.end().catch(() => {})
    },
  }
}
