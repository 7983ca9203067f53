import { describe, expect, test, vi } from 'vitest'
import { AccountTurns } from '../../../subgraphs/shared/database/health/account-turns.ts'
import { patience } from '../../support/time/patience.ts'

/** Statements that run until they are ended, in the order in which they began. */
function openTurns(most: number, { patienceMs = 150_000, apartMs = 0 } = {}) {
  const turns = new AccountTurns({ most: () => most, patienceMs, apartMs })
  const running: { readonly name: string; readonly end: () => void }[] = []
  const begun: string[] = []

  function ask(account: string, name = account): Promise<void> {
    return turns.run(account, () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      running.push({ name, end: resolve })
      begun.push(name)
      return promise
    })
  }

  /** Ends the first statement, and has the next one begin. */
  async function endFirst(): Promise<void> {
    running.shift()?.end()
    await new Promise(setImmediate)
  }

  return { ask, begun, endFirst }
}

describe('the turns of accounts on the connections', () => {
  test('one account has a third of them, all accounts together no more than all', () => {
    const { ask, begun } = openTurns(6)

    for (const account of ['a', 'a', 'a', 'b', 'b', 'c', 'd', 'e']) void ask(account)

    expect(begun).toEqual(['a', 'a', 'b', 'b', 'c', 'd'])
  })

  test.each([
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 2],
    [6, 2],
    [7, 3],
  ])('of %i, one account has %i', (most, own) => {
    const { ask, begun } = openTurns(most)

    for (let index = 0; index < most; index += 1) void ask('a')

    expect(begun).toHaveLength(own)
  })

  test('accounts have their turns in rotation, the statements of one in their order', async () => {
    const { ask, begun, endFirst } = openTurns(1)
    void ask('a', 'a1')
    for (const name of ['a2', 'a3', 'b1', 'b2', 'c1']) void ask(name.slice(0, 1), name)

    for (let index = 0; index < 6; index += 1) await endFirst()

    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
  })

  test('the second statement of an account begins when the first has ended, those of others at once', async () => {
    const { ask, begun, endFirst } = openTurns(6, { apartMs: 150_000 })
    for (const name of ['a1', 'a2', 'b1']) void ask(name.slice(0, 1), name)
    const atOnce = [...begun]

    await endFirst()

    expect([atOnce, begun]).toEqual([
      ['a1', 'b1'],
      ['a1', 'b1', 'a2'],
    ])
  })

  test('the second statement of an account begins beside a first that takes long', async () => {
    const { ask, begun } = openTurns(6, { apartMs: 20 })
    void ask('a', 'a1')
    void ask('a', 'a2')
    const atOnce = [...begun]

    await vi.waitUntil(() => begun.length === 2, patience)

    expect([atOnce, begun]).toEqual([['a1'], ['a1', 'a2']])
  })

  test('a statement whose turn does not come is refused, and has not begun', async () => {
    const { ask, begun } = openTurns(1, { patienceMs: 10 })
    void ask('a')

    await expect(ask('b')).rejects.toMatchObject({ name: 'RefusedUnsent', code: 'ETIMEDOUT' })
    expect(begun).toEqual(['a'])
  })

  test('a thousand wait; one more is refused', async () => {
    const { ask } = openTurns(1)
    for (let index = 0; index <= 1000; index += 1) void ask(`a${index}`)

    await expect(ask('b')).rejects.toMatchObject({ name: 'RefusedUnsent' })
  })
})
