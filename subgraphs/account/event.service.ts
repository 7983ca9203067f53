import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { newId } from '../../schema/ids.ts'
import type { Owner } from '../shared/change.ts'
import type { Database, Statement } from '../shared/database.ts'
import type { PagedList } from '../shared/pagination.ts'
import type { AccountEvent } from './event.type.ts'

/** What an account's software can be told of. */
export type EventType =
  | 'credits.low'
  | 'credits.exhausted'
  | 'auto_recharge.succeeded'
  | 'auto_recharge.failed'
  | 'auto_recharge.suspended'
  | 'subscription.cancel_scheduled'
  | 'subscription.resumed'
  | 'subscription.canceled'
  | 'subscription.renewed'
  | 'addon.cancel_scheduled'
  | 'addon.canceled'
  | 'invoice.paid'

/** Makes an event known, in the transaction of what it tells about. `data` is what its receivers see: snake_case, instants in ISO 8601. */
export async function publish(
  tx: SqlEntityManager,
  { accountId, environment }: Owner,
  type: EventType,
  data: object,
): Promise<void> {
  await tx.execute(
    'INSERT INTO account.event (id, account_id, environment, type, data) VALUES (?, ?, ?, ?, ?)',
    [newId('evt'), accountId, environment, type, JSON.stringify(data)],
  )
}

interface EventRow {
  readonly id: string
  readonly type: string
  readonly data: Record<string, unknown>
  readonly created_at: Date
}

const eventsNewestFirst: Statement = {
  name: 'events-newest-first',
  text: `SELECT id, type, data, created_at FROM account.event
    WHERE account_id = $1 AND environment = $2 AND ($3::text IS NULL OR id < $3)
    ORDER BY id DESC LIMIT $4`,
}

/** What was made known, newest first. */
export function eventsOf(
  database: Database,
  { accountId, environment }: Owner,
): PagedList<AccountEvent> {
  return {
    name: 'events',
    owner: { accountId, environment },
    positionOf: ({ id }) => id,
    async read({ limit, before }) {
      const values = [accountId, environment, before, limit]
      const rows = await database.query<EventRow>(eventsNewestFirst, values)
      return rows.map(({ created_at, ...event }) => ({ ...event, createdAt: created_at }))
    },
  }
}
