import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLog } from '../../../rest-facade/launch/process/log.ts'
import { createMetrics, type Metrics } from '../../../rest-facade/observability/metrics.ts'
import type { Admission } from '../../../rest-facade/overload/admission.ts'
import { createOverload, type Overload } from '../../../rest-facade/overload/overload.ts'
import { patience } from '../../support/time/patience.ts'

describe('createOverload', () => {
  const admission = {
    noteDelay: vi.fn<Admission['noteDelay']>(),
    admits: vi.fn<Admission['admits']>(() => true),
  }
  let metrics: Metrics
  let overload: Overload
  beforeEach(() => {
    vi.clearAllMocks()
    metrics = createMetrics()
    const log = createLog({ level: 'silent', format: 'json' })
    overload = createOverload({ maxRequests: 1000, maxDelayMs: 20, log, metrics, admission })
  })
  afterEach(() => overload.close())

  function guard(count: number, working: number, held = 0) {
    return overload.guard({ count: () => count, working: () => working, heldBy: () => held })
  }

  test('limits the requests in hand of a listener, also while a module works on them', () => {
    const isRefusedAt = (count: number) => guard(count, 0)('Bearer a')

    expect(isRefusedAt(999)).toBe(false)
    expect(isRefusedAt(1000)).toBe(true)
  })

  test('keeps an eighth of the places for credentials that have fewer than a sixty-fourth of them', () => {
    const isRefusedWith = (count: number, held: number) => guard(count, 0, held)('Bearer a')

    expect(isRefusedWith(874, 874)).toBe(false)
    expect(isRefusedWith(875, 15)).toBe(true)
    expect(isRefusedWith(875, 14)).toBe(false)
    expect(isRefusedWith(999, 14)).toBe(false)
    expect(isRefusedWith(1000, 0)).toBe(true)
  })

  test('lets in by credential and by the requests at work of all listeners, and counts refusals', async () => {
    const isRefused = guard(30, 20)
    guard(50, 40)
    admission.admits.mockReturnValueOnce(true).mockReturnValueOnce(false)

    expect(isRefused('Bearer a')).toBe(false)
    expect(isRefused('Bearer b')).toBe(true)

    expect(admission.admits.mock.calls).toEqual([
      [expect.any(Number), 'Bearer a', 60],
      [expect.any(Number), 'Bearer b', 60],
    ])
    expect(await metrics.registry.metrics()).toMatch(/^gateway_overload_refused_total 1$/m)
  })

  test('looks at the delay of the loop and of the queues while 64 or more are at work', async () => {
    let working = 63
    const load = { count: () => working, working: () => working, heldBy: () => 0 }
    const isRefused = overload.guard(load)
    overload.watchQueue(() => 5000)
    overload.watchQueue(() => 7000)
    isRefused('Bearer a')
    working = 64

    isRefused('Bearer a')
    await vi.waitUntil(() => admission.noteDelay.mock.calls.length > 2, patience)
    working = 63
    await vi.waitUntil(() => admission.noteDelay.mock.lastCall?.[2] === 63, patience)

    const delays = admission.noteDelay.mock.calls
    for (const [, delayMs, count] of delays.slice(0, -1)) {
      expect(count).toBe(64)
      expect(delayMs).toBeGreaterThanOrEqual(7000)
    }
    // So few wait for nothing, whatever the queues say.
    expect(delays.at(-1)).toEqual([expect.any(Number), 0, 63])
  })

  test('a loop without a pause is delayed by its turns, and an idle one is not', async () => {
    const isRefused = guard(64, 64)
    const delays = () => admission.noteDelay.mock.calls.map(([, delayMs]) => delayMs)
    let isBusy = true
    function work(): void {
      const untilMs = performance.now() + 40
      while (performance.now() < untilMs);
      if (isBusy) setImmediate(work)
    }

    work()
    isRefused('Bearer a')
    await vi.waitUntil(() => delays().some((delayMs) => delayMs > 20), patience)
    isBusy = false
    admission.noteDelay.mockClear()

    await vi.waitUntil(() => delays().includes(0), patience)
  })
})
