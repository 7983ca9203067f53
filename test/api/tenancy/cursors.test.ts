import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../../rest-facade/routes/index.ts'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { chosen } from '../../support/extent/extent.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import {
  isOfObjects,
  newIds,
  type Plant,
  pathOf,
  plantOfList,
} from '../../support/gateway/plants.ts'
import { admitted } from '../../support/requests/admitted.ts'
import type { TestResponse } from '../../support/requests/client.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
let cases = 0
afterAll(async () => {
  await gateway.close()
  console.info(`changed and foreign cursors: ${cases} cases`)
})

/** Every list of the route table that takes a cursor. */
const lists = routes
  .filter(({ query }) => query !== undefined && 'cursor' in query.shape)
  .filter(({ path }) => isOfObjects(path))
  .map(({ path }) => plantOfList(path))

interface OpenedList {
  readonly list: Plant
  readonly account: TestAccount
  readonly ids: readonly string[]
}

/** An account with three things in the list, in both environments. */
async function open(list: Plant): Promise<OpenedList> {
  const account = await gateway.createAccount()
  const ids = newIds(list.prefix, 3)
  for (const environment of ['live', 'sandbox'] as const) {
    const own = environment === 'live' ? ids : newIds(list.prefix, 3)
    const owner = { accountId: account.id, environment, canary: 'own' }
    await list.put(gateway.database, { ...owner, ids: own })
  }
  return { list, account, ids }
}

/** One page of one thing, after the cursor. */
async function page(
  { list, account }: Pick<OpenedList, 'list' | 'account'>,
  query = '',
  environment: Environment = 'live',
): Promise<TestResponse> {
  const key = environment === 'live' ? account.liveKey : account.sandboxKey
  const path = await pathOf(list, gateway.database, { accountId: account.id, environment })
  return admitted(() => gateway[environment].get(`/v1${path}?limit=1${query}`, key))
}

async function cursorOf(opened: OpenedList, environment?: Environment): Promise<string> {
  const { body, status } = await page(opened, '', environment)
  expect(status).toBe(200)
  return String(Object(body).next_cursor)
}

function expectRefused(response: TestResponse): void {
  expectError(gateway, response, {
    status: 422,
    code: 'INVALID_REQUEST',
    message: 'cursor: is not a cursor of this list',
    details: [{ field: 'cursor', in: 'query', message: 'is not a cursor of this list' }],
  })
  cases += 1
}

