import type { AllTenantsDatabase, Database } from '../../shared/database/database.ts'
import { RefusedUnsent } from '../../shared/database/health/silence-watch.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { byItem, ownersOf, type Placed, partition, pick, placesByOwner } from './batch-columns.ts'
import { reserveUnlocked, unlessLocked } from './free-places.ts'
import {
  expireHolds,
  forgetIdempotencyKeys,
  judgeUnlocked,
  reserveCredits,
} from './hold.statements.ts'
import type { ExpiredHold } from './hold.type.ts'
import type { ReservationBatch, ReserveBatchInput } from './hold-batch.type.ts'
import {
  hasBudgets,
  itemsOf,
  ownedBy,
  type Reservation,
  type ReserveItem,
  reserveValues,
} from './hold-values.ts'
import { reserveSpending } from './spending.service.ts'

/** Judges each request by itself; durable when it returns. */
export async function reserveApart(
  database: Database,
  batch: ReserveBatchInput,
): Promise<ReservationBatch> {
  const items = itemsOf(batch)
  const view = database.as(allTenants)
  const reservations: Reservation[] = []
  // Only requests with budgets need the statements of budgets.
  const [spending, others] = partition([...items.keys()], (place) => hasBudgets(batch, place))
  async function reserveAt(places: readonly number[], reserve: Reserve): Promise<void> {
    const reserved = await reserveInOrder(pick(items, places), reserve)
    for (const [index, reservation] of reserved.entries()) {
      reservations[places[index] ?? 0] = reservation
    }
  }
  const isPatient = Boolean(batch.isPatient)
  if (spending.length > 0) {
    const reserveAll: Reserve = (some) => reserveSpending(view, some)
    await reserveAt(spending, (some) => reserveUnlocked(view, some, { reserveAll, isPatient }))
  }
  if (others.length > 0) {
    const reserving = reserveAt(others, (some) => reserveWithoutBudgets(view, some, isPatient))
    await (spending.length > 0 ? behindOthers(reserving) : reserving)
  }
  return {
    verdicts: reservations.map(({ verdict }) => verdict),
    available: reservations.map(({ available }) => available),
    answers: reservations.map(({ answer = null }) => answer),
    bodies: reservations.map(({ body = null }) => body),
    reservedAts: reservations.map(({ reservedAt = null }) => reservedAt),
    budgetRemaining: reservations.map(({ budgetRemaining = null }) => budgetRemaining),
    refusing: reservations.map(({ refusing }) => refusing ?? []),
  }
}

type Reserve = (items: readonly ReserveItem[]) => Promise<Reservation[]>

/**
 * Does work of a batch of which another part is done. If this part was not sent, the batch as a
 * whole was sent nevertheless.
 */
export async function behindOthers<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw error instanceof RefusedUnsent ? error.cause : error
  }
}

/**
 * Reserves for requests without budgets. It locks only the balances of which a look cannot judge every item:
 * what is available after the batch is known only when all items of a balance are judged together.
 */
async function reserveWithoutBudgets(
  view: AllTenantsDatabase,
  items: readonly ReserveItem[],
  isPatient: boolean,
): Promise<Reservation[]> {
  const looking = view.query<Reservation & Placed>(judgeUnlocked, [
    items.map((item) => item.requestId),
    items.map((item) => item.accountId),
    items.map((item) => item.environment),
    items.map((item) => item.credits),
    items.map((item) => item.keyHash),
    items.map((item) => item.requestHash),
  ])
  // If a whole table is locked, the look judges nothing.
  const judged = byItem((await unlessLocked(looking)) ?? [], items.length)
  for (const places of placesByOwner(ownedBy(items))) {
    if (places.some((place) => !judged[place]))
      for (const place of places) judged[place] = undefined
  }
  const others = items.filter((_, index) => !judged[index])
  const reserved =
    others.length > 0
      ? await reserveUnlocked(view, others, {
          reserveAll: (some) => reserveLocked(view, some),
          isPatient,
        })
      : []
  return judged.map((row) => row ?? reserved.shift()).filter((row) => row !== undefined)
}

async function reserveLocked(
  database: Database,
  items: readonly ReserveItem[],
): Promise<Reservation[]> {
  const owners = ownersOf(ownedBy(items))
  const { accountIds, environments, credits } = owners
  const rows = await database.query<Reservation & Placed>(reserveCredits, [
    ...[accountIds, environments, credits],
    ...reserveValues(items, owners),
  ])
  return byItem(rows, items.length).filter((row) => row !== undefined)
}

/**
 * A batch may use one idempotency key several times: the first use counts as running for the others. When the
 * first use was refused for credits or a budget, it has claimed nothing: the same request is refused as it
 * was, and another one is judged by itself.
 */
async function reserveInOrder(
  items: readonly ReserveItem[],
  reserve: Reserve,
): Promise<Reservation[]> {
  const reservations = await reserve(items)
  const firsts = new Map<string, number>()
  const others: number[] = []
  for (const [index, item] of items.entries()) {
    const { accountId, environment, credits, keyHash, requestHash } = item
    if (keyHash === null) continue
    const key = `${accountId} ${environment} ${keyHash}`
    const first = firsts.get(key) ?? index
    firsts.set(key, first)
    const refused = reservations[first]
    // Where a batch has budgets, each use of a key was judged by itself.
    if (!isBehindAnother(reservations[index])) continue
    if (first === index || !refused || !isRefusal(refused)) continue
    const isSame = items[first]?.requestHash === requestHash && items[first]?.credits === credits
    if (isSame) reservations[index] = refused
    else others.push(index)
  }
  if (others.length === 0) return reservations
  const judged = await behindOthers(reserveInOrder(pick(items, others), reserve))
  for (const [place, reservation] of judged.entries()) {
    reservations[others[place] ?? 0] = reservation
  }
  return reservations
}

/** Whether another use of the key in the batch counts as its first. */
function isBehindAnother(reservation: Reservation | undefined): boolean {
  return ['running', 'mismatch'].includes(String(reservation?.verdict))
}

/** Whether the request was refused, so that it has claimed nothing. */
function isRefusal({ verdict }: Reservation): boolean {
  return ['insufficient', 'exhausted'].includes(String(verdict))
}

/** Deletes up to `limit` idempotency keys whose time is over; returns how many. */
export async function forgetKeys(database: Database, limit: number): Promise<number> {
  return (await database.query(forgetIdempotencyKeys, [limit])).length
}

/** Ends up to `limit` holds whose time is over. */
export function expire(database: Database, limit: number): Promise<ExpiredHold[]> {
  return database.query(expireHolds, [limit])
}
