import { describe, expect, test, vi } from 'vitest'
import { ApiError } from '../../../rest-facade/http/errors.ts'
import { createGather } from '../../../rest-facade/work/batch.ts'

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

describe('gather', () => {
  test('batches everything of one turn, and gives each caller its own result', async () => {
    const { batches, run } = doubling()
    const gather = createGather(run)

    const results = await Promise.all(numbers(100).map(gather))

    expect(results).toEqual(numbers(100).map((item) => 2 * item))
    expect(batches).toEqual([numbers(100)])
  })

  test('limits the size of batches, and keeps the order of arrival', async () => {
    const { batches, run } = doubling()
    const gather = createGather(run, { maxItems: 4 })

    await Promise.all(numbers(10).map(gather))

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
    const gather = createGather(
      async (items: readonly number[]) => {
        batches.push(items)
        if (batches.length === 2) secondStarted.resolve()
        await release.promise
        return items
      },
      { maxInFlight: 2, maxItems: 1 },
    )

    const results = numbers(5).map(gather)
    await secondStarted.promise
    const underWay = [...batches]
    release.resolve()

    expect(await Promise.all(results)).toEqual(numbers(5))
    expect(underWay).toEqual([[0], [1]])
    expect(batches.flat()).toEqual(numbers(5))
  })

  test('lets one impossible item fail alone', async () => {
    const impossible = new Error('7 is impossible')
    const gather = createGather(async (items: readonly number[]) => {
      if (items.includes(7)) throw impossible
      return items
    })

    const results = await Promise.allSettled(numbers(16).map(gather))

    expect(results).toEqual(
      numbers(16).map((value) =>
        value === 7 ? { status: 'rejected', reason: impossible } : { status: 'fulfilled', value },
      ),
    )
  })

  test('asks once and fails all items when the other side is unavailable', async () => {
    let asked = 0
    const gather = createGather(async () => {
      asked += 1
      throw new ApiError('SERVICE_UNAVAILABLE', 'The database is away for the moment.')
    })

    const results = await Promise.allSettled(numbers(16).map(gather))

    expect(asked).toBe(1)
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']))
  })

  test('continues after a failure', async () => {
    let isBroken = true
    const gather = createGather(async (items: readonly number[]) => {
      if (isBroken) throw new Error('broken')
      return items
    })

    await expect(gather(1)).rejects.toThrow('broken')
    isBroken = false

    expect(await gather(2)).toBe(2)
  })

  test('throws SERVICE_UNAVAILABLE when too many items wait, and loses none of them', async () => {
    const { run } = doubling()
    const gather = createGather(run, { maxWaiting: 3 })

    const waiting = numbers(3).map(gather)

    expect(() => gather(3)).toThrow(
      expect.objectContaining({
        code: 'SERVICE_UNAVAILABLE',
        status: 503,
        headers: { 'Retry-After': '1' },
      }),
    )
    expect(await Promise.all(waiting)).toEqual([0, 2, 4])
    expect(await gather(4)).toBe(8)
  })

  test('rejects an item that its batch left out', async () => {
    const gather = createGather(async (items: readonly number[]) => items.slice(1))

    const results = await Promise.allSettled(numbers(2).map(gather))

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })

  test('lets a batch linger for company until it is full', async () => {
    vi.useFakeTimers()
    try {
      const { batches, run } = doubling()
      const gather = createGather(run, { lingerMs: 100, maxItems: 4 })

      const results = Promise.all(numbers(5).map(gather))
      await vi.advanceTimersByTimeAsync(99)
      const full = [...batches]
      await vi.advanceTimersByTimeAsync(100)
      await results

      expect(full).toEqual([[0, 1, 2, 3]])
      expect(batches).toEqual([[0, 1, 2, 3], [4]])
    } finally {
      vi.useRealTimers()
    }
  })

  test('lets none linger for which somebody waits', async () => {
    const { batches, run } = doubling()
    const gather = createGather(run, { lingerMs: 3_600_000, maxItems: 2, maxInFlight: 1 })

    const results = Promise.all(numbers(3).map(gather))
    gather.hurry()
    await results

    expect(batches).toEqual([[0, 1], [2]])
  })
})
