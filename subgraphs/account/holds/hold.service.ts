import type { AllTenantsDatabase, Database } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { byItem, ownersOf, type Placed, pick, placesByOwner } from './batch-columns.ts'
import { reserveUnlocked, unlessLocked } from './free-places.ts'
import {
  expireHolds,
  forgetIdempotencyKeys,
  judgeUnlocked,
  reserveCredits,
} from './hold.statements.ts'
import type { ExpiredHold, Reservation, ReserveCreditsInput } from './hold.type.ts'
import { ownedBy, reserveValues } from './hold-values.ts'
import { reserveSpending } from './spending.service.ts'

/** One answer for each item, in order; durable when it returns. */
export async function reserve(
  database: Database,
  items: readonly ReserveCreditsInput[],
): Promise<Reservation[]> {
  const view = database.as(allTenants)
  // Requests without budgets need nothing of budgets.
  const reservations = items.some(({ spenders }) => spenders?.length)
    ? await reserveUnlocked(view, items, (some) => reserveSpending(view, some))
    : await reserveWithoutBudgets(view, items)
  await judgeBehindRefused(database, items, reservations)
  return reservations
}

/**
 * Locks only the balances of which a look cannot judge every item: what is available after the batch is known
 * when all items of a balance are judged together.
 */
async function reserveWithoutBudgets(
  view: AllTenantsDatabase,
  items: readonly ReserveCreditsInput[],
): Promise<Reservation[]> {
  const looking = view.query<Reservation & Placed>(judgeUnlocked, [
    items.map((item) => item.requestId),
    items.map((item) => item.accountId),
    items.map((item) => item.environment),
    items.map((item) => item.credits),
    items.map((item) => item.idempotency?.keyHash ?? null),
    items.map((item) => item.idempotency?.requestHash ?? null),
  ])
  // A whole table may be locked: then nothing is judged here.
  const judged = byItem((await unlessLocked(looking)) ?? [], items.length)
  for (const places of placesByOwner(ownedBy(items))) {
    if (places.some((place) => !judged[place]))
      for (const place of places) judged[place] = undefined
  }
  const others = items.filter((_, index) => !judged[index])
  const reserved =
    others.length > 0
      ? await reserveUnlocked(view, others, (some) => reserveLocked(view, some))
      : []
  return judged.map((row) => row ?? reserved.shift()).filter((row) => row !== undefined)
}

async function reserveLocked(
  database: Database,
  items: readonly ReserveCreditsInput[],
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
async function judgeBehindRefused(
  database: Database,
  items: readonly ReserveCreditsInput[],
  reservations: Reservation[],
): Promise<void> {
  const firsts = new Map<string, number>()
  const others: number[] = []
  for (const [index, { accountId, environment, credits, idempotency }] of items.entries()) {
    if (!idempotency) continue
    const key = `${accountId} ${environment} ${idempotency.keyHash}`
    const first = firsts.get(key) ?? index
    firsts.set(key, first)
    const refused = reservations[first]
    // Where a batch has budgets, each use of a key was judged by itself.
    if (!isBehindAnother(reservations[index])) continue
    if (first === index || !refused || !isRefusal(refused)) continue
    const isSame =
      items[first]?.idempotency?.requestHash === idempotency.requestHash &&
      items[first]?.credits === credits
    if (isSame) reservations[index] = refused
    else others.push(index)
  }
  if (others.length === 0) return
  const judged = await reserve(database, pick(items, others))
  for (const [place, reservation] of judged.entries()) {
    reservations[others[place] ?? 0] = reservation
  }
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
