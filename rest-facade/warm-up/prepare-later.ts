import { setTimeout as sleep } from 'node:timers/promises'
import type { GraphClient } from '../graph/graph-client.ts'

/** The first seconds of a process belong to its first calls. */
const delayMs = 3000
/** Each operation takes a few milliseconds. */
const pauseMs = 20

/**
 * Compiles all persisted operations, one now and then, so that hardly a request waits for
 * it. Returns a function that stops this and waits.
 */
export function prepareLater({ operations, warmUp }: GraphClient): () => Promise<void> {
  const stop = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { ref: false, signal: stop.signal })
  async function prepareAll(): Promise<void> {
    await pause(delayMs)
    for (const operation of operations) {
      await warmUp(operation)
      await pause(pauseMs)
    }
  }
  // Only the signal rejects.
  const prepared = prepareAll().catch(() => {})
  return async () => {
    stop.abort()
    await prepared
  }
}
