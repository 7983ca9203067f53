import { describe, expect, test } from 'vitest'
import { SpentTime, spending, timedStatement } from '../../../schema/process/spent-time.ts'

/** Keeps the event loop busy. */
function work(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('the time that is spent on a request', () => {
  test('is its turn of the event loop with all that follows in it, once', async () => {
    const spent = new SpentTime('acc_1')

    spent.noteTurn()
    work(10)
    spent.noteTurn()
    await Promise.resolve().then(() => work(10))
    await turn()
    const afterTurn = spent.ms
    work(5)

    expect(afterTurn).toBeGreaterThanOrEqual(20)
    expect(spent.ms).toBe(afterTurn)
  })

  test('is that of its statements, and of what follows their answers', async () => {
    const spent = new SpentTime('acc_1')

    await spending(spent, async () => {
      await timedStatement(async (onSent) => {
        await new Promise((resolve) => setTimeout(resolve, 30))
        onSent()
        await new Promise((resolve) => setTimeout(resolve, 30))
      })
      work(10)
    })
    await turn()

    // Timers are whole milliseconds, and may come a little early.
    expect(spent.ms).toBeGreaterThanOrEqual(35)
  })

  test('is no time in which the event loop worked for others while the answer waited', async () => {
    const spent = new SpentTime('acc_1')

    await spending(spent, () =>
      timedStatement(async (onSent) => {
        onSent()
        const answered = turn()
        setImmediate(() => work(300))
        await answered
        await turn()
      }),
    )

    expect(spent.ms).toBeLessThan(250)
  })

  test('is not measured for anybody else', async () => {
    const spent = new SpentTime('acc_1')

    await spending(null, () => timedStatement(() => Promise.resolve()))

    expect(spent.ms).toBe(0)
  })
})
