import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { createMetrics, type Metrics } from '../../../gateway/observability/metrics.ts'
import type { Admission } from '../../../gateway/overload/admission.ts'
import { createOverload, type Load, type Overload } from '../../../gateway/overload/overload.ts'
import { knownSender, type Sender, unjudgedSender } from '../../../gateway/overload/sender.ts'
import { createStrangers } from '../../../gateway/overload/strangers.ts'
import { patience } from '../../support/time/patience.ts'

function requestWith(headers: IncomingMessage['headers']): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), { headers })
}

describe('createOverload', () => {
  const admission = {
    noteDelay: vi.fn<Admission['noteDelay']>(),
    isBounded: vi.fn<Admission['isBounded']>(() => false),
    admits: vi.fn<Admission['admits']>(() => true),
  }
  const senderOf = vi.fn((_req: IncomingMessage): Sender => knownSender)
  let metrics: Metrics
  let overload: Overload
  beforeEach(() => {
    vi.clearAllMocks()
    metrics = createMetrics()
    const log = createLog({ level: 'silent', format: 'json' })
    overload = createOverload({
      ...{ maxRequests: 1000, maxDelayMs: 20, log, metrics, admission, senderOf },
    })
  })
  afterEach(() => overload.close())

  function watch(requests: Omit<Load, 'strangers'>, strangers = createStrangers()) {
    const admit = overload.guard({ ...requests, strangers })
    return (authorization: string) => admit(requestWith({ authorization })) === null
  }

  function guard(count: number, working: number, held = 0, strangers = createStrangers()) {
    return watch({ count: () => count, working: () => working, heldBy: () => held }, strangers)
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

    const atWork = { all: 60, strangers: 0, ofBlock: 0 }
    expect(admission.admits.mock.calls).toEqual([
      [expect.any(Number), { credential: 'Bearer a', sender: unjudgedSender }, atWork],
      [expect.any(Number), { credential: 'Bearer b', sender: unjudgedSender }, atWork],
    ])
    expect(senderOf).not.toHaveBeenCalled()
    expect(await metrics.registry.metrics()).toMatch(/^gateway_overload_refused_total 1$/m)
  })

  test('asks who sends a request only while there is a bound, and counts the strangers of all listeners', () => {
    const stranger = { block: '192.0.2.7', isKnown: false }
    const [live, sandbox] = [createStrangers(), createStrangers()]
    for (const block of ['192.0.2.7', null]) live.add(block, 1)
    for (const block of ['192.0.2.7', '192.0.2.8']) sandbox.add(block, 1)
    const isRefused = guard(30, 20, 0, live)
    guard(50, 40, 0, sandbox)
    admission.isBounded.mockReturnValueOnce(true)
    senderOf.mockReturnValueOnce(stranger)

    expect(isRefused('Bearer a')).toBe(false)

    expect(admission.admits.mock.calls).toEqual([
      [
        expect.any(Number),
        { credential: 'Bearer a', sender: stranger },
        { all: 60, strangers: 4, ofBlock: 2 },
      ],
    ])
  })

  test('looks at the delay of the loop and of the queues while 64 or more are at work', async () => {
    let working = 63
    const load = { count: () => working, working: () => working, heldBy: () => 0 }
    const isRefused = watch(load)
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
    // With so few requests at work nobody waits, whatever the queues say.
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
