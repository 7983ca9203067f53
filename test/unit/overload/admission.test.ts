import { beforeEach, describe, expect, test } from 'vitest'
import { type Admission, createAdmission } from '../../../gateway/overload/admission.ts'
import { createFairShare } from '../../../gateway/overload/fair-share.ts'
import { knownSender, type Sender, unjudgedSender } from '../../../gateway/overload/sender.ts'
import { createStrangers } from '../../../gateway/overload/strangers.ts'

describe('createAdmission', () => {
  let admission: Admission
  let nowMs: number
  let greedy: Set<string>
  beforeEach(() => {
    const askers = ['Bearer a', 'Bearer b']
    greedy = new Set(askers)
    admission = createAdmission(20, {
      ask: (credential) => askers.indexOf(credential),
      hasHad: (asker) => greedy.has(askers[asker] ?? ''),
      letIn() {},
      fade() {},
    })
    nowMs = 1_000_000
  })

  /** A delay every 10 ms, beginning now. */
  function delays(durationMs: number, delayMs: number, working: number): void {
    for (let passedMs = 0; passedMs < durationMs; passedMs += 10) {
      admission.noteDelay(nowMs, delayMs, working)
      nowMs += 10
    }
  }

  const admits = (working: number, credential = 'Bearer a') =>
    admission.admits(
      nowMs,
      { credential, sender: knownSender },
      { all: working, strangers: 0, ofBlock: 0 },
    )

  test('refuses no request while delays are short, whatever the number at work', () => {
    delays(1000, 20, 100_000)

    expect(admits(100_000)).toBe(true)
  })

  test('forgets the bound a second after the last refusal, also without new delays', () => {
    delays(210, 200, 1000)
    expect(admits(1000)).toBe(false)
    admission.noteDelay(nowMs, 0, 10)

    nowMs += 999
    expect(admits(1000)).toBe(false)
    nowMs += 1001
    expect(admits(1000)).toBe(true)
  })

  test('refuses no request for a delay that ends within 100 ms', () => {
    delays(100, 500, 1000)
    delays(10, 20, 1000)
    delays(100, 500, 1000)

    expect(admits(1000)).toBe(true)
  })

  test('refuses no request for one long delay, such as a garbage collection', () => {
    admission.noteDelay(nowMs, 800, 1000)
    nowMs += 800

    expect(admits(1000)).toBe(true)
  })

  test('refuses no request while a long delay falls, as after a stall', () => {
    delays(110, 80, 1000)
    expect(admits(1000)).toBe(true)
    delays(100, 60, 700)
    expect(admits(700)).toBe(true)
    delays(100, 30, 300)

    expect(admits(300)).toBe(true)
  })

  test('after 200 ms of long delays, works on as many as have a delay of 20 ms', () => {
    delays(210, 80, 1000)

    expect(admits(250)).toBe(false)
    expect(admits(249)).toBe(true)
  })

  test('a delay that falls by less than a fifth in 100 ms is a queue that stands', () => {
    delays(110, 400, 1000)
    delays(100, 390, 1000)

    expect(admits(64)).toBe(false)
  })

  test('while the delay falls, lowers a bound to the number at work', () => {
    delays(210, 80, 1000)
    delays(100, 40, 200)

    expect(admits(200)).toBe(false)
    expect(admits(199)).toBe(true)
    delays(100, 40, 200)
    expect(admits(100)).toBe(false)
  })

  test('judges by the least delay of the 100 ms', () => {
    for (let interval = 0; interval < 2; interval += 1) {
      delays(50, 400, 1000)
      delays(10, 40, 1000)
      delays(50, 400, 1000)
    }

    expect(admits(500)).toBe(false)
    expect(admits(499)).toBe(true)
  })

  test('refuses no request without a limit of the delay', () => {
    admission = createAdmission(Number.POSITIVE_INFINITY)
    delays(1000, 10_000, 100_000)

    expect(admits(100_000)).toBe(true)
  })

  test('never works on fewer than 64', () => {
    delays(500, 10_000, 64)

    expect(admits(63)).toBe(true)
    expect(admits(64)).toBe(false)
  })

  test('works on more again while delays are short, and forgets the bound a second after the last refusal', () => {
    delays(210, 80, 1000)
    expect(admits(250)).toBe(false)

    delays(210, 5, 250)
    expect(admits(250)).toBe(true)
    expect(admits(350)).toBe(false)
    delays(1000, 5, 250)
    expect(admits(1000)).toBe(false)
    delays(1020, 5, 250)

    expect(admits(100_000)).toBe(true)
  })

  test('admits half as many more for credentials below their share', () => {
    greedy.delete('Bearer b')
    delays(210, 80, 1000)

    expect(admits(250, 'Bearer a')).toBe(false)
    expect(admits(374, 'Bearer b')).toBe(true)
    expect(admits(375, 'Bearer b')).toBe(false)
  })

  function admitsStranger(strangers: number, ofBlock: number): boolean {
    const asked = { credential: 'Bearer a', sender: { block: '192.0.2.7', isKnown: false } }
    return admission.admits(nowMs, asked, { all: 1000, strangers, ofBlock })
  }

  test('strangers have a tenth of the bound for each client block, and a quarter in all', () => {
    expect(admission.isBounded(nowMs)).toBe(false)
    delays(210, 80, 1000)
    expect(admission.isBounded(nowMs)).toBe(true)

    expect(admitsStranger(62, 24)).toBe(true)
    expect(admitsStranger(62, 25)).toBe(false)
    expect(admitsStranger(63, 0)).toBe(false)
  })

  test('strangers beyond their part take no place from a known caller', () => {
    delays(210, 80, 1000)
    const admitsBeside = (strangers: number, known: number) =>
      admission.admits(
        nowMs,
        { credential: 'Bearer a', sender: knownSender },
        { all: strangers + known, strangers, ofBlock: 0 },
      )

    expect(admitsBeside(800, 187)).toBe(true)
    expect(admitsBeside(800, 188)).toBe(false)
    expect(admitsBeside(10, 239)).toBe(true)
    expect(admitsBeside(10, 240)).toBe(false)
  })
})

