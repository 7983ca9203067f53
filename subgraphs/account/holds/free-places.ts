import type { EveryonesDatabase } from '../../shared/database/database.ts'
import { type Owned, ownersOf, type Placed, pick } from './hold.batch.ts'
import { freeOwners } from './hold-batch.statements.ts'
import { isLocked } from './hold-outcomes.ts'

/**
 * Those of the places whose balance nobody has locked: a batch that was given up for a lock is done once
 * more for them, in one statement, so that it is known of each item whether it was done.
 */
export async function placesOfFree(
  database: EveryonesDatabase,
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
