import { askingContext, inSharedSpan } from '../../schema/process/tracing.ts'
import { isOutage, unavailable } from '../http/errors.ts'
import type { Queue } from '../observability/metrics.ts'

export interface GatherOptions {
  /** Items in one batch. */
  readonly maxItems: number
  /** Batches under way at once: two, so that one is on its way while the other commits. */
  readonly maxInFlight: number
  /** Items waiting; one more is refused. */
  readonly maxWaiting: number
  /**
   * How long the first item of a batch waits for company, unless the batch is full before; 0 is until this
   * turn of the event loop ends.
   */
  readonly lingerMs: number
  /** What a trace calls a batch. */
  readonly name: string
}

/** Resolves to the item's result, as soon as that is durable. */
export interface Gather<Item, Result> extends Queue {
  (item: Item): Promise<Result>
  /** Has the items that are waiting go as soon as they can: somebody waits for them. */
  readonly hurry: () => void
}

const defaults: GatherOptions = {
  maxItems: 500,
  maxInFlight: 2,
  maxWaiting: 20_000,
  lingerMs: 0,
  name: 'gather',
}

interface Waiting<Item, Result> {
  readonly item: Item
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
export function createGather<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  options: Partial<GatherOptions> = {},
): Gather<Item, Result> {
  const { maxItems, maxInFlight, maxWaiting, lingerMs, name } = { ...defaults, ...options }
  let waiting: Waiting<Item, Result>[] = []
  let inFlight = 0
  let isScheduled = false
  let lingering: NodeJS.Timeout | null = null
  /** How many of those that are waiting somebody waits for. */
  let hurried = 0

  function schedule(): void {
    if (isScheduled || inFlight >= maxInFlight || waiting.length === 0) return
    if (lingerMs > 0 && hurried === 0 && waiting.length < maxItems) {
      lingering ??= setTimeout(flush, lingerMs)
      return
    }
    isScheduled = true
    setImmediate(flush)
  }

  function flush(): void {
    isScheduled = false
    if (lingering) clearTimeout(lingering)
    lingering = null
    hurried = Math.max(0, hurried - maxItems)
    const batch = waiting.slice(0, maxItems)
    waiting = waiting.slice(maxItems)
    inFlight += 1
    const askers = batch.map(({ asker }) => asker)
    void inSharedSpan(name, askers, () => settle(batch)).finally(() => {
      inFlight -= 1
      schedule()
    })
    schedule()
  }

  async function settle(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item))
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index]
        if (result === undefined) reject(new Error('A gathered batch lacks a result.'))
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

  function gather(item: Item): Promise<Result> {
    if (waiting.length >= maxWaiting) {
      throw unavailable('Too many requests are waiting.')
    }
    return new Promise((resolve, reject) => {
      waiting.push({ item, asker: askingContext(), resolve, reject })
      schedule()
    })
  }

  function hurry(): void {
    hurried = waiting.length
    schedule()
  }

  return Object.assign(gather, { hurry, maxWaiting, waiting: () => waiting.length })
}
