import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createAccountCache } from '../../../rest-facade/callers/account-cache.ts'

interface Fact {
  readonly accountId: string
  readonly version: number
}

const first: Fact = { accountId: 'acct_1', version: 1 }
const second: Fact = { accountId: 'acct_1', version: 2 }

let nowMs: number
let cache: ReturnType<typeof createAccountCache<Fact>>
/** The look-ups so far, to be answered by the test. */
let lookUps: PromiseWithResolvers<Fact | null>[]

function lookUp(): Promise<Fact | null> {
  const begun = Promise.withResolvers<Fact | null>()
  lookUps.push(begun)
  return begun.promise
}

/** Uses the value as a caller of the cache does: one that is due is renewed. */
async function use(): Promise<void> {
  if (!cache.get('name')?.isDue) return
  cache.renew('name', lookUp)
  await vi.advanceTimersByTimeAsync(50)
}

/** All that follows from an answered look-up has happened. */
const settled = () => vi.advanceTimersByTimeAsync(0)

describe('a value that is remembered for five seconds', () => {
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    nowMs = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    cache = createAccountCache<Fact>(5)
    await cache.find('name', async () => first)
    lookUps = []
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  test('is looked up in the background in the second half of them, once, and lives on', async () => {
    nowMs += 2400
    await use()
    expect(lookUps).toHaveLength(0)

    nowMs += 200
    for (let call = 0; call < 3; call += 1) await use()
    expect(lookUps).toHaveLength(1)
    expect(cache.get('name')?.value).toBe(first)
    lookUps[0]?.resolve(second)
    await settled()

    expect(cache.get('name')?.value).toBe(second)
    nowMs += 4900
    expect(cache.get('name')?.value).toBe(second)
    nowMs += 200
    expect(cache.get('name')).toBeUndefined()
  })

  test('is forgotten when it is not found any more', async () => {
    nowMs += 3000
    await use()
    lookUps[0]?.resolve(null)
    await settled()

    expect(cache.get('name')).toBeUndefined()
  })

  test('keeps its end, and is not looked up again, when the look-up fails', async () => {
    nowMs += 3000
    await use()
    lookUps[0]?.reject(new Error('no database'))
    await settled()
    await use()

    expect(lookUps).toHaveLength(1)
    expect(cache.get('name')?.value).toBe(first)
    nowMs += 2100
    expect(cache.get('name')).toBeUndefined()

    await cache.find('name', async () => second)
    nowMs += 3000
    await use()
    expect(lookUps).toHaveLength(2)
  })

  test('is looked up again after a notice during its look-up, about any account', async () => {
    nowMs += 3000
    await use()
    cache.forget('acct_2')
    lookUps[0]?.resolve(second)
    await settled()
    expect(cache.get('name')?.value).toBe(first)

    await use()
    lookUps[1]?.resolve(second)
    await settled()

    expect(cache.get('name')?.value).toBe(second)
  })

  test('is looked up as a part of the request that used it', async () => {
    const request = new AsyncLocalStorage<string>()
    const askers: (string | undefined)[] = []
    const noteAsker = async () => {
      askers.push(request.getStore())
      return first
    }
    await cache.find('other', async () => first)
    nowMs += 3000
    for (const name of ['name', 'other']) {
      request.run(`the request of ${name}`, () => cache.renew(name, noteAsker))
    }
    await vi.advanceTimersByTimeAsync(50)

    expect(askers).toEqual(['the request of name', 'the request of other'])
  })

  test('is not remembered from a look-up during which its account changed', async () => {
    nowMs += 3000
    await use()
    cache.forget('acct_1')
    lookUps[0]?.resolve(first)
    await settled()

    expect(cache.get('name')).toBeUndefined()
  })

  test('is not looked up when it was forgotten before its turn', async () => {
    nowMs += 3000
    cache.renew('name', lookUp)
    cache.forgetAll()
    await settled()
    await vi.advanceTimersByTimeAsync(50)

    expect(cache.get('name')).toBeUndefined()
    expect(lookUps).toHaveLength(0)
  })
})
