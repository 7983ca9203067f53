import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import type { LoadResult, loadSchema } from '../support/load.ts'
import { type Connection, createConnection } from './connection.ts'
import { percentile } from './percentile.ts'
import { rotationsOf } from './requests.ts'

type Load = z.infer<typeof loadSchema>

/** How long the last answers are waited for. */
const lastAnswersMs = 30_000
/** The finest that timers are. */
const tickMs = 1

/** Sends a load and waits for all of its answers; those after `seconds` count too. */
export async function drive(load: Load): Promise<LoadResult> {
  const url = new URL(load.url)
  const rotation = rotationsOf(load)
  const senders = Array.from({ length: load.connections }, (_, index) => ({
    connection: createConnection(url),
    next: rotation(index),
  }))
  const closeAll = () => {
    for (const { connection } of senders) connection.close()
  }
  const startedAtMs = performance.now()
  const countsFromMs = startedAtMs + load.leadSeconds * 1000
  const endsAtMs = countsFromMs + load.seconds * 1000
  const tally = createTally(load.leadSeconds === 0 ? 0 : countsFromMs)
  const patience = setTimeout(closeAll, endsAtMs - startedAtMs + lastAnswersMs)
  const send = load.perSecond === undefined ? sendClosed : sendOpen
  await send({ senders, endsAtMs, tally, perSecond: load.perSecond ?? 0 })
  const seconds = (performance.now() - countsFromMs) / 1000
  clearTimeout(patience)
  closeAll()
  return { seconds, ...tally.result() }
}

interface Sender {
  readonly connection: Connection
  readonly next: () => string
}

interface Sending {
  readonly senders: readonly Sender[]
  readonly endsAtMs: number
  readonly tally: Tally
  /** The calls of an open loop in a second. */
  readonly perSecond: number
}

/** Each connection sends its next request when it has the answer of the one before. */
async function sendClosed({ senders, endsAtMs, tally }: Sending): Promise<void> {
  await Promise.all(
    senders.map(async ({ connection, next }) => {
      while (performance.now() < endsAtMs) {
        await tally.count(performance.now(), connection.exchange(next()))
      }
    }),
  )
}

/**
 * Requests are due at a steady rate, whatever becomes of those before. A request that finds no free
 * connection waits for one; that is part of its time. When the generator itself is late, it is not.
 */
async function sendOpen({ senders, endsAtMs, tally, perSecond }: Sending): Promise<void> {
  const free = [...senders]
  const waitingSinceMs: number[] = []
  const underWay = new Set<Promise<void>>()

  async function exchange(sender: Sender, dueAtMs: number): Promise<void> {
    await tally.count(dueAtMs, sender.connection.exchange(sender.next()))
    const oldest = waitingSinceMs.shift()
    if (oldest === undefined) free.push(sender)
    else await exchange(sender, oldest)
  }

  const startedAtMs = performance.now()
  let sent = 0
  for (let nowMs = startedAtMs; nowMs < endsAtMs; nowMs = performance.now()) {
    for (; sent < ((nowMs - startedAtMs) / 1000) * perSecond; sent += 1) {
      const sender = free.shift()
      if (!sender) {
        waitingSinceMs.push(nowMs)
        continue
      }
      const work = exchange(sender, nowMs).finally(() => underWay.delete(work))
      underWay.add(work)
    }
    await sleep(tickMs)
  }
  await Promise.all(underWay)
}

interface Tally {
  /** Resolves when the answer is here, and when there is none. */
  count(sinceMs: number, answer: Promise<number>): Promise<void>
  result(): Omit<LoadResult, 'seconds'>
}

/** Requests before `fromMs` are not counted. */
function createTally(fromMs: number): Tally {
  const timesMs: number[] = []
  const countByStatus = new Map<number, number>()
  let errors = 0
  return {
    async count(sinceMs, answer) {
      try {
        const status = await answer
        if (sinceMs < fromMs) return
        timesMs.push(performance.now() - sinceMs)
        countByStatus.set(status, (countByStatus.get(status) ?? 0) + 1)
      } catch {
        if (sinceMs >= fromMs) errors += 1
      }
    },
    result() {
      const sorted = Float64Array.from(timesMs).sort()
      return {
        errors,
        countByStatus: Object.fromEntries(countByStatus),
        p50Ms: percentile(sorted, 0.5),
        p99Ms: percentile(sorted, 0.99),
        maxMs: percentile(sorted, 1),
      }
    },
  }
}
