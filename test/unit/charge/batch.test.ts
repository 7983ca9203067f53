import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createBatcher } from '../../../rest-facade/charge/batching/batch.ts'
import { ApiError } from '../../../rest-facade/http/errors.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Remembers the batches it was given; answers each item with its double. */
function doubling() {
  const batches: (readonly number[])[] = []
  return {
    batches,
    run: async (items: readonly number[]) => {
      batches.push(items)
      return items.map((item) => 2 * item)
    },
  }
}

describe('batcher', () => {
  test('batches everything of one turn, and gives each caller its own result', async () => {
    const { batches, run } = doubling()
    const batcher = createBatcher(run)

    const results = await Promise.all(numbers(100).map(batcher))

    expect(results).toEqual(numbers(100).map((item) => 2 * item))
    expect(batches).toEqual([numbers(100)])
    expect(batcher.batched()).toEqual({ batches: 1, items: 100 })
  })

  test('limits the size of batches, and keeps the order of arrival', async () => {
    const { batches, run } = doubling()
    const batcher = createBatcher(run, { maxItems: 4 })

    await Promise.all(numbers(10).map(batcher))

    expect(batches).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9],
    ])
  })

  test('limits the number of running batches, and collects items meanwhile', async () => {
    const batches: (readonly number[])[] = []
    const release = Promise.withResolvers<void>()
    const secondStarted = Promise.withResolvers<void>()
    const batcher = createBatcher(
      async (items: readonly number[]) => {
        batches.push(items)
        if (batches.length === 2) secondStarted.resolve()
        await release.promise
        return items
      },
      { maxInFlight: 2, maxItems: 1 },
    )

    const results = numbers(5).map(batcher)
    await secondStarted.promise
    const underWay = [...batches]
    release.resolve()

    expect(await Promise.all(results)).toEqual(numbers(5))
    expect(underWay).toEqual([[0], [1]])
    expect(batches.flat()).toEqual(numbers(5))
  })

  test('lets one impossible item fail alone', async () => {
    const impossible = new Error('7 is impossible')
    const batcher = createBatcher(async (items: readonly number[]) => {
      if (items.includes(7)) throw impossible
      return items
    })

    const results = await Promise.allSettled(numbers(16).map(batcher))

    expect(results).toEqual(
      numbers(16).map((value) =>
        value === 7 ? { status: 'rejected', reason: impossible } : { status: 'fulfilled', value },
      ),
    )
  })

  test('asks once and fails all items when the other side is unavailable', async () => {
    let asked = 0
    const batcher = createBatcher(async () => {
      asked += 1
      throw new ApiError('SERVICE_UNAVAILABLE', 'The database is unavailable at the moment.')
    })

    const results = await Promise.allSettled(numbers(16).map(batcher))

    expect(asked).toBe(1)
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']))
  })

  test('continues after a failure', async () => {
    let isBroken = true
    const batcher = createBatcher(async (items: readonly number[]) => {
      if (isBroken) throw new Error('broken')
      return items
    })

    await expect(batcher(1)).rejects.toThrow('broken')
    isBroken = false

    expect(await batcher(2)).toBe(2)
  })

  test('throws SERVICE_UNAVAILABLE when too many items wait, and loses none of them', async () => {
    const { run } = doubling()
    const batcher = createBatcher(run, { maxWaiting: 3 })

    const waiting = numbers(3).map(batcher)

    expect(() => batcher(3)).toThrow(
      expect.objectContaining({
        code: 'SERVICE_UNAVAILABLE',
        status: 503,
        headers: { 'Retry-After': '1' },
      }),
    )
    expect(await Promise.all(waiting)).toEqual([0, 2, 4])
    expect(await batcher(4)).toBe(8)
  })

  test('rejects an item that its batch left out', async () => {
    const batcher = createBatcher(async (items: readonly number[]) => items.slice(1))

    const results = await Promise.allSettled(numbers(2).map(batcher))

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })
})

