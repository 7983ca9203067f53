import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GraphClient } from '../../../rest-facade/graph/graph-client.ts'

interface PrepareLaterOptions {
  /** The pause before the first operation: the first seconds of a process belong to its first calls. */
  readonly delayMs?: number
  /** The pause before each operation, which takes a few milliseconds. */
  readonly pauseMs?: number
  /** Begins to measure; the result tells which part of the time since then the process was busy, 0 to 1. */
  readonly measureUse?: () => () => number
}

/** A busier process does not prepare: its callers would wait longer. */
const maxUse = 0.4

/**
 * Compiles all persisted operations, one now and then while the process has little to do, so that
 * hardly a request waits for it. Returns a function that stops this and waits.
 */
export function prepareLater(
  { operations, warmUp }: Pick<GraphClient, 'operations' | 'warmUp'>,
  { delayMs = 3000, pauseMs = 20, measureUse = measureLoopUse }: PrepareLaterOptions = {},
): () => Promise<void> {
  const stop = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { ref: false, signal: stop.signal })
  async function untilQuiet(): Promise<void> {
    for (;;) {
      const useOf = measureUse()
      await pause(pauseMs)
      if (useOf() <= maxUse) return
    }
  }
  async function prepareAll(): Promise<void> {
    await pause(delayMs)
    for (const operation of operations) {
      await untilQuiet()
      await warmUp(operation)
    }
  }
  // Only the signal to stop makes this reject.
  const prepared = prepareAll().catch(() => {})
  return async () => {
    stop.abort()
    await prepared
  }
}

function measureLoopUse(): () => number {
  const start = performance.eventLoopUtilization()
  return () => performance.eventLoopUtilization(start).utilization
}
