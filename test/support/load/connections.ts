import type { TestDatabase } from '../database/database.ts'
import type { TestAccount, TestGateway } from '../gateway/gateway.ts'
import { idempotencyHeader } from './load.ts'

const rounds = 6
/** Calls at once; fewer than one client may have connections. */
const callsAtOnce = 24

/** The most connections that a gateway has to its database while calls of every kind run. */
export async function mostConnections(
  database: TestDatabase,
  { liveKey }: TestAccount,
  { live }: TestGateway,
): Promise<number> {
  let most = 0
  const paths = ['/v1/account/credits', '/v1/account/keys', '/v1/account/usage/log', '/v1/account']
  const apart = { connection: 'close' }
  for (let round = 0; round < rounds; round += 1) {
    const calls = Array.from({ length: callsAtOnce }, (_, index) =>
      index % 3 === 0
        ? live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey, {
            ...apart,
            [idempotencyHeader]: `round-${round}-${index}`,
          })
        : live.get(paths[index % paths.length] ?? '', liveKey, apart),
    )
    for (let look = 0; look < 5; look += 1) {
      const [row] = await database.query<{ count: string }>(
        `SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name LIKE 'credit-gateway%'`,
      )
      most = Math.max(most, Number(row?.count))
    }
    await Promise.all(calls)
  }
  return most
}
