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
async function placesOfFree(
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
    // The statement gave up a lock of the whole table, so no balance is free.
    if (isLocked(error)) return []
    throw error
  }
}

/** A statement for items that gives up locks, and how it treats balances that were locked a moment ago. */
export interface Reserving {
  readonly reserveAll: (items: readonly ReserveItem[]) => Promise<Reservation[]>
  /**
   * Whether balances that were locked a moment ago are tried too; otherwise their items are
   * answered as locked at once.
   */
  readonly isPatient: boolean
}

/**
 * One answer for each item, in order. Where another transaction has a balance, the batch is done once more for
 * all others, and the items of that balance are answered as locked.
 */
export async function reserveUnlocked(
  database: AllTenantsDatabase,
  items: readonly ReserveItem[],
  { reserveAll, isPatient }: Reserving,
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
  const tried = placesToTry(owned, [...items.keys()], isPatient)
  if (await reserveAt(tried)) return reservations
  await reserveAt(await freeAmong(database, owned, tried))
  return reservations
}

/** The places whose balance is free. The balances of the other places are left alone for a second. */
export async function freeAmong(
  database: AllTenantsDatabase,
  batch: Owned,
  places: readonly number[],
): Promise<number[]> {
  const free = await placesOfFree(database, batch, places)
  const isFree = new Set(free)
  rememberLocked(
    batch,
    places.filter((place) => !isFree.has(place)),
  )
  return free
}

/**
 * The places that a batch tries. A batch that is not patient leaves out balances that were locked a
 * moment ago.
 */
export function placesToTry(
  batch: Omit<Owned, 'credits'>,
  places: readonly number[],
  isPatient: boolean | null | undefined,
): readonly number[] {
  return isPatient ? places : places.filter((place) => !isKnownLocked(batch, place))
}

/**
 * Settles the requests at these places. Null: another transaction kept a balance for longer than `lockWait`
 * says, and nothing was done.
 */
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
  const free = new Set(await freeAmong(database, batch, places))
  const [others, locked] = partition(places, (place) => free.has(place))
  const ofOthers = others.length > 0 ? await settleAt(others, limitLockWaitShortly) : []
  const isWaiting = batch.isPatient && locked.length > 0
  const ofLocked = isWaiting ? await settleAt(locked, limitLockWait) : null
  if (isWaiting && !ofLocked) rememberLocked(batch, locked)
  return Object.assign([], ofOthers ?? lockedAt(others), ofLocked ?? lockedAt(locked))
}

/** The result of the work; null: another transaction has a balance, and nothing was done. */
export async function unlessLocked<Result>(work: Promise<Result>): Promise<Result | null> {
  try {
    return await work
  } catch (error) {
    if (isLocked(error)) return null
    throw error
  }
}
