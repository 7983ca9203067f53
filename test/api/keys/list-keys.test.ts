import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { unsaid } from './key-record.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const foreignCursor = {
  status: 422,
  code: 'INVALID_REQUEST',
  message: 'cursor: is not a cursor of this list',
  details: [{ field: 'cursor', in: 'query', message: 'is not a cursor of this list' }],
} as const

/** An account with this many keys, its first included, and their ids, newest first. */
async function accountWithKeys(count: number) {
  const account = await gateway.createAccount()
  const ids: string[] = []
  for (let made = 1; made < count; made += 1) ids.unshift((await gateway.createKey(account.id)).id)
  return { ...account, newerIds: ids }
}

async function firstCursor(path: string, key: string): Promise<string> {
  const { body } = await gateway.live.get(`${path}?limit=1`, key)
  return String(Object(body).next_cursor)
}

describe('GET /v1/account/keys', () => {
  test('shows every member of a key except its secret', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get('/v1/account/keys', liveKey)

    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      items: [
        {
          id: expect.stringMatching(/^key_/),
          name: 'First key',
          environment: 'live',
          prefix: 'svc_live_',
          last4: liveKey.slice(-4),
          scopes: ['*'],
          ip_allowlist: [],
          status: 'active',
          expires_at: null,
          last_used_at: expect.toSatisfy((at) => at === null || typeof at === 'string'),
          created_at: expect.stringMatching(/Z$/),
          revoked_at: null,
          replaced_by: null,
          ...unsaid,
          created_by: expect.stringMatching(/^internal:tok_/),
        },
      ],
      next_cursor: null,
    })
  })

  test('pages through five keys, newest first, until next_cursor is null', async () => {
    const { liveKey, newerIds } = await accountWithKeys(5)

    const pages: string[][] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { status, body } = await gateway.live.get(`/v1/account/keys?limit=2${query}`, liveKey)
      expect(status).toBe(200)
      pages.push(Object(body).items.map(({ id }: { id: string }) => id))
      cursor = Object(body).next_cursor
    }

    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1])
    expect(pages.flat().slice(0, 4)).toEqual(newerIds)
    expect(new Set(pages.flat()).size).toBe(5)
  })

  test('ends without another page when the last one is full', async () => {
    const { liveKey } = await accountWithKeys(2)

    const { body } = await gateway.live.get('/v1/account/keys?limit=2', liveKey)

    expect(Object(body).items).toHaveLength(2)
    expect(Object(body).next_cursor).toBeNull()
  })

  test('keeps its position when newer keys are added', async () => {
    const { id, liveKey, newerIds } = await accountWithKeys(3)
    const cursor = await firstCursor('/v1/account/keys', liveKey)

    await gateway.createKey(id)

    const { body } = await gateway.live.get(`/v1/account/keys?limit=1&cursor=${cursor}`, liveKey)
    expect(body).toMatchObject({ items: [{ id: newerIds[1] }] })
  })

  test('shows keys of its own account and environment only', async () => {
    const [own, foreign] = await Promise.all([accountWithKeys(2), accountWithKeys(2)])

    const live = await gateway.live.get('/v1/account/keys', own.liveKey)
    const sandbox = await gateway.sandbox.get('/v1/account/keys', own.sandboxKey)

    const liveIds = Object(live.body).items.map(({ id }: { id: string }) => id)
    expect(liveIds).toHaveLength(2)
    expect(liveIds).not.toContain(foreign.newerIds[0])
    expect(Object(sandbox.body).items).toEqual([
      expect.objectContaining({ environment: 'sandbox', last4: own.sandboxKey.slice(-4) }),
    ])
  })

  test('refuses a changed cursor', async () => {
    const { liveKey } = await accountWithKeys(2)
    const cursor = await firstCursor('/v1/account/keys', liveKey)
    const middle = cursor.length >> 1
    const swapped = cursor.charAt(middle) === 'A' ? 'B' : 'A'
    const changed = [
      cursor.slice(0, middle) + swapped + cursor.slice(middle + 1),
      cursor.slice(1),
      cursor.slice(0, -4),
      `${cursor}AAAA`,
      `${cursor}=`,
      'nonsense',
      'x'.repeat(1001),
    ]

    for (const text of changed) {
      const response = await gateway.live.get(`/v1/account/keys?cursor=${text}`, liveKey)

      expectError(gateway, response, foreignCursor)
    }
  })

  test("refuses another account's cursor, and one of the other environment", async () => {
    const [own, foreign] = await Promise.all([accountWithKeys(2), accountWithKeys(2)])
    await gateway.createKey(own.id, { environment: 'SANDBOX' })
    const ofForeign = await firstCursor('/v1/account/keys', foreign.liveKey)
    const { body } = await gateway.sandbox.get('/v1/account/keys?limit=1', own.sandboxKey)
    const ofSandbox = Object(body).next_cursor

    for (const cursor of [ofForeign, ofSandbox]) {
      const response = await gateway.live.get(`/v1/account/keys?cursor=${cursor}`, own.liveKey)

      expectError(gateway, response, foreignCursor)
    }
  })

  test('refuses a cursor of the usage log, and the log refuses one of this list', async () => {
    const { liveKey } = await accountWithKeys(2)
    await gateway.live.get('/v1/account', liveKey)
    const ofKeys = await firstCursor('/v1/account/keys', liveKey)
    const ofUsage = await firstCursor('/v1/account/usage/log', liveKey)

    const keys = await gateway.live.get(`/v1/account/keys?cursor=${ofUsage}`, liveKey)
    const usage = await gateway.live.get(`/v1/account/usage/log?cursor=${ofKeys}`, liveKey)

    expectError(gateway, keys, foreignCursor)
    expectError(gateway, usage, foreignCursor)
  })

  test.each(['0', '201', '-1', '1.5', 'ten', '', '1e2', '0x10', ' 1', '99999999999'])(
    'refuses the limit %j',
    async (limit) => {
      const { liveKey } = await gateway.createAccount()

      const response = await gateway.live.get(
        `/v1/account/keys?limit=${encodeURIComponent(limit)}`,
        liveKey,
      )

      expectError(gateway, response, {
        status: 422,
        code: 'INVALID_REQUEST',
        message: 'limit: must be an integer from 1 to 200',
        details: [{ field: 'limit', in: 'query', message: 'must be an integer from 1 to 200' }],
      })
    },
  )

  test('names every offending field at once', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get(
      '/v1/account/keys?limit=1&limit=2&cursor=a&cursor=b&colour=red',
      liveKey,
    )

    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      message:
        'limit: must be an integer from 1 to 200; cursor: must be a single cursor; colour: is not known here',
      details: [
        { field: 'limit', in: 'query', message: 'must be an integer from 1 to 200' },
        { field: 'cursor', in: 'query', message: 'must be a single cursor' },
        { field: 'colour', in: 'query', message: 'is not known here' },
      ],
    })
  })

  test.each(['1', '200'])('accepts the limit %s', async (limit) => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get(`/v1/account/keys?limit=${limit}`, liveKey)

    expect(response.status).toBe(200)
  })
})
