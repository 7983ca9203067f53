import type { Environment } from '../../../schema/credentials/caller.ts'

/** The balances that a batch touches, each once, and where each item's is among them. */
export interface Owners {
  readonly accountIds: readonly string[]
  readonly environments: readonly Environment[]
  /** What all items of a balance come to. */
  readonly credits: readonly number[]
  /** For each item, counted from 1 as PostgreSQL does. */
  readonly places: readonly number[]
}

interface Owned {
  readonly accountId: string
  readonly environment: Environment
  readonly credits: number
}

export function ownersOf(items: readonly Owned[]): Owners {
  const known = new Map<string, number>()
  const accountIds: string[] = []
  const environments: Environment[] = []
  const credits: number[] = []
  const places = items.map((item) => {
    const name = `${item.environment} ${item.accountId}`
    let index = known.get(name)
    if (index === undefined) {
      index = accountIds.push(item.accountId) - 1
      environments.push(item.environment)
      credits.push(0)
      known.set(name, index)
    }
    credits[index] = (credits[index] ?? 0) + item.credits
    return index + 1
  })
  return { accountIds, environments, credits, places }
}

/** A row of a batch's answer; places count from 1. */
export interface Placed {
  readonly place: number
}

/** Rows by the item that they answer; undefined for an item without one. */
export function byItem<Row extends Placed>(
  rows: readonly Row[],
  count: number,
): (Row | undefined)[] {
  const found: (Row | undefined)[] = Array.from({ length: count })
  for (const row of rows) found[row.place - 1] = row
  return found
}
