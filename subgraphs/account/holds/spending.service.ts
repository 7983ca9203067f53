import { announce } from '../../shared/changes/events.ts'
import type { AllTenantsDatabase, Statement, Transaction } from '../../shared/database/database.ts'
import { type CrossedThreshold, thresholdEvents } from '../budgets/budget-events.ts'
import { type RefusingRow, toRefusal } from '../budgets/budget-refusal.ts'
import { byItem, ownersOf, type Placed, pick } from './batch-columns.ts'
import { unlessLocked } from './free-places.ts'
import { reserveInBudgets, settleInBudgets, settleLostInBudgets } from './hold.statements.ts'
import type { SettleBatchInput } from './hold-batch.type.ts'
import type { Settled } from './hold-outcomes.ts'
import { ownedBy, type Reservation, type ReserveItem, reserveValues } from './hold-values.ts'

interface ReservedRow extends Omit<Reservation, 'refusing'>, Placed {
  readonly refusing: readonly RefusingRow[] | null
}

/** Reserves for requests with budgets, in their order. */
export async function reserveSpending(
  database: AllTenantsDatabase,
  items: readonly ReserveItem[],
): Promise<Reservation[]> {
  const owners = ownersOf(ownedBy(items))
  const rows = await database.query<ReservedRow>(reserveInBudgets, [
    ...[owners.accountIds, owners.environments, ...reserveValues(items, owners)],
    ...[spendersOf(items), items.map(({ counted }) => counted)],
  ])
  const reservations = rows.map(({ refusing, ...row }) => ({
    ...row,
    refusing: refusing?.map(toRefusal) ?? null,
  }))
  return byItem(reservations, items.length).filter((row) => row !== undefined)
}

/** The spenders of each item as JSON: PostgreSQL has no lists of lists that differ in length. */
function spendersOf(items: readonly ReserveItem[]): string[] {
  return items.map(({ spenders }) => JSON.stringify(spenders))
}

interface SettledRow extends Settled {
  readonly crossed: readonly CrossedThreshold[] | null
}

/**
 * Settles requests with budgets that had an open hold, and answers them by place. The transaction of their
 * charges also counts them in their budgets, and announces the thresholds that they cross. Null: another
 * transaction kept a balance for longer than `lockWait` says, and nothing was done.
 */
export async function settleSpending(
  database: AllTenantsDatabase,
  batch: SettleBatchInput,
  places: readonly number[],
  lockWait: Statement,
): Promise<Settled[] | null> {
  const of = (list: readonly unknown[] | null | undefined) =>
    places.map((place) => list?.[place] ?? null)
  const owners = ownersOf({
    accountIds: pick(batch.accountIds, places),
    environments: pick(batch.environments, places),
    credits: pick(batch.credits, places),
  })
  const requestIds = pick(batch.requestIds, places)
  const ledgerIds = requestIds.map((id) => id.replace('req_', 'led_'))
  const values = [
    ...[owners.accountIds, owners.environments, requestIds, owners.places],
    ...[of(batch.credits), ledgerIds, of(batch.keyHashes), of(batch.answers), of(batch.bodies)],
    of(batch.counts ?? batch.credits),
  ]
  return unlessLocked(
    database.transaction(async (tx) => {
      await tx.query(lockWait, [])
      const rows = await tx.query<SettledRow & Placed>(settleInBudgets, values)
      const settlements: Settled[] = []
      for (const { place, crossed, ...settled } of rows) {
        const at = places[place - 1] ?? 0
        settlements[at] = settled
        if (crossed) await announceCrossed(tx, batch, at, crossed)
      }
      return settlements
    }),
  )
}

/**
 * Settles one request with budgets that has no open hold: it is charged only if its budgets cover it too.
 * Rejects if another transaction keeps the balance for longer than `lockWait` says.
 */
export async function settleLostSpending(
  database: AllTenantsDatabase,
  batch: SettleBatchInput,
  place: number,
  lockWait: Statement,
): Promise<Settled> {
  const of = (list: readonly unknown[] | null | undefined) => list?.[place] ?? null
  const { requestIds, accountIds, environments, credits, endpoints, calls } = batch
  const values = [
    ...[of(requestIds), of(accountIds), of(environments), of(credits), of(endpoints), of(calls)],
    ...[of(batch.keyHashes), of(batch.answers), of(batch.bodies), of(batch.spenders)],
    of(batch.reservedAts),
  ]
  return database.transaction(async (tx) => {
    await tx.query(lockWait, [])
    const [row] = await tx.query<SettledRow>(settleLostInBudgets, values)
    if (!row) throw new Error('A settlement has no outcome.')
    const { crossed, ...settled } = row
    if (crossed) await announceCrossed(tx, batch, place, crossed)
    return settled
  })
}

async function announceCrossed(
  tx: Transaction,
  { accountIds, environments, calls }: SettleBatchInput,
  place: number,
  crossed: readonly CrossedThreshold[],
): Promise<void> {
  const accountId = accountIds[place] ?? ''
  const environment = environments[place] ?? 'live'
  const keyId = keyOf(calls[place] ?? '[]')
  await announce(tx, thresholdEvents({ accountId, environment }, crossed, keyId))
}

/** The key that made the call, from the line of it. */
function keyOf(call: string): string | null {
  const keyId: unknown = JSON.parse(call)[7]
  return typeof keyId === 'string' ? keyId : null
}
