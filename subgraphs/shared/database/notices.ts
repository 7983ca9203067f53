import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { connectTimeoutMs } from './health/connect-timeout.ts'

/** The channel carries the id of an account when something about the account has changed. */
export const staleChannel = 'gateway_stale'

interface NoticesOptions {
  readonly url: string
  /**
   * Listeners by channel, an identifier in SQL. A listener is called when a transaction with a notice
   * commits, in this or another process.
   */
  readonly channels: Readonly<Record<string, (payload: string) => void>>
  /** Is called when notices may have been missed. */
  readonly onGap: () => void
}

export interface Notices {
  close(): Promise<void>
}

const retryPauseMs = 500

/** Listens to the notices of a database, and reconnects by itself after an outage. */
export function listenForNotices(options: NoticesOptions): Notices {
  const { url, channels, onGap } = options
  let client: pg.Client | null = null
  let isClosed = false

  async function keepListening(): Promise<void> {
    while (!isClosed) {
      const connection = new pg.Client({
        connectionString: url,
        application_name: 'credit-gateway notices',
        connectionTimeoutMillis: connectTimeoutMs(url),
        keepAlive: true,
      })
      client = connection
      const lost = new Promise<void>((resolve) => {
        connection.on('error', () => resolve())
        connection.once('end', () => resolve())
      })
      connection.on('notification', ({ channel, payload }) => channels[channel]?.(payload ?? ''))
      try {
        await connection.connect()
        for (const channel of Object.keys(channels)) await connection.query(`LISTEN ${channel}`)
        onGap()
        await lost
      } catch {
        // The database is unavailable. The next round tries again; until then no notices arrive.
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
