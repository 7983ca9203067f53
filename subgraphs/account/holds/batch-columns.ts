import type { Environment } from '../../../schema/credentials/caller.ts'

/** The balances that a batch touches, each once, and where each item's is among them. */
export interface Owners {
  readonly accountIds: readonly string[]
  readonly environments: readonly Environment[]
  /** The sum of all items of a balance. */
  readonly credits: readonly number[]
  /** The place of the balance of each item, counted from 1 as PostgreSQL does. */
  readonly places: readonly number[]
}

/** The columns of a batch that say whose balance each item is about. */
export interface Owned {
  readonly accountIds: readonly string[]
  readonly environments: readonly Environment[]
  readonly credits: readonly number[]
}

interface Owner {
  readonly name: string
  readonly accountId: string
  readonly environment: Environment
  credits: number
  place: number
}

/** The balances of a batch, in the order in which every statement locks balances. */
export function ownersOf({ accountIds, environments, credits }: Owned): Owners {
  const known = new Map<string, Owner>()
  const ofItem = accountIds.map((accountId, index) => {
    const environment = environments[index] ?? 'live'
    const name = nameOf(accountId, environment)
    const owner = known.get(name) ?? { name, accountId, environment, credits: 0, place: 0 }
    known.set(name, owner)
    owner.credits += credits[index] ?? 0
    return owner
  })
  const sorted = [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  sorted.forEach((owner, index) => {
    owner.place = index + 1
  })
  return {
    accountIds: sorted.map(({ accountId }) => accountId),
    environments: sorted.map(({ environment }) => environment),
    credits: sorted.map((owner) => owner.credits),
    places: ofItem.map(({ place }) => place),
  }
}

/** The places of the items of each owner, counted from 0. */
export function placesByOwner({ accountIds, environments }: Omit<Owned, 'credits'>): number[][] {
  const byName = new Map<string, number[]>()
  accountIds.forEach((accountId, index) => {
    const name = nameOf(accountId, environments[index] ?? 'live')
    const places = byName.get(name)
    if (places) places.push(index)
    else byName.set(name, [index])
  })
  return [...byName.values()]
}

/** The name of a balance. Ids have no spaces, so names sort as account and environment do. */
function nameOf(accountId: string, environment: Environment): string {
  return `${accountId} ${environment}`
}

/** The items of a list at these positions, counted from 0. */
export function pick<Item>(list: readonly Item[], places: readonly number[]): Item[] {
  const picked: Item[] = []
  for (const place of places) {
    const item = list[place]
    if (item !== undefined) picked.push(item)
  }
  return picked
}

/** Picks from the columns of a batch; most batches are used as they are. */
export function columnsAt(
  count: number,
  places: readonly number[],
): <Item>(list: readonly Item[]) => readonly Item[] {
  const isWhole = places.length === count && places.every((place, index) => place === index)
  return (list) => (isWhole ? list : pick(list, places))
}

/** Divides places into those for which `isFirst` is true, and the others. */
export function partition(
  places: readonly number[],
  isFirst: (place: number) => boolean,
): readonly [number[], number[]] {
  return [places.filter(isFirst), places.filter((place) => !isFirst(place))]
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
