import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import {
  type ByteBudget,
  createByteBudget,
  type Release,
} from '../../../rest-facade/http/byte-budget.ts'
import { rounds, seed } from '../../support/extent/extent.ts'
import { patience } from '../../support/time/patience.ts'

/** Longer than any test. */
const patienceMs = 3_600_000

/** Asks, and notes what came of it; `leave` is undefined once nobody watches the asker any more. */
function ask(
  budget: ByteBudget,
  bytes: number,
  options: { account?: string; patienceMs?: number } = {},
) {
  const asker = {
    outcome: null as Release | 'gone' | 'late' | null,
    leave: undefined as (() => void) | undefined,
    release() {
      if (typeof asker.outcome !== 'function') throw new Error(`It has ${asker.outcome}.`)
      asker.outcome()
    },
    hasShare: () => typeof asker.outcome === 'function',
  }
  const onGone = (leave: () => void) => {
    asker.leave = leave
    return () => {
      asker.leave = undefined
    }
  }
  void budget.take({ bytes, patienceMs, onGone, ...options }).then((outcome) => {
    asker.outcome = outcome
  })
  return asker
}

/** Waits until no share can be given by itself any more: each turn gives one. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn <= count; turn += 1) await nextTurn()
}

describe('a budget of bytes', () => {
  test('gives shares in the order of asking, while there is room', async () => {
    const budget = createByteBudget(10)
    const asked = [4, 4, 4, 1, 1].map((bytes) => ask(budget, bytes))
    await turns(5)
    // The last two would fit, but they wait behind one that asked before.
    expect(asked.map(({ hasShare }) => hasShare())).toEqual([true, true, false, false, false])
    expect([budget.taken(), budget.waiting()]).toEqual([8, 3])

    asked[1]?.release()
    await turns(5)

    expect(asked.map(({ hasShare }) => hasShare())).toEqual([true, true, true, true, true])
    expect([budget.taken(), budget.waiting()]).toEqual([10, 0])
  })

  test('lets the accounts take turns, and gives none of them more once it has half', async () => {
    const budget = createByteBudget(10)
    const busy = [3, 3, 3, 3].map((bytes) => ask(budget, bytes, { account: 'busy' }))
    await turns(5)
    const given = () => busy.map(({ hasShare }) => hasShare())
    expect(given()).toEqual([true, true, false, false])

    const other = ask(budget, 4, { account: 'other' })
    const late = ask(budget, 4, { account: 'other' })
    await turns(5)
    expect(other.hasShare()).toBe(true)
    busy[0]?.release()
    await turns(5)

    // The turn of this account has come again, before the second one of the other account.
    expect([given(), late.hasShare()]).toEqual([[true, true, true, false], false])
    other.release()
    await turns(5)
    expect([given(), late.hasShare()]).toEqual([[true, true, true, false], true])
    for (const one of [busy[1], busy[2], late]) one?.release()
    await turns(5)
    busy[3]?.release()
    expect([budget.taken(), budget.waiting()]).toEqual([0, 0])
  })

  test('gives one share in each turn of the event loop', async () => {
    const budget = createByteBudget(10)
    const asked = [1, 1, 1].map((bytes) => ask(budget, bytes))
    const given = () => asked.filter(({ hasShare }) => hasShare()).length

    const counts: number[] = [given()]
    for (let turn = 0; turn < 4; turn += 1) {
      await nextTurn()
      counts.push(given())
    }

    const steps = counts.slice(1).map((count, index) => count - (counts[index] ?? 0))
    expect(counts[0]).toBe(0)
    expect(Math.max(...steps)).toBe(1)
    expect(counts.at(-1)).toBe(3)
  })

  test('gives a share that is larger than all of it when no other one is out', async () => {
    const budget = createByteBudget(10)
    const first = ask(budget, 1)
    const large = ask(budget, 25)
    const last = ask(budget, 1)
    await turns(3)
    expect([first, large, last].map(({ hasShare }) => hasShare())).toEqual([true, false, false])

    first.release()
    await turns(3)
    expect([large, last].map(({ hasShare }) => hasShare())).toEqual([true, false])

    large.release()
    await turns(3)
    expect(last.hasShare()).toBe(true)
    expect([budget.taken(), budget.waiting()]).toEqual([1, 0])
  })

  test('takes a share back once, however often it is released', async () => {
    const budget = createByteBudget(10)
    const [first] = [6, 4].map((bytes) => ask(budget, bytes))
    await turns(2)

    first?.release()
    first?.release()

    expect(budget.taken()).toBe(4)
  })

  test('lets those behind an asker that leaves go on, and does not watch it any more', async () => {
    const budget = createByteBudget(10)
    const holder = ask(budget, 8)
    const leaving = ask(budget, 5)
    const behind = ask(budget, 2)
    await turns(3)
    expect(behind.hasShare()).toBe(false)

    leaving.leave?.()
    await turns(3)

    expect(leaving.outcome).toBe('gone')
    expect(behind.hasShare()).toBe(true)
    expect([holder, leaving, behind].map(({ leave }) => leave)).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect([budget.taken(), budget.waiting()]).toEqual([10, 0])
  })

  test('tells an asker whose patience is over, and lets those behind it go on', async () => {
    const budget = createByteBudget(10)
    ask(budget, 8)
    const impatient = ask(budget, 5, { patienceMs: 10 })
    const behind = ask(budget, 2)

    await vi.waitUntil(() => impatient.outcome !== null, patience)
    await vi.waitUntil(() => behind.hasShare(), patience)

    expect(impatient.outcome).toBe('late')
    expect(impatient.leave).toBeUndefined()
    expect([budget.taken(), budget.waiting()]).toEqual([10, 0])
  })

  test('keeps its limit and the order while requests come and go, and is whole in the end', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('ask' as const), bytes: fc.integer({ min: 1, max: 12 }) }),
      fc.record({
        kind: fc.constantFrom('release' as const, 'leave' as const),
        which: fc.nat({ max: 30 }),
      }),
      fc.constant({ kind: 'turn' as const }),
    )
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const budget = createByteBudget(10)
      const asked: { readonly bytes: number; readonly asker: ReturnType<typeof ask> }[] = []
      const out = new Set<ReturnType<typeof ask>>()
      const given: number[] = []
      function look(): void {
        for (const [index, { asker }] of asked.entries()) {
          if (!asker.hasShare() || given.includes(index)) continue
          given.push(index)
          out.add(asker)
        }
        const bytes = asked.flatMap((one) => (out.has(one.asker) ? [one.bytes] : []))
        const sum = bytes.reduce((total, one) => total + one, 0)
        expect(budget.taken()).toBe(sum)
        expect(sum <= 10 || bytes.length === 1).toBe(true)
      }
      for (const next of steps) {
        if (next.kind === 'ask') {
          asked.push({ bytes: next.bytes, asker: ask(budget, next.bytes) })
        } else if (next.kind === 'leave') {
          asked[next.which % asked.length]?.asker.leave?.()
        } else if (next.kind === 'release') {
          const one = [...out][next.which % out.size]
          if (!one) continue
          one.release()
          out.delete(one)
        }
        await nextTurn()
        look()
      }
      while (out.size > 0 || budget.waiting() > 0) {
        for (const one of out) one.release()
        out.clear()
        await nextTurn()
        look()
      }
      expect(given).toEqual(given.toSorted((a, b) => a - b))
      expect([budget.taken(), budget.waiting()]).toEqual([0, 0])
      expect(asked.every(({ asker }) => asker.outcome !== null)).toBe(true)
    })
    await fc.assert(property, {
      seed,
      numRuns: rounds('BYTE_BUDGETS', { all: 50, nightly: 3000 }),
    })
  })
})
