import { spentTime } from './spent-time.ts'

/** The time of one part of long work; the turn that it is in takes a little longer. */
const partMs = 1
/** The pause before each part, in which the event loop works for others, however many lists there are. */
const pauseMs = 10
/**
 * The pause after a part, in times of that part, so that all parts together take at most a tenth of the time
 * of the event loop, with the collections of garbage that they meet.
 */
const pausesPerPart = 9
/** The longest pause: a process that stood still in a part must not rest nine times as long. */
const maxPauseMs = 250

interface Waiting {
  readonly accountId: string
  /**
   * The place of the request in the order of arrival: the first request of an account is done before its second
   * begins, so that few lists are in memory.
   */
  readonly place: number
  readonly begin: () => void
}

const waiting: Waiting[] = []

/** The accounts that had parts, the last one at the end: accounts have them in turn. */
const served = new Set<string>()
const maxServed = 1000

/** When the pause after the last part ends, as `performance.now` tells it. */
let pausedUntilMs = 0
let isBooked = false

/**
 * Resolves when the next part of some long work may begin: one part of all such work at a time, with a pause
 * before it. A request passes through the event loop several times, and waits for a part each time, so without pauses
 * long work would slow down all others.
 */
export async function nextPart(): Promise<void> {
  const spent = spentTime()
  const { promise, resolve } = Promise.withResolvers<void>()
  const { accountId = '', place = 0 } = spent ?? {}
  waiting.push({ accountId, place, begin: resolve })
  bookPart()
  await promise
  spent?.noteTurn()
}

function bookPart(): void {
  if (isBooked || waiting.length === 0) return
  isBooked = true
  setTimeout(beginFirst, Math.max(pauseMs, pausedUntilMs - performance.now()))
}

function beginFirst(): void {
  const begunAtMs = performance.now()
  takeFirst()?.begin()
  setImmediate(() => {
    const endedAtMs = performance.now()
    pausedUntilMs = endedAtMs + Math.min(maxPauseMs, pausesPerPart * (endedAtMs - begunAtMs))
    isBooked = false
    bookPart()
  })
}

/** The oldest request of the account whose last part was longest ago. */
function takeFirst(): Waiting | undefined {
  const turns = new Map([...served].map((accountId, turn) => [accountId, turn]))
  const turnOf = ({ accountId }: Waiting) => turns.get(accountId) ?? -1
  const isBefore = (one: Waiting, other: Waiting) =>
    turnOf(one) === turnOf(other) ? one.place < other.place : turnOf(one) < turnOf(other)
  const [some] = waiting
  if (!some) return undefined
  const first = waiting.reduce((found, next) => (isBefore(next, found) ? next : found), some)
  waiting.splice(waiting.indexOf(first), 1)
  served.delete(first.accountId)
  served.add(first.accountId)
  const [oldest] = served
  if (served.size > maxServed && oldest !== undefined) served.delete(oldest)
  return first
}

/**
 * Maps a list as `items.map(work)` does, for lists so long that others must not wait until it is done. `itemsPerLook`
 * is 1 where an item takes longer than a look at the clock.
 */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
  itemsPerLook = 32,
): Promise<Result[]> {
  const results: Result[] = []
  let begunAtMs = performance.now()
  for (const item of items) {
    if (results.length % itemsPerLook === 0 && performance.now() - begunAtMs > partMs) {
      await nextPart()
      begunAtMs = performance.now()
    }
    results.push(work(item))
  }
  return results
}
