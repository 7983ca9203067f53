import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { mapInTurns, nextPart } from '../../../schema/process/map-in-turns.ts'
import { SpentTime, spending } from '../../../schema/process/spent-time.ts'

/** Keeps the event loop busy. */
function work(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

describe('long work in parts', () => {
  test('has the results of all items in their order, and lets others have their turns meanwhile', async () => {
    const items = Array.from({ length: 200 }, (_, index) => index)
    let isOver = false
    let turnsOfOthers = 0
    const others = async () => {
      while (!isOver) {
        turnsOfOthers += 1
        await new Promise(setImmediate)
      }
    }
    const looking = others()

    const results = await mapInTurns(items, (item) => {
      work(0.2)
      return item * 2
    })
    isOver = true
    await looking

    expect(results).toEqual(items.map((item) => item * 2))
    expect(turnsOfOthers).toBeGreaterThan(5)
  })

  test('a short list is done at once', async () => {
    let isDone = false

    const mapping = mapInTurns([1, 2], (item) => item).finally(() => {
      isDone = true
    })
    await Promise.resolve().then(() => Promise.resolve())
    await new Promise((resolve) => process.nextTick(resolve))

    expect([isDone, await mapping]).toEqual([true, [1, 2]])
  })

  test('of several requests of an account, the parts of the oldest come first, and count for it', async () => {
    const [older, newer] = [new SpentTime('acc_1'), new SpentTime('acc_1')]
    const parts: string[] = []
    const take = (name: string, spent: SpentTime) =>
      spending(spent, async () => {
        await nextPart()
        parts.push(name)
        work(2)
      })

    await Promise.all([
      take('newer', newer),
      take('newer', newer),
      take('older', older),
      take('older', older),
    ])
    await new Promise(setImmediate)

    expect(parts).toEqual(['older', 'older', 'newer', 'newer'])
    for (const spent of [older, newer]) expect(spent.ms).toBeGreaterThanOrEqual(4)
  })

  test('accounts have their parts in turn, however many requests one of them has', async () => {
    const parts: string[] = []
    const requests = ['acc_a', 'acc_a', 'acc_a', 'acc_b'].map((accountId) =>
      spending(new SpentTime(accountId), async () => {
        for (let part = 0; part < 2; part += 1) {
          await nextPart()
          parts.push(accountId)
        }
      }),
    )

    await Promise.all(requests)

    expect(parts.slice(0, 4).filter((accountId) => accountId === 'acc_b')).toHaveLength(2)
  })

  test('a part in which the process stood still is followed by the longest pause, and no longer one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    let aheadMs = 0
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs)
    onTestFinished(() => {
      clock.mockRestore()
      vi.useRealTimers()
    })
    const parts: number[] = []
    async function twoParts() {
      for (let part = 0; part < 2; part += 1) {
        await nextPart()
        parts.push(part)
        aheadMs += 60_000
      }
    }

    const twice = twoParts()
    await vi.advanceTimersByTimeAsync(1000)
    await new Promise(setImmediate)
    await vi.advanceTimersByTimeAsync(1000)

    expect(parts).toEqual([0, 1])
    await twice
  })
})