describe('a process that serves 5 requests in a millisecond', () => {
  /** µs of work for a request that is served, and for one that is refused. */
  const [servedUs, refusedUs] = [200, 20]
  const stages = 4
  const secondsToSettle = 2
  const seconds = 6

  interface Client {
    readonly credential: string
    readonly perSecond: number
    /** The client block of a stranger, and whether it sends another credential with each request. */
    readonly stranger?: { readonly block: string; readonly keys: 'one' | 'many' }
  }

  interface Request extends Client {
    stage: number
    readonly sinceMs: number
    readonly sender: Sender
  }

  function senderOf({ stranger }: Client, isBounded: boolean): Sender {
    if (!stranger) return knownSender
    return isBounded ? { block: stranger.block, isKnown: false } : unjudgedSender
  }

  /**
   * An event loop in turns: each takes what has arrived during the one before, and moves each request
   * one of four stages on. Counts what is asked and served after the first two seconds.
   */
  function run(clients: readonly Client[], isStalled: (nowMs: number) => boolean = () => false) {
    const admission = createAdmission(20, createFairShare(7))
    const asked = new Map<string, number>()
    const served = new Map<string, number>()
    const sent = clients.map(() => 0)
    let atWork: Request[] = []
    let longestMs = 0
    let refused = 0
    let nowMs = 0
    const strangers = createStrangers()
    function letIn(client: Client, startMs: number, number: number): boolean {
      const { stranger, credential: key } = client
      const credential = stranger?.keys === 'many' ? `${key} ${number}` : key
      const sender = senderOf(client, admission.isBounded(startMs))
      const { block } = sender
      const ofBlock = block === null ? 0 : strangers.of(block)
      const counts = { all: atWork.length, strangers: strangers.count(), ofBlock }
      if (!admission.admits(startMs, { credential, sender }, counts)) return false
      if (!sender.isKnown) strangers.add(block, 1)
      atWork.push({ ...client, sender, stage: 0, sinceMs: startMs })
      return true
    }

    for (let turnMs = 1; nowMs < seconds * 1000; ) {
      const startMs = nowMs
      const isSettled = startMs > secondsToSettle * 1000
      const note = (counts: Map<string, number>, credential: string) => {
        if (isSettled) counts.set(credential, (counts.get(credential) ?? 0) + 1)
      }
      // A loop that had nothing to do for a moment has no delay.
      admission.noteDelay(startMs, turnMs === 1 ? 0 : turnMs, atWork.length)
      let workUs = 100
      for (const request of isStalled(startMs) ? [] : atWork) {
        request.stage += 1
        workUs += servedUs / stages
      }
      for (const { credential, sender, sinceMs } of atWork.filter(
        ({ stage }) => stage === stages,
      )) {
        note(served, credential)
        if (!sender.isKnown) strangers.add(sender.block, -1)
        if (isSettled) longestMs = Math.max(longestMs, startMs - sinceMs)
      }
      atWork = atWork.filter(({ stage }) => stage < stages)
      // In turn, so that none is always the first.
      for (let isMore = true; isMore; ) {
        isMore = false
        for (const [index, client] of clients.entries()) {
          if ((sent[index] ?? 0) >= (startMs / 1000) * client.perSecond) continue
          isMore = true
          sent[index] = (sent[index] ?? 0) + 1
          note(asked, client.credential)
          if (!letIn(client, startMs, sent[index] ?? 0)) {
            workUs += refusedUs
            refused += 1
          }
        }
      }
      turnMs = Math.max(1, workUs / 1000)
      nowMs = startMs + turnMs
    }
    const sum = (counts: Map<string, number>) => [...counts.values()].reduce((a, b) => a + b, 0)
    const perSecond = sum(served) / (seconds - secondsToSettle)
    return { asked, served, perSecond, longestMs, refused }
  }

  const many = (count: number, perSecond: number): Client[] =>
    Array.from({ length: count }, (_, index) => ({ credential: `Bearer ${index}`, perSecond }))

  test('at half of that it refuses nobody', () => {
    const { perSecond } = run(many(50, 50))

    expect(perSecond).toBeGreaterThan(2490)
  })

  test('at half of that, stalls of 300 ms have no request refused', () => {
    const { refused } = run(many(50, 50), (nowMs) => nowMs % 2000 < 300)

    expect(refused).toBe(0)
  })

  test.each([2, 4])('at %i times that it serves all that refusals leave, in short time', (load) => {
    const { perSecond, longestMs } = run(many(100, 50 * load))

    const refusedPerSecond = load * 5000 - perSecond
    const leftPerSecond = 5000 * (1 - (refusedPerSecond * refusedUs) / 1e6)
    expect(perSecond).toBeGreaterThan(0.9 * leftPerSecond)
    expect(longestMs).toBeLessThan(500)
  })

  test('beside a credential that asks for more than the capacity, the others get 95 % of their requests', () => {
    const noisy = { credential: 'Bearer noisy', perSecond: 6000 }
    const { asked, served } = run([...many(100, 30), noisy])

    for (const { credential } of many(100, 30)) {
      const share = (served.get(credential) ?? 0) / (asked.get(credential) ?? 0)
      expect(share).toBeGreaterThan(0.95)
    }
    expect((served.get('Bearer noisy') ?? 0) / (asked.get('Bearer noisy') ?? 1)).toBeLessThan(0.4)
  })

  test.each([
    ['one block with many keys', 1, 'many'],
    ['one block with one key', 1, 'one'],
    ['a hundred blocks with many keys', 100, 'many'],
  ] as const)(
    'beside strangers at four times that, of %s, known callers get 95 of 100 requests',
    (_what, blocks, keys) => {
      const attack = Array.from({ length: blocks }, (_, block) => ({
        ...{ credential: 'Bearer invented', perSecond: 20_000 / blocks },
        stranger: { block: `block ${block}`, keys },
      }))
      const customers = many(10, 200)

      const { asked, served } = run([...customers, ...attack])
      for (const { credential } of customers) {
        const share = (served.get(credential) ?? 0) / (asked.get(credential) ?? 0)
        expect(share).toBeGreaterThan(0.95)
      }
      expect(served.get('Bearer invented') ?? 0).toBeGreaterThan(0)
    },
  )
})
