import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { createKeyUse } from '../../../rest-facade/callers/key-use.ts'
import { serviceCaller } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph } from '../../support/database/graph.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { answeringGraph } from '../../support/graph/answering-graph.ts'
import { patience } from '../../support/time/patience.ts'
import { createKey, getKey, patchKey, statusOf } from './key-record.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

describe('last_used_at', () => {
  test('is the last time that the key was accepted, a moment later, and advances', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id, plaintext, last_used_at } = await createKey(gateway.live, liveKey)
    const lastUse = async () =>
      Date.parse((await getKey(gateway.live, liveKey, id)).last_used_at ?? '')
    expect(last_used_at).toBeNull()

    const beforeMs = Date.now()
    await statusOf(gateway.live, plaintext)
    const afterMs = Date.now()
    await expect.poll(lastUse, patience).toBeGreaterThanOrEqual(beforeMs)
    const first = await lastUse()
    await statusOf(gateway.live, plaintext)

    expect(first).toBeLessThanOrEqual(afterMs)
    await expect.poll(lastUse, patience).toBeGreaterThan(first)
  })

  test('counts a call that its scopes forbid, but no call from a forbidden address', async () => {
    const { liveKey } = await gateway.createAccount()
    const narrow = await createKey(gateway.live, liveKey, { scopes: ['seo:read'] })
    const elsewhere = await createKey(gateway.live, liveKey, { ip_allowlist: ['10.0.0.0/8'] })

    expect(await statusOf(gateway.live, elsewhere.plaintext)).toBe(403)
    expect(await statusOf(gateway.live, narrow.plaintext)).toBe(403)

    // Written in one batch or in the one after: what came first is there by then, if it ever is.
    await expect
      .poll(async () => (await getKey(gateway.live, liveKey, narrow.id)).last_used_at, patience)
      .not.toBeNull()
    expect(await getKey(gateway.live, liveKey, elsewhere.id)).toMatchObject({ last_used_at: null })
  })

  test('is not a change that makes gateways forget the key, and survives a change of it', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id, plaintext } = await createKey(gateway.live, liveKey)
    await statusOf(gateway.live, plaintext)
    await expect
      .poll(async () => (await getKey(gateway.live, liveKey, id)).last_used_at, patience)
      .not.toBeNull()
    const { last_used_at } = await getKey(gateway.live, liveKey, id)

    const { body } = await patchKey(gateway.live, liveKey, id, { name: 'Renamed' })

    expect(body).toMatchObject({ name: 'Renamed', last_used_at })
  })
})

describe('the record of key use', () => {
  const [one, two] = [newId('key'), newId('key')]
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))

  test('is written once, with the last use of each key', async () => {
    const written: unknown[] = []
    const use = createKeyUse(async (_, variables) => written.push(variables))

    use.note(one, at(1))
    use.note(two, at(2))
    use.note(one, at(3))
    await use.write()
    await use.write()

    expect(written).toEqual([{ keyIds: [one, two], usedAtMs: [at(3).getTime(), at(2).getTime()] }])
  })

  test('is kept while it cannot be written, unless a later use replaces it', async () => {
    const written: unknown[] = []
    let isUnavailable = true
    const use = createKeyUse(
      answeringGraph((_, variables) => {
        if (isUnavailable) {
          use.note(one, at(9))
          throw new Error('The database is away.')
        }
        written.push(variables)
      }),
    )

    use.note(one, at(1))
    use.note(two, at(2))
    await expect(use.write()).rejects.toThrow('The database is away.')
    isUnavailable = false
    await use.write()

    expect(written).toEqual([{ keyIds: [one, two], usedAtMs: [at(9).getTime(), at(2).getTime()] }])
  })

  test('is written in batches of a thousand, each key once, also where one of them fails', async () => {
    const ids = Array.from({ length: 2500 }, () => newId('key'))
    const batches: string[][] = []
    let failsAt = 1
    const use = createKeyUse(
      answeringGraph((_, { keyIds }) => {
        if (batches.length === failsAt) throw new Error('The database is away.')
        batches.push(z.array(z.string()).parse(keyIds))
      }),
    )

    for (const id of ids) use.note(id, at(1))
    await expect(use.write()).rejects.toThrow('The database is away.')
    failsAt = Number.POSITIVE_INFINITY
    await use.write()

    expect(batches.map(({ length }) => length)).toEqual([1000, 1000, 500])
    expect(batches.flat().sort()).toEqual(ids.sort())
  })

  test.each([
    [1001, 1001, 'keyIds', 'must have at most 1000 entries'],
    [2, 1, 'usedAtMs', 'must have a time for each key'],
  ])('of %d keys and %d times is refused by the graph', async (keys, times, field, message) => {
    const graph = await openTestGraph()
    onTestFinished(() => graph.close())
    const uses = {
      keyIds: Array.from({ length: keys }, () => newId('key')),
      usedAtMs: Array.from({ length: times }, () => at(1).getTime()),
    }

    const marking = graph.as('MarkKeysUsed', uses, serviceCaller())

    await expect(marking).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ field, in: 'body', message }],
    })
  })
})
