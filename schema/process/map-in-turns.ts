import { spentTime } from './spent-time.ts'

/** A part of long work takes about so long. */
const partMs = 2
/** The pause between two parts, in which the event loop works for others, however many lists there are. */
const pauseMs = 10
/** To look at the clock takes longer than most items do. */
const itemsPerLook = 32

interface Waiting {
  /**
   * The place of the request in the order of arrival: the first request is done before the second begins, so
   * that few lists are in memory.
   */
  readonly place: number
  readonly begin: () => void
}

const waiting: Waiting[] = []

/**
 * Resolves when the next part of some long work may begin: one part of all such work at a time, with a pause
 * before it. A request passes through the event loop several times, and waits for a part each time, so without pauses
 * long work would slow down all others.
 */
export async function nextPart(): Promise<void> {
  const spent = spentTime()
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.push({ place: spent?.place ?? 0, begin: resolve })
  if (waiting.length === 1) setTimeout(beginFirst, pauseMs)
  await promise
  spent?.noteTurn()
}

function beginFirst(): void {
  const places = waiting.map(({ place }) => place)
  const [first] = waiting.splice(places.indexOf(Math.min(...places)), 1)
  first?.begin()
  if (waiting.length > 0) setTimeout(beginFirst, pauseMs)
}

/** Maps a list as `items.map(work)` does, for lists so long that others must not wait until it is done. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  let begunAtMs = performance.now()
  for (const [index, item] of items.entries()) {
    if (index % itemsPerLook === 0 && performance.now() - begunAtMs > partMs) {
      await nextPart()
      begunAtMs = performance.now()
    }
    results.push(work(item))
  }
  return results
}
