import { setImmediate as settled } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Deadlines } from '../../../rest-facade/backends/deadlines.ts'
import { Protection } from '../../../rest-facade/backends/protection.ts'
import { ClientGone } from '../../../rest-facade/http/errors.ts'
import { callProtected } from '../../support/stubs/call-protected.ts'

let module: Protection
/** The calls that the module got, by account. */
let received: string[]
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  module = new Protection('finder')
  received = []
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)

/** The status of the module, or the message of the refusal. */
async function call(accountId: string, status: number | Promise<number> = 200): Promise<unknown> {
  async function ask() {
    received.push(accountId)
    return status
  }
  try {
    return await callProtected(module, accountId, ask)
  } catch (error) {
    if (error instanceof ClientGone) return 'gone'
    return Object(error).message
  }
}

async function callTimes(times: number, ...asked: Parameters<typeof call>): Promise<void> {
  for (let index = 0; index < times; index += 1) await call(...asked)
}

const forAll = 'finder has been failing; try again in a second.'
const forOne = 'Calls of this account to finder have been failing; try again in a second.'

describe('an account whose calls of a module all fail', () => {
  test('is refused after a hundred, and the calls of others go on', async () => {
    await callTimes(100, 'attacker', 500)

    expect(await call('attacker')).toBe(forOne)
    expect(await call('other')).toBe(200)
    expect(module.isRefusing).toBe(false)
  })

  test('cannot have others refused because a few of their calls fail too', async () => {
    await callTimes(9, 'other', 500)
    await callTimes(300, 'attacker', 500)
    expect(await call('other')).toBe(200)

    await callTimes(30, 'other')
    await callTimes(20, 'other', 500)
    await callTimes(300, 'attacker', 500)

    expect(await call('other')).toBe(200)
    expect(module.isRefusing).toBe(false)
  })

  test('may try one call after each second; the first that succeeds opens the module to it', async () => {
    await callTimes(100, 'only', 500)
    expect(await call('only')).toBe(forOne)
    pass(1000)
    const { promise: answer, resolve } = Promise.withResolvers<number>()

    const probe = call('only', answer)
    const behind = [call('only'), call('only')]
    await settled()
    expect(received).toHaveLength(101)
    resolve(500)

    expect(await probe).toBe(500)
    expect(await Promise.all(behind)).toEqual([forOne, forOne])
    pass(1000)
    const good = Promise.withResolvers<number>()
    const probes = [call('only', good.promise), call('only', 500), call('only')]
    good.resolve(200)
    expect(await Promise.all(probes)).toEqual([200, 500, 200])
  })

  test('a call whose client leaves while it tries says nothing: the next one tries', async () => {
    await callTimes(100, 'only', 500)
    pass(1000)

    expect(await call('only', Promise.reject(new ClientGone()))).toBe('gone')
    expect(await call('only', 500)).toBe(500)
    expect(await call('only')).toBe(forOne)
  })

  test('and some of them succeed, but not half, is refused; with half of them it is not', async () => {
    for (let index = 0; index < 60; index += 1) {
      await call('half', 200)
      await call('half', 500)
    }
    expect(await call('half')).toBe(200)

    await callTimes(49, 'less', 200)
    await callTimes(51, 'less', 500)
    expect(await call('less')).toBe(forOne)
  })

  test('more than ten seconds ago is not judged by them', async () => {
    await callTimes(99, 'slow', 500)
    pass(11_000)
    await callTimes(99, 'slow', 500)

    expect(await call('slow')).toBe(200)
  })
})

describe('a module that fails for all', () => {
  test.each([
    ['two accounts', 2],
    ['a hundred accounts', 100],
  ])('is refused to everybody after a hundred calls of %s', async (_, count) => {
    for (let index = 0; index < 100; index += 1) {
      expect(module.isRefusing).toBe(false)
      await call(`acct_${index % count}`, 500)
    }

    expect(module.isRefusing).toBe(true)
    expect(await call('new')).toBe(forAll)
  })

  test('is refused to everybody too if one account makes nine of ten calls', async () => {
    for (let index = 0; index < 100; index += 1) {
      await call(index % 10 === 0 ? 'small' : 'large', 500)
    }

    expect(await call('small')).toBe(forAll)
  })

  test('is open to all again after a call of any account has succeeded', async () => {
    for (let index = 0; index < 100; index += 1) await call(`acct_${index % 2}`, 500)
    pass(1000)

    expect(await call('new')).toBe(200)
    expect(await call('acct_0')).toBe(200)
    expect(module.isRefusing).toBe(false)
  })

  test('is tried by another account after the call of one has failed, if another asks', async () => {
    for (let index = 0; index < 100; index += 1) await call(`acct_${index % 2}`, 500)
    pass(1000)
    expect(await call('attacker', 500)).toBe(500)

    pass(1000)
    expect(await call('attacker', 500)).toBe(forOne)
    expect(await call('other')).toBe(200)
    expect(module.isRefusing).toBe(false)

    pass(1000)
    expect(await call('attacker')).toBe(200)
  })
})

describe('a call that waits for the one that tries', () => {
  /** What becomes of a call with this deadline, whose client leaves when the test says. */
  function startCall(accountId: string, timeoutMs: number) {
    const account = module.enter(accountId)
    let hangUp = () => {}
    const { promise, resolve } = Promise.withResolvers<unknown>()
    module.begin({
      account,
      deadline: new Deadlines(timeoutMs).begin(),
      onGone(leave) {
        hangUp = leave
        return () => {}
      },
      begin: () => resolve('begun'),
      refuse: (error) => resolve(error instanceof ClientGone ? 'gone' : error.message),
    })
    return { outcome: promise.finally(() => module.leave(account)), hangUp: () => hangUp() }
  }

  test.each([
    ['for its account', 'only', ['only']],
    ['for all', 'acct_0', ['acct_0', 'acct_1']],
  ])(
    '%s is refused at its deadline, or when its client leaves, and keeps no place',
    async (_, id, accounts) => {
      for (let index = 0; index < 100; index += 1)
        await call(accounts[index % accounts.length] ?? '', 500)
      pass(1000)
      const { promise: answer, resolve } = Promise.withResolvers<number>()
      const probe = call(id, answer)

      const late = startCall(id, 20)
      const left = startCall(id, 60_000)
      left.hangUp()

      expect(await left.outcome).toBe('gone')
      expect(await late.outcome).toBe('finder has too many calls waiting.')
      resolve(200)
      expect(await probe).toBe(200)
      // One account may have this many calls at once.
      const others = Array.from({ length: 32 }, () => startCall(id, 60_000))
      expect(new Set(await Promise.all(others.map(({ outcome }) => outcome)))).toEqual(
        new Set(['begun']),
      )
    },
  )
})
