import { beforeEach, describe, expect, test } from 'vitest'
import {
  type FindShared,
  findNow,
  keepFindings,
} from '../../../gateway/processes/group/shared-probes.ts'
import type { BackendHealth } from '../../../rest-facade/backends/probes.ts'

const up: readonly BackendHealth[] = [{ module: 'seo', status: 'up', latency_ms: 1 }]
const down: readonly BackendHealth[] = [{ module: 'seo', status: 'down', latency_ms: null }]

describe('the state of the backend modules', () => {
  let nowMs: number
  let probes: number
  let found: readonly BackendHealth[]
  let primary: FindShared
  beforeEach(() => {
    nowMs = 1_000_000
    probes = 0
    found = up
    primary = keepFindings(() => nowMs)
  })

  async function probe(): Promise<readonly BackendHealth[]> {
    probes += 1
    return found
  }

  const ask = (by = probe) => primary(() => findNow(by, () => nowMs))

  /** Makes a worker, which keeps what the primary has answered. */
  function createWorker() {
    const find = keepFindings(() => nowMs)
    return () => find(() => ask())
  }

  test('is looked up once a second, whatever the number of workers and requests', async () => {
    const workers = Array.from({ length: 8 }, createWorker)

    for (let second = 1; second <= 3; second += 1) {
      const answers = await Promise.all([...workers, ...workers].map((find) => find()))
      nowMs += 999
      answers.push(...(await Promise.all(workers.map((find) => find()))))
      expect(new Set(answers.map(({ backends }) => backends))).toEqual(new Set([up]))
      expect(probes).toBe(second)
      nowMs += 1
    }
  })

  test('is never shown for longer than a second after a probe began, also by a worker that asked late', async () => {
    const find = createWorker()
    await ask()
    nowMs += 700
    await find()
    found = down

    nowMs += 299
    expect((await find()).backends).toEqual(up)
    nowMs += 1
    expect((await find()).backends).toEqual(down)
  })

  test('is waited for by all while a slow probe is under way, and then fresh for nobody', async () => {
    const { promise, resolve } = Promise.withResolvers<readonly BackendHealth[]>()
    const slow = ask(() => promise)
    nowMs += 5000
    const waiting = ask()
    resolve(down)

    expect(await Promise.all([slow, waiting])).toEqual([
      { backends: down, freshMs: 0 },
      { backends: down, freshMs: 0 },
    ])
    expect(probes).toBe(0)
    expect((await ask()).backends).toEqual(up)
  })

  test('is looked up by one of those that wait when the worker that probes ends', async () => {
    const { promise, reject } = Promise.withResolvers<readonly BackendHealth[]>()
    const ended = ask(() => promise)
    const others = [ask(), ask(), ask()]
    reject(new Error('The other process has ended.'))

    await expect(ended).rejects.toThrow('The other process has ended.')
    for (const { backends } of await Promise.all(others)) expect(backends).toEqual(up)
    expect(probes).toBe(1)
  })
})
