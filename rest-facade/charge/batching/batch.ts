import { type Asker, askingContext, inSharedSpan } from '../../../schema/process/tracing.ts'
import { type ApiError, isOutage, unavailable } from '../../http/errors.ts'

/** Something that holds items until they are worked off. */
export interface Queue {
  /** The length of the queue above which no request is let in. */
  readonly maxWaiting: number
  readonly waiting: () => number
  /** The batches and items that have left the queue so far, if it works in batches. */
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
  /** The name of a batch in traces. */
  readonly name: string
}

/** An item of a queue, which notes here for whom it waits, and since when. */
export interface Queued {
  /** When the item began to wait; 0 before that. An item that goes on to another queue goes on waiting. */
  queuedAtMs: number
  /** Whoever asked for the item: the span of the batch links to it. */
  asker: Asker
}

/** Takes items, and has them worked off in batches. */
export interface BatchQueue<Item> extends Queue {
  /** Throws SERVICE_UNAVAILABLE when too much is waiting. */
  readonly add: (item: Item) => void
  /** The batches and items that were run so far. */
  readonly batched: () => BatchCount
  /**
   * How long in ms each item of the latest batch had waited at least; 0 if the batch took all that
   * waited: then no queue stands, however long a batch takes.
   */
  readonly leastWaitMs: () => number
}

/** Resolves to the item's result, as soon as that is durable. */
export interface Batcher<Item, Result> extends Omit<BatchQueue<Item>, 'add'> {
  (item: Item): Promise<Result>
}

const defaults: BatcherOptions = {
  maxItems: 500,
  maxInFlight: 2,
  exclusiveMs: 0,
  maxWaiting: 20_000,
  name: 'batch',
}

/**
 * Group commit: items that arrive while batches are under way go together in the next one, and each
 * caller still waits for its own item's durable result (docs/credits.md §4).
 *
 * `run` tells each item what came of it, and never rejects.
 */
export function createQueue<Item extends Queued>(
  run: (items: readonly Item[]) => Promise<void>,
  options: Partial<BatcherOptions> = {},
): BatchQueue<Item> {
  const settings = { ...defaults, ...options }
  const { maxItems, maxInFlight, exclusiveMs, maxWaiting, name } = settings
  let waiting: Item[] = []
  let inFlight = 0
  /** Batches under way for which nothing waits any more. */
  let overdue = 0
  /** Whether the next batch begins when this turn of the event loop ends. */
  let isBeginning = false
  const ran = { batches: 0, items: 0 }
  let leastWaitMs = 0

  function schedule(): void {
    if (isBeginning || waiting.length === 0 || inFlight >= maxInFlight) return
    const isFull = waiting.length >= maxItems
    if (!isFull && exclusiveMs > 0 && inFlight > overdue) return
    isBeginning = true
    setImmediate(flush)
  }

  function flush(): void {
    isBeginning = false
    const batch = takeBatch()
    inFlight += 1
    ran.batches += 1
    ran.items += batch.length
    leastWaitMs = waiting.length === 0 ? 0 : performance.now() - (batch.at(-1)?.queuedAtMs ?? 0)
    const endExclusive = exclusiveMs > 0 ? beginExclusive() : () => {}
    const askers = batch.map(({ asker }) => asker)
    void inSharedSpan(name, askers, () => run(batch)).finally(() => {
      inFlight -= 1
      endExclusive()
      schedule()
    })
    schedule()
  }

  function takeBatch(): readonly Item[] {
    if (waiting.length > maxItems) return waiting.splice(0, maxItems)
    const batch = waiting
    waiting = []
    return batch
  }

  /**
   * Has further batches wait for this one, until the returned function is called, but at most for
   * `exclusiveMs`.
   */
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

  function add(item: Item): void {
    if (waiting.length >= maxWaiting) throw tooMany(settings)
    item.queuedAtMs ||= performance.now()
    item.asker = askingContext()
    waiting.push(item)
    schedule()
  }

  return {
    add,
    maxWaiting,
    waiting: () => waiting.length,
    batched: () => ({ ...ran }),
    leastWaitMs: () => leastWaitMs,
  }
}

function tooMany({ maxWaiting, name }: BatcherOptions): ApiError {
  const internal = `${maxWaiting} requests wait for a batch of "${name}".`
  return unavailable('Too many requests are waiting.', { internal })
}

/**
 * Does the work for all items, and returns a function that tells each item what came of it. When the work
 * fails for a reason of its own making, the halves are tried apart, so that one impossible item fails
 * alone.
 */
export async function inHalves<Item>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<() => void>,
  fail: (item: Item, error: unknown) => void,
): Promise<void> {
  let tell = () => {}
  try {
    tell = await work(items)
  } catch (error) {
    if (items.length === 1 || isOutage(error)) {
      for (const item of items) fail(item, error)
      return
    }
    const middle = items.length >> 1
    await inHalves(items.slice(0, middle), work, fail)
    await inHalves(items.slice(middle), work, fail)
  }
  tell()
}

interface Waiting<Item, Result> extends Queued {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * A queue whose items have promises. `run` answers with one result for each item, in order. Throws
 * SERVICE_UNAVAILABLE when too much is waiting.
 */
export function createBatcher<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  options: Partial<BatcherOptions> = {},
): Batcher<Item, Result> {
  type Asked = Waiting<Item, Result>
  async function answer(batch: readonly Asked[]): Promise<() => void> {
    const results = await run(batch.map(({ item }) => item))
    return () => {
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index]
        if (result === undefined) reject(new Error('A batch lacks a result.'))
        else resolve(result)
      }
    }
  }
  const queue = createQueue<Asked>(
    (batch) => inHalves(batch, answer, ({ reject }, error) => reject(error)),
    options,
  )
  function ask(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    queue.add({ item, resolve, reject, queuedAtMs: 0, asker: null })
    return promise
  }
  const { add: _, ...rest } = queue
  return Object.assign(ask, rest)
}