describe('batcher, one batch at a time', () => {
  const exclusiveMs = 50

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** A batcher whose batches end when the test says so. */
  function start(options: Parameters<typeof createBatcher>[1] = {}) {
    const batches: (readonly number[])[] = []
    const ends: PromiseWithResolvers<void>[] = []
    const batcher = createBatcher(
      async (items: readonly number[]) => {
        batches.push(items)
        const end = Promise.withResolvers<void>()
        ends.push(end)
        await end.promise
        return items
      },
      { maxInFlight: 3, exclusiveMs, ...options },
    )
    const end = (batch: number) => ends[batch]?.resolve()
    return { batches, batcher, end }
  }

  /** Fake immediates and promises have their turn. */
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

  test('a further batch waits for the one under way, grows meanwhile, and goes at once after it', async () => {
    const { batches, batcher, end } = start()
    const first = batcher(0)
    await pass(0)
    const others = [batcher(1), batcher(2)]
    await pass(exclusiveMs - 1)
    const third = batcher(3)
    expect(batches).toEqual([[0]])

    end(0)
    await pass(1)

    expect(batches).toEqual([[0], [1, 2, 3]])
    end(1)
    expect(await Promise.all([first, ...others, third])).toEqual([0, 1, 2, 3])
  })

  test('a batch that takes longer than `exclusiveMs` delays no other, and may end after them', async () => {
    const { batches, batcher, end } = start()
    const slow = batcher(0)
    await pass(0)
    const others = [batcher(1), batcher(2)]

    await pass(exclusiveMs + 1)
    end(1)

    expect(batches).toEqual([[0], [1, 2]])
    expect(await Promise.all(others)).toEqual([1, 2])
    const next = batcher(3)
    await pass(1)
    // The slow one is overdue: nothing waits for it again.
    expect(batches).toEqual([[0], [1, 2], [3]])
    end(2)
    end(0)
    expect(await Promise.all([next, slow])).toEqual([3, 0])
  })

  test('each batch is waited for as long as `exclusiveMs`, and there are never more batches under way than allowed', async () => {
    const { batches, batcher, end } = start()
    const results: Promise<number>[] = []
    for (const item of numbers(4)) {
      results.push(batcher(item))
      await pass(exclusiveMs + 1)
    }
    await pass(10 * exclusiveMs)
    expect(batches).toEqual([[0], [1], [2]])

    end(1)
    await pass(1)

    expect(batches).toEqual([[0], [1], [2], [3]])
    for (const batch of numbers(4)) end(batch)
    expect(await Promise.all(results)).toEqual(numbers(4))
  })

  test('a full batch does not wait, because it cannot grow', async () => {
    const { batches, batcher, end } = start({ maxItems: 2 })
    const results = numbers(5).map(batcher)

    await pass(1)

    expect(batches).toEqual([
      [0, 1],
      [2, 3],
    ])
    end(0)
    end(1)
    await pass(1)
    end(2)
    expect(await Promise.all(results)).toEqual(numbers(5))
  })

  test('there is no standing queue while each batch takes all waiting items, whatever its duration', async () => {
    const { batches, batcher, end } = start()
    const results = [batcher(0)]
    await pass(0)
    results.push(batcher(1), batcher(2))
    await pass(exclusiveMs + 1)

    expect(batches).toEqual([[0], [1, 2]])
    expect(batcher.leastWaitMs()).toBe(0)
    end(0)
    end(1)
    await Promise.all(results)
  })

  test('items that a batch leaves in the queue count, and the last one has waited least', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] })
    const { batcher, end } = start({ maxItems: 2, maxInFlight: 1 })
    const results = [batcher(0), batcher(1)]
    await pass(1)
    results.push(batcher(2))
    await pass(30)
    results.push(batcher(3), batcher(4))
    await pass(40)

    end(0)
    await pass(1)
    expect(batcher.leastWaitMs()).toBe(40)
    end(1)
    await pass(1)

    expect(batcher.leastWaitMs()).toBe(0)
    end(2)
    expect(await Promise.all(results)).toEqual(numbers(5))
  })

  test('leaves no timer behind', async () => {
    let left = Number.POSITIVE_INFINITY
    // Timers of gateways that the worker keeps for other files count too, now and then.
    for (let attempt = 0; attempt < 100 && left > 0; attempt += 1) {
      vi.useRealTimers()
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] })
      const { batcher, end } = start()
      const result = batcher(0)
      await pass(0)
      end(0)
      await result
      await pass(0)
      left = vi.getTimerCount()
    }

    expect(left).toBe(0)
  })
})
