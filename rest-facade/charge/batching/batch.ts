import { askingContext, inSharedSpan } from '../../../schema/process/tracing.ts'
import { isOutage, unavailable } from '../../http/errors.ts'

/** Something that holds items until they are worked off. */
export interface Queue {
  /** Above it no request is let in. */
  readonly maxWaiting: number
  readonly waiting: () => number
  /** The batches and items that have left it so far, if it works in batches. */
  readonly batched?: () => BatchCount
}

export interface BatchCount {
  readonly batches: number
  readonly items: number
}

export interface BatcherOptions {
  /** Items in one batch. */
  readonly maxItems: number
  /** Batches under way at once. */
  readonly maxInFlight: number
  /**
   * How long a further batch waits for those under way, unless it is full. It grows meanwhile, and
   * large batches cost much less. A batch that takes longer does not hold up the others.
   */
  readonly exclusiveMs: number
  /** Items waiting; one more is refused. */
  readonly maxWaiting: number
  /**
   * How long the first item of a batch waits for company, unless the batch is full; 0 is until this
   * turn of the event loop ends.
   */
  readonly lingerMs: number
  /** The name of a batch in traces. */
  readonly name: string
}

/** Resolves to the item's result, as soon as that is durable. */
export interface Batcher<Item, Result> extends Queue {
  (item: Item): Promise<Result>
  /** Has the items that are waiting go as soon as they can: somebody waits for them. */
  readonly hurry: () => void
  /** The batches and items that were run so far. */
  readonly batched: () => BatchCount
  /**
   * How long in ms each item of the latest batch had waited at least; 0 if the batch took all that
   * waited: then no queue stands, however long a batch takes.
   */
  readonly leastWaitMs: () => number
}

const defaults: BatcherOptions = {
  maxItems: 500,
  maxInFlight: 2,
  exclusiveMs: 0,
  maxWaiting: 20_000,
  lingerMs: 0,
  name: 'batch',
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly sinceMs: number
  readonly asker: ReturnType<typeof askingContext>
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Group commit: items that arrive while batches are under way go together in the next one, and each
 * caller still waits for its own item's durable result (docs/credits.md §4).
 *
 * `run` answers with one result for each item, in order. When a batch fails for a reason of its own
 * making, its halves are tried apart, so that one impossible item fails alone. Throws
 * SERVICE_UNAVAILABLE when too much is waiting.
 */
export function createBatcher<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  options: Partial<BatcherOptions> = {},
): Batcher<Item, Result> {
  const settings = { ...defaults, ...options }
  const { maxItems, maxInFlight, exclusiveMs, maxWaiting, lingerMs, name } = settings
  let waiting: Waiting<Item, Result>[] = []
  let inFlight = 0
  /** Batches under way for which nothing waits any more. */
  let overdue = 0
  let next: 'none' | 'lingers' | 'begins' = 'none'
  let linger: NodeJS.Timeout | undefined
  /** How many of the waiting items somebody waits for; they are the first ones. */
  let hurried = 0
  const ran = { batches: 0, items: 0 }
  let leastWaitMs = 0

  function schedule(): void {
    if (next === 'begins' || waiting.length === 0 || inFlight >= maxInFlight) return
    const isFull = waiting.length >= maxItems
    if (!isFull && exclusiveMs > 0 && inFlight > overdue) return
    if (isFull || lingerMs === 0 || hurried > 0) {
      clearTimeout(linger)
      next = 'begins'
      setImmediate(flush)
    } else if (next === 'none') {
      next = 'lingers'
      linger = setTimeout(flush, lingerMs)
    }
  }

  function flush(): void {
    next = 'none'
    const batch = takeBatch()
    hurried = Math.max(0, hurried - batch.length)
    inFlight += 1
    ran.batches += 1
    ran.items += batch.length
    leastWaitMs = waiting.length === 0 ? 0 : performance.now() - (batch.at(-1)?.sinceMs ?? 0)
    const endExclusive = exclusiveMs > 0 ? beginExclusive() : () => {}
    const askers = batch.map(({ asker }) => asker)
    void inSharedSpan(name, askers, () => settle(batch)).finally(() => {
      inFlight -= 1
      endExclusive()
      schedule()
    })
    schedule()
  }

  function takeBatch(): readonly Waiting<Item, Result>[] {
    if (waiting.length > maxItems) return waiting.splice(0, maxItems)
    const batch = waiting
    waiting = []
    return batch
  }

  /** Has further batches wait for this one: until the returned function is called, at most for `exclusiveMs`. */
  function beginExclusive(): () => void {
    let isOverdue = false
    const timer = setTimeout(() => {
      isOverdue = true
      overdue += 1
      schedule()
    }, exclusiveMs)
    return () => {
      clearTimeout(timer)
      if (isOverdue) overdue -= 1
    }
  }

  async function settle(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item))
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index]
        if (result === undefined) reject(new Error('A batch lacks a result.'))
        else resolve(result)
      }
    } catch (error) {
      if (batch.length === 1 || isOutage(error)) {
        for (const { reject } of batch) reject(error)
        return
      }
      const middle = batch.length >> 1
      await settle(batch.slice(0, middle))
      await settle(batch.slice(middle))
    }
  }

  function add(item: Item): Promise<Result> {
    if (waiting.length >= maxWaiting) {
      throw unavailable('Too many requests are waiting.')
    }
    return new Promise((resolve, reject) => {
      const sinceMs = performance.now()
      waiting.push({ item, sinceMs, asker: askingContext(), resolve, reject })
      schedule()
    })
  }

  function hurry(): void {
    hurried = waiting.length
    schedule()
  }

  return Object.assign(add, {
    hurry,
    maxWaiting,
    waiting: () => waiting.length,
    batched: () => ({ ...ran }),
    leastWaitMs: () => leastWaitMs,
  })
}
