import type { AllTenantsDatabase, Statement } from '../../shared/database/database.ts'
import { type Owned, ownersOf, type Placed, partition, pick } from './batch-columns.ts'
import { freeOwners, limitLockWait, limitLockWaitShortly } from './hold-batch.statements.ts'
import { ReservationVerdict, type SettleBatchInput } from './hold-batch.type.ts'
import { isLocked, lockedAt, type Settled } from './hold-outcomes.ts'
import { ownedBy, type Reservation, type ReserveItem } from './hold-values.ts'
import { isKnownLocked, rememberLocked } from './locked-owners.ts'

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
 * The places without those whose balance another transaction kept a moment ago and has now, in order. For a
 * second, a look finds that out, so that no batch waits for such a balance again and again.
 */
export async function placesToTry(
  database: AllTenantsDatabase,
  batch: Owned,
  places: readonly number[],
): Promise<readonly number[]> {
  const known = places.filter((place) => isKnownLocked(batch, place))
  if (known.length === 0) return places
  const free = new Set(await placesOfFree(database, batch, known))
  const locked = new Set(known.filter((place) => !free.has(place)))
  return places.filter((place) => !locked.has(place))
}

/**
 * One answer for each item, in order, of a statement that gives up locks. Where another transaction has a
 * balance, the batch is done once more for all others, and the items of that balance are answered as locked.
 */
export async function reserveUnlocked(
  database: AllTenantsDatabase,
  items: readonly ReserveItem[],
  reserveAll: (items: readonly ReserveItem[]) => Promise<Reservation[]>,
): Promise<Reservation[]> {
  const owned = ownedBy(items)
  const verdict = ReservationVerdict.locked
  const reservations: Reservation[] = items.map(() => ({ verdict, available: 0 }))
  async function reserveAt(places: readonly number[]): Promise<boolean> {
    if (places.length === 0) return true
    const reserved = await unlessLocked(reserveAll(pick(items, places)))
    for (const [index, reservation] of reserved?.entries() ?? []) {
      reservations[places[index] ?? 0] = reservation
    }
    return reserved !== null
  }
  const tried = await placesToTry(database, owned, [...items.keys()])
  if (await reserveAt(tried)) return reservations
  const free = await placesOfFree(database, owned, tried)
  const isFree = new Set(free)
  rememberLocked(
    owned,
    tried.filter((place) => !isFree.has(place)),
  )
  if (!(await reserveAt(free))) rememberLocked(owned, free)
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
  return Object.assign([], ofOthers ?? lockedAt(batch, others), ofLocked ?? lockedAt(batch, locked))
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
