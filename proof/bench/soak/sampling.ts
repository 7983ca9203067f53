import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewayReady } from '../support/gateway.ts'
import { type Sample, takeRssMb, takeSample } from './samples.ts'

const sampleMs = 5000
/** Between two samples the memory may be higher. */
const rssMs = 250
const measuredPatienceMs = 60_000
const emptyPatienceMs = 60_000

/** A gateway's process, with its metrics. */
export interface Sampled {
  readonly pid: number
  readonly ready: Pick<GatewayReady, 'internalUrl'>
}

export interface Sampling {
  /** Ends it; once more is harmless. */
  stop(): Promise<readonly Sample[]>
  /** The most resident memory from that moment on, looked at four times a second. */
  mostRssMb(fromSeconds: number): number
}

/** Waits for the first counts of jobs and webhooks, which come some seconds after the start. */
export async function untilMeasured({ pid, ready }: Sampled): Promise<void> {
  for (const startedAtMs = performance.now(); ; ) {
    try {
      await takeSample(pid, ready)
      return
    } catch (error) {
      if (performance.now() - startedAtMs > measuredPatienceMs) throw error
      await sleep(1000)
    }
  }
}

/** Samples until it is stopped, or the process has ended. */
export function startSampling({ pid, ready }: Sampled): Sampling {
  const samples: Sample[] = []
  const looks: Pick<Sample, 'atSeconds' | 'rssMb'>[] = []
  const stopping = new AbortController()

  async function keepSampling(): Promise<void> {
    while (!stopping.signal.aborted && isAlive(pid)) {
      const sample = await ifAlive(pid, () => takeSample(pid, ready))
      if (sample) samples.push(sample)
      await sleep(sampleMs, null, { signal: stopping.signal }).catch(() => {})
    }
  }

  const looking = setInterval(() => {
    if (!isAlive(pid)) return clearInterval(looking)
    looks.push({ atSeconds: performance.now() / 1000, rssMb: takeRssMb(pid) })
  }, rssMs)
  const sampling = keepSampling()
  // A failure of the sampling is thrown where it is awaited.
  sampling.catch(() => {})
  return {
    async stop() {
      stopping.abort()
      clearInterval(looking)
      await sampling
      return samples
    },
    mostRssMb: (fromSeconds) =>
      Math.max(
        ...looks.filter(({ atSeconds }) => atSeconds >= fromSeconds).map(({ rssMb }) => rssMb),
      ),
  }
}

/** The time in ms until nothing waits any more; null if that takes a minute, or the process has ended. */
export async function untilQueuesAreEmpty({ pid, ready }: Sampled): Promise<number | null> {
  const startedAtMs = performance.now()
  while (performance.now() - startedAtMs < emptyPatienceMs && isAlive(pid)) {
    const sample = await ifAlive(pid, () => takeSample(pid, ready))
    if (sample?.waiting === 0) return performance.now() - startedAtMs
    await sleep(1000)
  }
  return null
}

export function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`)
}

/** Null if the process has ended meanwhile: that is a result too. */
async function ifAlive<Result>(pid: number, take: () => Promise<Result>): Promise<Result | null> {
  try {
    return await take()
  } catch (error) {
    if (isAlive(pid)) throw error
    return null
  }
}
