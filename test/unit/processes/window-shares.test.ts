import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  createShares,
  createWindows,
  type WindowAsk,
} from '../../../gateway/processes/group/window-shares.ts'
import { countToLimit } from '../../../rest-facade/rate-limit/rate-limiter.ts'

const second = 1_700_000_000_000

/** A primary and its workers, at a time that the test sets. */
function createGateway(workers: number) {
  const clock = { ms: second }
  const windows = createWindows(() => clock.ms)
  const messages: (readonly WindowAsk[])[] = []
  const primary = { isGone: false }
  const failures: unknown[] = []
  const counts = Array.from({ length: workers }, () =>
    createShares({
      workers,
      clockMs: () => clock.ms,
      onFailure: (error) => void failures.push(error),
      async ask(asks) {
        messages.push(asks)
        await nextTurn()
        if (primary.isGone) throw new Error('The other process has ended.')
        return asks.map(windows.take)
      },
    }),
  )
  return { clock, counts, messages, primary, failures }
}

describe('the shares of a rate window', () => {
  test.each([
    { limit: 10, workers: 8 },
    { limit: 25, workers: 8 },
    { limit: 100, workers: 8 },
    { limit: 1000, workers: 8 },
    { limit: 1000, workers: 2 },
  ])(
    '$workers workers at twice the limit of $limit admit no more, and at least 95 % of it',
    async ({ limit, workers }) => {
      const { clock, counts } = createGateway(workers)
      const load = 2 * limit
      const answers: number[] = []
      const waiting: Promise<void>[] = []

      for (let index = 0; index < load; index += 1) {
        clock.ms = second + Math.floor((1000 * index) / load)
        // Connections fall to workers as they come, not in turn.
        const worker = (index * 7 + Math.floor(index / 3)) % workers
        const counted = counts[worker]?.('account', limit)
        waiting.push(Promise.resolve(counted).then((found) => void answers.push(found?.count ?? 0)))
        if (index % 4 === 0) await nextTurn()
      }
      await Promise.all(waiting)

      const admitted = answers.filter((count) => count <= limit)
      expect(answers).toHaveLength(load)
      expect(new Set(admitted).size).toBe(admitted.length)
      expect(admitted.length).toBeLessThanOrEqual(limit)
      expect(admitted.length).toBeGreaterThanOrEqual(0.95 * limit)
    },
  )

  test('a worker sends the asks of one turn together, and at most one message for each share', async () => {
    const { counts, messages } = createGateway(2)
    const [count] = counts
    if (!count) throw new Error('There is no worker.')

    await Promise.all([count('one', 80), count('one', 80), count('two', 8)])
    for (let more = 0; more < 8; more += 1) await count('one', 80)

    expect(messages).toEqual([
      [
        { key: 'one', limit: 80, want: 10 },
        { key: 'two', limit: 8, want: 1 },
      ],
    ])
  })

  test('a worker that waits for a share gets one for all that came meanwhile', async () => {
    const { counts, messages } = createGateway(1)
    const [count] = counts
    if (!count) throw new Error('There is no worker.')

    const first = count('one', 4)
    await nextTurn()
    const others = [count('one', 4), count('one', 4), count('one', 4), count('one', 4)]
    const found = await Promise.all([first, ...others])

    expect(found.map((counted) => counted?.count)).toEqual([1, 2, 3, 4, 5])
    expect(messages).toEqual([
      [{ key: 'one', limit: 4, want: 1 }],
      [{ key: 'one', limit: 4, want: 4 }],
    ])
  })

  test('a share ends with its window, and the next window is whole', async () => {
    const { clock, counts } = createGateway(2)
    const [one, two] = counts
    expect(await one?.('account', 16)).toMatchObject({ count: 1 })

    clock.ms += 1000
    const found = []
    for (let index = 0; index < 16; index += 1) {
      const counted = await (index % 2 === 0 ? one : two)?.('account', 16)
      found.push(counted?.count ?? 0)
    }

    expect(found.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, at) => at + 1))
  })

  test('several requests at once are counted like as many alone, and exceed a limit together', async () => {
    const { counts } = createGateway(2)
    const [one, two] = counts.map(countToLimit)
    if (!one || !two) throw new Error('There are no workers.')

    const windows = [
      await one('account', 10, 4),
      await two('account', 10),
      await one('account', 10, 5),
    ]

    expect(windows.map(({ isExceeded }) => isExceeded)).toEqual([false, false, false])
    expect(windows.at(-1)?.remaining).toBe(0)
    expect(await two('account', 10)).toMatchObject({ isExceeded: true })
    expect(await one('another', 10, 11)).toMatchObject({ isExceeded: true })
  })

  test('while nobody can count, all requests are let through with a whole window, and each failure is told', async () => {
    const { counts, primary, failures } = createGateway(2)
    const [limit] = counts.map(countToLimit)
    if (!limit) throw new Error('There is no worker.')
    primary.isGone = true

    const windows = await Promise.all([limit('one', 2), limit('one', 2, 3), limit('two', 2)])
    expect(windows.map(({ isExceeded, remaining }) => [isExceeded, remaining])).toEqual(
      Array(3).fill([false, 2]),
    )
    expect(failures.map(String)).toEqual(['Error: The other process has ended.'])

    primary.isGone = false
    expect(await limit('one', 2)).toMatchObject({ isExceeded: false, remaining: 1 })
  })

  test('a refusal is kept until the window ends: further requests cost no message', async () => {
    const { counts, messages } = createGateway(2)
    const [count] = counts
    if (!count) throw new Error('There is no worker.')
    const limit = countToLimit(count)

    const windows = []
    for (let index = 0; index < 5; index += 1) windows.push(await limit('account', 2))

    expect(windows.map(({ isExceeded }) => isExceeded)).toEqual([false, false, true, true, true])
    expect(messages).toHaveLength(3)
  })
})
