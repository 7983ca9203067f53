import { pino } from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import { type Child, keepChildren, pauseAfter } from '../../../gateway/processes/group/workers.ts'

afterEach(() => void vi.useRealTimers())

interface FakeChild extends Child {
  becomeReady(): void
  die(code: number | null): Promise<void>
  readonly ends: boolean[]
}

function createChildren(count: number) {
  const children: FakeChild[] = []
  const pauses: number[] = []
  function start(): FakeChild {
    const settled = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<number | null>()
    let isReady = false
    const ends: boolean[] = []
    const child: FakeChild = {
      id: children.length + 1,
      pid: 1000 + children.length,
      isReady: () => isReady,
      settled: settled.promise,
      ended: ended.promise,
      ends,
      end(isReplaced) {
        ends.push(isReplaced)
        void child.die(0)
      },
      kill: () => void child.die(null),
      becomeReady() {
        isReady = true
        settled.resolve()
      },
      async die(code) {
        isReady = false
        settled.resolve()
        ended.resolve(code)
        await settle()
      },
    }
    children.push(child)
    return child
  }
  const kept = keepChildren({
    ...{ name: 'worker', count, start, log: pino({ level: 'silent' }) },
    pause: async (ms) => void pauses.push(ms),
  })
  return { kept, children, pauses }
}

/** Everything that follows without waiting has happened. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

test('a worker that ends is started again, later each time', async () => {
  const { kept, children, pauses } = createChildren(2)
  for (const child of children) child.becomeReady()
  await kept.started
  expect(kept.areReady()).toBe(true)

  await children[0]?.die(1)
  expect(kept.areReady()).toBe(false)
  children[2]?.becomeReady()
  expect(kept.areReady()).toBe(true)
  await children[2]?.die(null)
  await children[3]?.die(null)

  expect(pauses).toEqual([100, 200, 400])
  expect(children).toHaveLength(5)
  expect(children[1]?.isReady()).toBe(true)
})

test('the pause is 30 seconds at most', () => {
  expect([1, 2, 3, 9, 10, 1000].map(pauseAfter)).toEqual([100, 200, 400, 25_600, 30_000, 30_000])
})

test('a worker that was ready and ends while others still start is started again when they have', async () => {
  const { kept, children, pauses } = createChildren(2)
  children[0]?.becomeReady()
  await settle()
  await children[0]?.die(1)
  expect(pauses).toEqual([])

  children[1]?.becomeReady()
  await kept.started
  await settle()

  expect(pauses).toEqual([100])
  expect(children).toHaveLength(3)
  children[2]?.becomeReady()
  expect(kept.areReady()).toBe(true)
})

test('a start fails with the first worker that ends', async () => {
  const { kept, children, pauses } = createChildren(2)

  await children[1]?.die(1)

  await expect(kept.started).rejects.toThrow('A worker did not start.')
  expect(pauses).toEqual([])
})

test('workers are replaced one after the other, each when the new one is ready', async () => {
  const { kept, children } = createChildren(2)
  for (const child of children) child.becomeReady()
  await kept.started

  const replaced = kept.replace()
  await settle()
  expect(children).toHaveLength(3)
  expect(children[0]?.ends).toEqual([])
  children[2]?.becomeReady()
  await settle()
  expect(children[0]?.ends).toEqual([true])
  expect(children[1]?.ends).toEqual([])
  expect(kept.areReady()).toBe(true)
  children[3]?.becomeReady()
  await replaced

  expect(children.map(({ ends }) => ends)).toEqual([[true], [true], [], []])
  expect(kept.areReady()).toBe(true)
})

test('a new worker that does not start leaves the old ones in their places', async () => {
  const { kept, children } = createChildren(2)
  for (const child of children) child.becomeReady()
  await kept.started

  const replaced = kept.replace()
  await settle()
  await children[2]?.die(1)
  await replaced

  expect(children).toHaveLength(3)
  expect(kept.areReady()).toBe(true)
  expect(children[0]?.ends).toEqual([])
})

test('a stop ends all workers, starts none again, and tells whether all ended well', async () => {
  const { kept, children, pauses } = createChildren(2)
  for (const child of children) child.becomeReady()
  await kept.started

  expect(await kept.stop(1000)).toBe(true)

  expect(children.map(({ ends }) => ends)).toEqual([[false], [false]])
  expect(pauses).toEqual([])
  expect(kept.all()).toEqual([])
})

test('a new worker that ends while the old one still finishes its work is started again', async () => {
  const { kept, children, pauses } = createChildren(1)
  const [old] = children
  if (!old) throw new Error('There is no child.')
  old.becomeReady()
  await kept.started
  // The old worker still has a connection.
  vi.spyOn(old, 'end').mockImplementation(() => {})

  const replaced = kept.replace()
  await settle()
  children[1]?.becomeReady()
  await replaced
  await children[1]?.die(1)

  expect(pauses).toEqual([100])
  expect(children).toHaveLength(3)
  children[2]?.becomeReady()
  expect(kept.areReady()).toBe(true)
  await old.die(0)
  expect(children).toHaveLength(3)
})

test('a new worker that does not become ready within a minute is killed; the next replacement goes on', async () => {
  const { kept, children } = createChildren(1)
  children[0]?.becomeReady()
  await kept.started
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

  const replaced = kept.replace()
  await settle()
  vi.advanceTimersByTime(60_000)
  await replaced

  expect(children[1]?.isReady()).toBe(false)
  expect(children[0]?.ends).toEqual([])
  const again = kept.replace()
  await settle()
  children[2]?.becomeReady()
  await again
  expect(children[0]?.ends).toEqual([true])
})
