import DataLoader from 'dataloader'
import { inThisContext } from '../../../schema/process/tracing.ts'
import type { Database } from './database.ts'

/**
 * A row of an answer to many items: `place` tells for which item it is, counted from 1 as
 * PostgreSQL does.
 */
export interface Placed {
  readonly place: number
}

type Ask<Item, Row extends Placed, View extends Database> = (
  database: View,
  items: readonly Item[],
) => Promise<readonly Row[]>

const maxBatchSize = 500
/**
 * Runs one statement at a time for all callers: those that come while it is under way share the next one.
 * Nothing is remembered. Resolves to the item's row, or to null where it has none.
 */
export function batched<Item, Row extends Placed, View extends Database = Database>(
  ask: Ask<Item, Row, View>,
): (database: View, item: Item) => Promise<Row | null> {
  const loaders = new WeakMap<View, DataLoader<Item, Row | null>>()
  return (database, item) => {
    const known = loaders.get(database)
    if (known) return known.load(item)
    const loader = createLoader((items: readonly Item[]) => ask(database, items))
    loaders.set(database, loader)
    return loader.load(item)
  }
}

function createLoader<Item, Row extends Placed>(
  ask: (items: readonly Item[]) => Promise<readonly Row[]>,
): DataLoader<Item, Row | null> {
  const waiting: (() => void)[] = []
  let isUnderWay = false

  async function load(items: readonly Item[]): Promise<(Row | null)[]> {
    isUnderWay = true
    try {
      const found: (Row | null)[] = items.map(() => null)
      for (const row of await ask(items)) found[row.place - 1] = row
      return found
    } finally {
      isUnderWay = false
      const dispatch = waiting.shift()
      if (dispatch) setImmediate(dispatch)
    }
  }

  function schedule(dispatch: () => void): void {
    // The trace of the first request has the statement.
    const ours = inThisContext(dispatch)
    if (isUnderWay) waiting.push(ours)
    else setImmediate(ours)
  }

  return new DataLoader(load, { cache: false, maxBatchSize, batchScheduleFn: schedule })
}
