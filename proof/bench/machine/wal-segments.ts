import { withSession } from './sessions.ts'

const segments = 32
const segmentMiB = 16

/**
 * Makes the segments of the write-ahead log that a server which has been in use keeps for later. A new server makes
 * one whenever 16 MiB are full; all commits wait for it, 50 to 600 ms, and whatever is measured then has them in its p99.
 */
export async function makeWalSegments(superuserUrl: string): Promise<void> {
  await withSession(superuserUrl, async (client) => {
    await client.query(`ALTER SYSTEM SET min_wal_size = '${segments * segmentMiB}MB'`)
    await client.query('SELECT pg_reload_conf()')
    for (let segment = 0; segment < segments; segment += 1) {
      await client.query(`SELECT pg_logical_emit_message(false, 'bench', ''), pg_switch_wal()`)
    }
    await client.query('CHECKPOINT')
  })
}
