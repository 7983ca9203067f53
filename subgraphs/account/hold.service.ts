import { newId } from '../../schema/ids.ts'
import type { Database } from '../shared/database.ts'
import { EnvironmentValue } from '../shared/environment.type.ts'
import {
  expireHolds,
  forgetIdempotencyKeys,
  reserveCredits,
  settleHolds,
} from './hold.statements.ts'
import type {
  ExpiredHold,
  Reservation,
  ReserveCreditsInput,
  SettleHoldInput,
  Settlement,
} from './hold.type.ts'

/** One answer for each item, in order; durable when it returns. */
export function reserve(
  database: Database,
  items: readonly ReserveCreditsInput[],
): Promise<Reservation[]> {
  return database.query<Reservation>(reserveCredits, [
    items.map((item) => item.requestId),
    items.map((item) => item.accountId),
    items.map((item) => item.environment),
    items.map((item) => item.credits),
    items.map((item) => item.ttlSeconds),
    items.map((item) => JSON.stringify(item.request)),
    items.map((item) => item.idempotency?.keyHash ?? null),
    items.map((item) => item.idempotency?.requestHash ?? null),
    items.map((item) => item.idempotency?.ttlSeconds ?? null),
  ])
}

/** One answer for each item, in order; durable when it returns. Safe to repeat. */
export function settle(
  database: Database,
  items: readonly SettleHoldInput[],
): Promise<Settlement[]> {
  return database.query<Settlement>(settleHolds, [
    items.map((item) => item.requestId),
    items.map((item) => item.accountId),
    items.map((item) => item.environment),
    items.map((item) => item.credits),
    items.map(() => newId('led')),
    items.map((item) => item.keyHash ?? null),
    items.map((item) => (item.answer ? JSON.stringify(item.answer) : null)),
    items.map((item) => item.body ?? null),
  ])
}

/** Deletes up to `limit` idempotency keys whose time is over; returns how many. */
export async function forgetKeys(database: Database, limit: number): Promise<number> {
  return (await database.query(forgetIdempotencyKeys, [limit])).length
}

interface ExpiredRow {
  readonly request_id: string
  readonly account_id: string
  readonly environment: 'live' | 'sandbox'
  readonly request: Record<string, unknown>
}

/** Ends up to `limit` holds whose time is over. */
export async function expire(database: Database, limit: number): Promise<ExpiredHold[]> {
  const rows = await database.query<ExpiredRow>(expireHolds, [limit])
  return rows.map((row) => ({
    requestId: row.request_id,
    accountId: row.account_id,
    environment: EnvironmentValue[row.environment],
    request: row.request,
  }))
}
