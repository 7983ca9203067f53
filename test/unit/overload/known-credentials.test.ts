import { beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type CredentialNote,
  createCredentialMemory,
  createKnownCredentials,
} from '../../../gateway/overload/known-credentials.ts'
import { patience } from '../../support/time/patience.ts'

const minuteMs = 60_000
let nowMs: number
beforeEach(() => {
  nowMs = 1_000_000
})
const clockMs = () => nowMs

/** Makes a memory that has served for longer than ten seconds. */
function createServing(peers: Parameters<typeof createKnownCredentials>[0] = null) {
  const known = createKnownCredentials(peers, clockMs)
  known.begin()
  nowMs += 10_000
  return known
}

/** Processes that pass their notes on to each other. */
function createGateway(workers: number) {
  const takes: ((notes: readonly CredentialNote[]) => void)[] = []
  const told: (readonly CredentialNote[])[] = []
  const all = Array.from({ length: workers }, (_, own) =>
    createServing({
      tell(notes) {
        told.push(notes)
        for (const [other, take] of takes.entries()) if (other !== own) take(notes)
      },
      watch: (take) => void takes.push(take),
    }),
  )
  return { all, told }
}

describe('createKnownCredentials', () => {
  test('knows everybody for ten seconds from the first request on', () => {
    const known = createKnownCredentials(null, clockMs)
    nowMs += minuteMs
    known.begin()

    expect(known.has('invented')).toBe(true)
    nowMs += 9999
    expect(known.has('invented')).toBe(true)
    nowMs += 1
    expect(known.has('invented')).toBe(false)
  })

  test('knows what was accepted for at least ten minutes after its last accept, and at most for eleven', () => {
    const known = createServing()
    known.accept('a')
    nowMs += minuteMs - 1
    known.accept('a')

    nowMs += 10 * minuteMs
    expect(known.has('a')).toBe(true)
    nowMs += 1
    expect(known.has('a')).toBe(false)

    known.accept('a')
    nowMs += 11 * minuteMs - 1
    expect(known.has('a')).toBe(true)
    known.accept('a')
    nowMs += 10 * minuteMs
    expect(known.has('a')).toBe(true)
  })

  test('does not know what was refused, until it is accepted again', () => {
    const known = createServing()
    known.accept('a')
    known.refuse('a')

    expect(known.has('a')).toBe(false)
    known.accept('a')
    expect(known.has('a')).toBe(true)
  })

  test('tells other processes, in batches, what it accepts and refuses', async () => {
    const { all, told } = createGateway(2)
    const [one, other] = all
    one?.accept('a')
    one?.accept('b')
    one?.refuse('b')

    await vi.waitUntil(() => other?.has('a'), patience)

    expect(told).toEqual([
      [
        { name: 'a', agoMs: 0 },
        { name: 'b', agoMs: null },
      ],
    ])
    expect(other?.has('b')).toBe(false)
    other?.refuse('a')
    await vi.waitUntil(() => !one?.has('a'), patience)
  })

  test('tells once a minute what is accepted again and again, and never what was invented', async () => {
    const { all, told } = createGateway(1)
    const [known] = all
    for (let second = 0; second < 60; second += 1) {
      known?.accept('a')
      known?.refuse(`invented ${second}`)
      nowMs += 1000
    }
    await vi.waitUntil(() => told.length === 1, patience)
    known?.accept('a')
    await vi.waitUntil(() => told.length === 2, patience)

    expect(told).toEqual([[{ name: 'a', agoMs: 0 }], [{ name: 'a', agoMs: 0 }]])
  })
})

describe('createCredentialMemory', () => {
  test('tells a new process how long ago each was accepted', () => {
    const memory = createCredentialMemory(clockMs)
    memory.note({ name: 'a', agoMs: 0 })
    nowMs += 9 * minuteMs
    memory.note({ name: 'b', agoMs: 200 })
    memory.note({ name: 'c', agoMs: 11 * minuteMs })

    expect(memory.all()).toEqual([
      { name: 'a', agoMs: 9 * minuteMs },
      { name: 'b', agoMs: 200 },
    ])
    const later = createCredentialMemory(clockMs)
    for (const note of memory.all()) later.note(note)
    nowMs += 2 * minuteMs
    expect(later.all().map(({ name }) => name)).toEqual(['b'])
  })

  test('keeps 50,000, and forgets the one that was accepted least recently', () => {
    const memory = createCredentialMemory(clockMs)
    for (let index = 0; index < 50_000; index += 1) memory.note({ name: `${index}`, agoMs: 0 })
    memory.note({ name: '0', agoMs: 0 })

    memory.note({ name: 'one more', agoMs: 0 })

    expect(memory.all()).toHaveLength(50_000)
    expect(memory.acceptedAtMs('0')).toBe(nowMs)
    expect(memory.acceptedAtMs('1')).toBeUndefined()
    expect(memory.acceptedAtMs('one more')).toBe(nowMs)
  })
})
