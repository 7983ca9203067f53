import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The requests that a listener has taken and not done with. */
export interface RequestsInHand {
  add(res: ServerResponse): void
  count(): number
  /** About how many of them keep this process or its database busy. */
  working(): number
  /** How many it has served during the last second: refusals and failures are no measure of what it can. */
  servedPerSecond(): number
  /** Whether an answer has begun on this connection and not ended. */
  isAnswering(socket: Socket): boolean
  /** Has those that are not answered yet be the last ones of their connections. */
  letGo(): void
  stop(): void
}

const elsewhere = new WeakSet<ServerResponse>()

/** While somebody else works for it, a request costs no more than its place. */
export async function whileElsewhere<Result>(
  res: ServerResponse,
  work: Promise<Result>,
): Promise<Result> {
  elsewhere.add(res)
  try {
    return await work
  } finally {
    elsewhere.delete(res)
  }
}

/** Not those that wait for the rest of a body, for a backend module or for whoever reads the answer. */
function isWorking(res: ServerResponse): boolean {
  return res.req.complete && !res.headersSent && !elsewhere.has(res)
}

const tickMs = 50
const ticksPerSecond = 1000 / tickMs

/** Cuts off whoever leaves an answer unread for so long: it takes memory that others need (docs/promises.md R8). */
export function trackRequests(answerTimeoutMs: number): RequestsInHand {
  const inHand = new Set<ServerResponse>()
  /** Answers that are complete but not taken, and since when. */
  const untaken = new Map<ServerResponse, number>()
  /** In each tick of the last second, the newest one first. */
  let served = Array<number>(ticksPerSecond).fill(0)
  let servedInTick = 0
  let working = 0

  function forget(this: ServerResponse): void {
    inHand.delete(this)
    untaken.delete(this)
    if (this.headersSent && this.statusCode < 400) servedInTick += 1
    working = Math.max(0, working - 1)
  }

  function tick(): void {
    served = [servedInTick, ...served.slice(0, -1)]
    servedInTick = 0
    working = 0
    for (const res of inHand) if (isWorking(res)) working += 1
  }

  function cutUntaken(): void {
    const now = performance.now()
    for (const res of inHand) {
      // Without a socket it waits behind an earlier answer of its connection.
      if (!res.writableEnded || !res.socket) continue
      const sinceMs = untaken.get(res) ?? now
      untaken.set(res, sinceMs)
      if (now - sinceMs >= answerTimeoutMs) res.socket.destroy()
    }
  }

  const timers = [
    setInterval(tick, tickMs).unref(),
    setInterval(cutUntaken, Math.ceil(answerTimeoutMs / 10)).unref(),
  ]
  return {
    add(res) {
      inHand.add(res)
      working += 1
      res.on('close', forget)
    },
    count: () => inHand.size,
    working: () => working,
    servedPerSecond: () => served.reduce((sum, count) => sum + count, servedInTick),
    isAnswering(socket) {
      for (const res of inHand) if (res.socket === socket && res.headersSent) return true
      return false
    },
    letGo() {
      for (const res of inHand) if (!res.headersSent) res.setHeader('Connection', 'close')
    },
    stop() {
      for (const timer of timers) clearInterval(timer)
    },
  }
}
