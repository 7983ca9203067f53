import { once } from 'node:events'
import { createServer } from 'node:http'
import { Pool } from 'undici'
import type { Answer } from '../../../test/support/conformity/answers-conform.ts'

/** What a request has cost, and what came back. */
export interface Cost {
  readonly status: number
  readonly bytesIn: number
  readonly bytesOut: number
  /** The time of this thread, in which the gateway runs; the part of the client is in it. */
  readonly loopMs: number
}

/** One request at a time: the whole work of the thread in the meantime is its own. */
export async function costOf(body: string, ask: () => Promise<Answer>): Promise<Cost> {
  const before = threadMs()
  const answer = await ask()
  return {
    status: answer.status,
    bytesIn: Buffer.byteLength(body),
    bytesOut: Buffer.byteLength(answer.body),
    loopMs: threadMs() - before,
  }
}

/**
 * The processor time of this thread. The clock would count other processes too. The system counts
 * in steps of some ms.
 */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Many steps of the system's count. */
const longMs = 60
const mostRounds = 200

/** How long it takes just now to parse a text as JSON: what else runs on the machine slows both. */
export function parseMs(text: string): number {
  const before = threadMs()
  let rounds = 0
  for (; rounds < mostRounds && threadMs() - before < longMs; rounds += 1) parse(text)
  return (threadMs() - before) / rounds
}

/** A text that is no JSON takes as long as it takes to find that out. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** A request is repeated so often where a single one seems to cost too much. */
const repeats = 8
const mostBatches = 12

/**
 * The mean of many, because the system counts in steps; of the least of some batches, because a garbage
 * collection, the compiler or a job may work meanwhile, and other programs slow this one. No further batch
 * is tried once one costs no more than `enoughMs`.
 */
export async function leastMs(
  work: () => Promise<unknown>,
  { enoughMs = 0, batches = mostBatches } = {},
): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let batch = 0; batch < batches && least > enoughMs; batch += 1) {
    const before = threadMs()
    for (let count = 0; count < repeats; count += 1) await work()
    least = Math.min(least, (threadMs() - before) / repeats)
  }
  return least
}

/** A server in this thread that reads a body and does nothing. */
export async function openControl() {
  const server = createServer((req, res) => req.resume().on('end', () => res.end()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = Object(server.address())
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 })
  return {
    /** Sends a body, and does nothing else. */
    async send(body: string): Promise<void> {
      const response = await pool.request({ method: 'POST', path: '/', body })
      await response.body.dump()
    },
    async close() {
      await pool.close()
      server.close()
    },
  }
}
