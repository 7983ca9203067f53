import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Deadline, Deadlines } from '../../../rest-facade/backends/deadlines.ts'

/** How much later than asked a deadline may pass. */
const grainMs = 10

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Fake immediates run when the clock moves. */
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

function watch(deadline: Deadline, name: string, passed: string[]): Deadline {
  deadline.onOver = () => passed.push(name)
  return deadline
}

test('deadlines pass in their order, each at its time, with one timer for all', async () => {
  const deadlines = new Deadlines(1000)
  const passed: string[] = []
  // What else runs in this process may have timers too, but sets none in between.
  const others = vi.getTimerCount()
  const first = watch(deadlines.begin(), 'first', passed)
  expect(vi.getTimerCount()).toBe(others + 1)
  await pass(400)
  const withOne = vi.getTimerCount()
  const second = watch(deadlines.begin(), 'second', passed)

  expect(vi.getTimerCount()).toBe(withOne)
  await pass(599)
  expect([first.isOver, passed]).toEqual([false, []])
  await pass(1 + grainMs)
  expect([first.isOver, second.isOver, passed]).toEqual([true, false, ['first']])
  await pass(400)
  expect([second.isOver, passed]).toEqual([true, ['first', 'second']])
})

test('a deadline whose call has ended never passes', async () => {
  const deadlines = new Deadlines(1000)
  const passed: string[] = []
  const ended = watch(deadlines.begin(), 'ended', passed)
  watch(deadlines.begin(), 'standing', passed)

  ended.end()
  await pass(1000 + grainMs)

  expect([ended.isOver, passed]).toEqual([false, ['standing']])
})

test('a deadline that begins after all others have ended passes at its own time', async () => {
  const deadlines = new Deadlines(1000)
  deadlines.begin().end()
  await pass(900)
  const late = deadlines.begin()

  await pass(999)
  expect(late.isOver).toBe(false)
  await pass(1 + grainMs)
  expect(late.isOver).toBe(true)
})