describe.each(lists)('a cursor of /v1$list', (list) => {
  test('continues the list, and is refused when any of its bytes is changed', async () => {
    const opened = await open(list)
    const cursor = await cursorOf(opened)
    const bytes = Buffer.from(cursor, 'base64url')
    expect((await page(opened, `&cursor=${cursor}`)).status).toBe(200)

    for (const index of chosen(`bytes of ${list.prefix}`, [...bytes.keys()], 8)) {
      const changed = Buffer.from(bytes)
      changed[index] = (bytes[index] ?? 0) ^ (1 << (index % 8))

      expectRefused(await page(opened, `&cursor=${changed.toString('base64url')}`))
    }
  })

  test('is refused when it is cut, extended or encoded differently', async () => {
    const opened = await open(list)
    const cursor = await cursorOf(opened)
    const bytes = Buffer.from(cursor, 'base64url')
    const cuts = Array.from({ length: cursor.length - 1 }, (_, index) => cursor.slice(0, index + 1))
    const others = [
      cursor.slice(1),
      `${cursor}A`,
      `${cursor}%3D`,
      `${cursor}%20`,
      `%20${cursor}`,
      `${cursor}%00`,
      `${cursor}%0A`,
      cursor.toLowerCase(),
      bytes.toString('hex'),
      Buffer.concat([bytes, bytes]).toString('base64url'),
      Buffer.from(bytes).reverse().toString('base64url'),
      'null',
      '0',
      '%00',
      '%F0%9F%98%80',
      "'%20OR%201=1--",
      'x'.repeat(1000),
      'x'.repeat(1001),
      opened.ids[0] ?? '',
      Buffer.from(opened.ids[0] ?? '').toString('base64url'),
    ]

    for (const text of [...chosen(`cuts of ${list.prefix}`, cuts, 8), ...others]) {
      expectRefused(await page(opened, `&cursor=${text}`))
    }
  })

  test('is refused when it is empty, or sent twice', async () => {
    const opened = await open(list)
    const cursor = await cursorOf(opened)

    for (const query of ['&cursor=', `&cursor=${cursor}&cursor=${cursor}`]) {
      const response = await page(opened, query)

      expectError(gateway, response, {
        status: 422,
        code: 'INVALID_REQUEST',
        details: [{ field: 'cursor', in: 'query', message: expect.any(String) }],
      })
      cases += 1
    }
  })

  test('is refused for another account, another list and another environment', async () => {
    const opened = await open(list)
    const cursor = await cursorOf(opened)
    const sandboxCursor = await cursorOf(opened, 'sandbox')

    expectRefused(await page({ list, account: await gateway.createAccount() }, `&cursor=${cursor}`))
    expectRefused(await page(opened, `&cursor=${cursor}`, 'sandbox'))
    expectRefused(await page(opened, `&cursor=${sandboxCursor}`))
    for (const other of lists.filter((one) => one !== list)) {
      expectRefused(await page({ list: other, account: opened.account }, `&cursor=${cursor}`))
    }
  })

  test('reveals no position, and looks different each time', async () => {
    const opened = await open(list)
    const { id } = opened.account
    const cursors = [await cursorOf(opened), await cursorOf(opened)]

    expect(new Set(cursors).size).toBe(2)
    for (const cursor of cursors) {
      expect(cursor).toMatch(/^[\w-]+$/)
      for (const hidden of [...opened.ids, id]) {
        const random = hidden.slice(hidden.indexOf('_') + 1)
        expect(readingsOf(cursor).filter((reading) => reading.includes(random))).toEqual([])
      }
    }
    // By chance a sealed cursor may show any short text, but hardly two cursors the same one.
    const [first = [], second = []] = cursors.map((cursor) =>
      readingsOf(cursor).flatMap(
        (reading) => reading.match(/(?:key|kw|inv|req|acct)_|live/g) ?? [],
      ),
    )
    expect(first.filter((shown) => second.includes(shown))).toEqual([])
  })
})

/** A cursor as text, and as what it may encode. */
function readingsOf(cursor: string): string[] {
  const encodings = ['base64', 'base64url', 'hex', 'utf8'] as const
  const decoded = encodings.map((encoding) => Buffer.from(cursor, encoding).toString('latin1'))
  return [cursor, ...decoded]
}

describe('a cursor of the internal account list', () => {
  const query = `query ($after: String) {
    accounts(first: 1, after: $after) { nodes { id } pageInfo { endCursor } }
  }`

  async function ask(after: string | null) {
    const token = await gateway.internalToken('readonly')
    const { body } = await gateway.internal.post('/graphql', { query, variables: { after } }, token)
    return Object(body)
  }

  test('continues the list, and is refused with a changed byte or from another list', async () => {
    const opened = await Promise.all(lists.map(open))
    const { endCursor } = (await ask(null)).data.accounts.pageInfo
    expect((await ask(endCursor)).data.accounts.nodes).toHaveLength(1)
    const bytes = Buffer.from(endCursor, 'base64url')
    const changed = Array.from(bytes.keys(), (index) => {
      const copy = Buffer.from(bytes)
      copy[index] = (bytes[index] ?? 0) ^ 1
      return copy.toString('base64url')
    })
    const foreign = await Promise.all(opened.map((one) => cursorOf(one)))

    for (const after of [...changed, ...foreign, endCursor.slice(0, -1), 'null', '\0']) {
      const { errors } = await ask(after)

      expect(errors).toEqual([
        expect.objectContaining({
          extensions: expect.objectContaining({ code: 'INVALID_REQUEST' }),
        }),
      ])
      cases += 1
    }
    for (const [index, one] of opened.entries()) {
      expectRefused(await page(one, `&cursor=${endCursor}`))
      expect(foreign[index]).not.toBe(endCursor)
    }
  })
})
