import type { AllTenantsDatabase, Statement } from '../../shared/database/database.ts'
import { type Owned, ownersOf, type Placed, partition, pick } from './batch-columns.ts'
import { type Reservation, ReservationVerdict, type ReserveCreditsInput } from './hold.type.ts'
import { freeOwners, limitLockWait, limitLockWaitShortly } from './hold-batch.statements.ts'
import { BatchVerdict, type SettleBatchInput } from './hold-batch.type.ts'
import { isLocked, lockedAt, type Settled } from './hold-outcomes.ts'
import { ownedBy } from './hold-values.ts'

/**
 * Returns the places whose balance is not locked. A batch that was ended because of a lock is repeated for
 * these places only, in one statement, so that the outcome of each item is known.
 */
export async function placesOfFree(
  database: AllTenantsDatabase,
  batch: Owned,
  places: readonly number[],
): Promise<number[]> {
  const owners = ownersOf({
    accountIds: pick(batch.accountIds, places),
    environments: pick(batch.environments, places),
    credits: pick(batch.credits, places),
  })
  try {
    const rows = await database.query<Placed>(freeOwners, [owners.accountIds, owners.environments])
    const free = new Set(rows.map(({ place }) => place))
    return places.filter((_, index) => free.has(owners.places[index] ?? 0))
  } catch (error) {
    // The whole table is locked.
    if (isLocked(error)) return []
    throw error
  }
}

/**
 * One answer for each item, in order, of a statement that gives up locks. Where another transaction has a
 * balance, the batch is done once more for all others, and the items of that balance are answered as locked.
 */
export async function reserveUnlocked(
  database: AllTenantsDatabase,
  items: readonly ReserveCreditsInput[],
  reserveAll: (items: readonly ReserveCreditsInput[]) => Promise<Reservation[]>,
): Promise<Reservation[]> {
  const reserved = await unlessLocked(reserveAll(items))
  if (reserved) return reserved
  const verdict = ReservationVerdict[BatchVerdict.locked]
  const reservations: Reservation[] = items.map(() => ({ verdict, available: 0 }))
  const free = await placesOfFree(database, ownedBy(items), [...items.keys()])
  const others = free.length > 0 ? await unlessLocked(reserveAll(pick(items, free))) : null
  for (const [index, reservation] of others?.entries() ?? []) {
    reservations[free[index] ?? 0] = reservation
  }
  return reservations
}

/** Settles requests; null: another transaction kept a balance for longer than `lockWait` says, and nothing was done. */
type SettleAt = (places: readonly number[], lockWait: Statement) => Promise<Settled[] | null>

/**
 * Where another transaction has a balance, the requests of all others are settled in one more statement, so
 * that no balance is kept while another one is waited for. A patient batch then waits for the locked ones;
 * any other batch answers them as locked.
 */
export async function settleFreeFirst(
  database: AllTenantsDatabase,
  batch: SettleBatchInput,
  places: readonly number[],
  settleAt: SettleAt,
): Promise<Settled[]> {
  const settled = await settleAt(places, limitLockWaitShortly)
  if (settled) return settled
  const free = new Set(await placesOfFree(database, batch, places))
  const [others, locked] = partition(places, (place) => free.has(place))
  const ofOthers = others.length > 0 ? await settleAt(others, limitLockWaitShortly) : []
  const isWaiting = batch.isPatient && locked.length > 0
  const ofLocked = isWaiting ? await settleAt(locked, limitLockWait) : null
  return Object.assign([], ofOthers ?? lockedAt(others), ofLocked ?? lockedAt(locked))
}

/** Null: another transaction has a balance, and nothing was done. */
export async function unlessLocked<Result>(work: Promise<Result>): Promise<Result | null> {
  try {
    return await work
  } catch (error) {
    if (isLocked(error)) return null
    throw error
  }
}
