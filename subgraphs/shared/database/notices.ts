import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Announced with an account's id when something about it changed. */
export const staleChannel = 'gateway_stale'

interface NoticesOptions {
  readonly url: string
  /** A name in SQL. */
  readonly channel: string
  /** Announced at the commit of a transaction, here or in another process. */
  readonly onNotice: (payload: string) => void
  /** Notices may have been missed. */
  readonly onGap: () => void
}

export interface Notices {
  close(): Promise<void>
}

const retryPauseMs = 500

/** Listens to what is announced in a database; comes back by itself after an outage. */
export function listenForNotices(options: NoticesOptions): Notices {
  const { url, channel, onNotice, onGap } = options
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
      connection.on('notification', ({ payload }) => onNotice(payload ?? ''))
      try {
        await connection.connect()
        await connection.query(`LISTEN ${channel}`)
        onGap()
        await lost
      } catch {
        // The database is away. The next round tries again; until then whoever listens is on his own.
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
