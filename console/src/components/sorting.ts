import { useState } from 'react'

/** What a column is sorted by; null comes last. */
export type SortValue = string | number | null

interface Sortable<Item> {
  readonly label: string
  readonly sortBy?: (item: Item) => SortValue
}

export interface Sorting<Item> {
  readonly items: readonly Item[]
  readonly directionOf: (label: string) => 'ascending' | 'descending' | 'none'
  /** Sorts by this column: numbers from the largest, texts from A. A second time turns the order. */
  readonly sort: (label: string) => void
}

/** Sorts the rows of a table that has all of them. Before the first click they keep their order. */
export function useSorting<Item>(
  items: readonly Item[],
  columns: readonly Sortable<Item>[],
): Sorting<Item> {
  const [chosen, setChosen] = useState<{ label: string; isTurned: boolean } | null>(null)
  const sortBy = columns.find(({ label }) => label === chosen?.label)?.sortBy
  const isText = sortBy !== undefined && items.some((item) => typeof sortBy(item) === 'string')
  const isUp = isText !== (chosen?.isTurned ?? false)
  return {
    items: sortBy ? sortItems(items, sortBy, isUp) : items,
    directionOf: (label) => {
      if (!sortBy || label !== chosen?.label) return 'none'
      return isUp ? 'ascending' : 'descending'
    },
    sort: (label) =>
      setChosen((known) => ({ label, isTurned: known?.label === label && !known.isTurned })),
  }
}

export function sortItems<Item>(
  items: readonly Item[],
  sortBy: (item: Item) => SortValue,
  isUp: boolean,
): readonly Item[] {
  return [...items].sort((one, other) => {
    const [first, second] = [sortBy(one), sortBy(other)]
    if (first === null || second === null) return Number(first === null) - Number(second === null)
    const order =
      typeof first === 'number' && typeof second === 'number'
        ? first - second
        : String(first).localeCompare(String(second), 'en')
    return isUp ? order : -order
  })
}
