import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestAccount, type TestGateway } from '../../support/gateway/gateway.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'
import {
  conflict,
  createKey,
  deleteKey,
  getKey,
  instant,
  invalidKey,
  notFound,
  patchKey,
  rotateKey,
  statusOf,
} from './key-record.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const path = '/v1/account/keys'

/** A daily budget as a body has it. */
const daily = (limit_credits: number) => ({ period: 'day', limit_credits })
const inTotal = (limit_credits: number) => ({ period: 'total', limit_credits })

/** A budget as an answer shows it. */
function shown(budget: { period: string; limit_credits: number }, used = 0) {
  return {
    ...budget,
    used_credits: used,
    held_credits: 0,
    remaining_credits: budget.limit_credits - used,
    resets_at: budget.period === 'total' ? null : instant,
    enforce: true,
  }
}

/** Costs 5 credits. */
function spend(key: string): Promise<TestResponse> {
  return gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, key)
}

const statusOfSpending = async (key: string) => (await spend(key)).status

/** Sets a budget of an external id, as its owner does. */
async function setBudgets(accountId: string, spender: string, limit: number): Promise<void> {
  await gateway.database.query(
    "SELECT account.set_budgets($1, 'live', $2, ARRAY['total'], ARRAY[$3::bigint], ARRAY[true])",
    [accountId, spender, limit],
  )
}

async function removeBudgets(accountId: string): Promise<void> {
  await gateway.database.query('DELETE FROM account.budget WHERE account_id = $1', [accountId])
}

async function marksOf(accountId: string): Promise<boolean[]> {
  const rows = await gateway.database.query<{ is_capped: boolean }>(
    `SELECT is_capped FROM keys.api_key
     WHERE account_id = $1 AND environment = 'live' ORDER BY id`,
    [accountId],
  )
  return rows.map(({ is_capped }) => is_capped)
}

async function budgetCount(accountId: string): Promise<number> {
  const rows = await gateway.database.query('SELECT 1 FROM account.budget WHERE account_id = $1', [
    accountId,
  ])
  return rows.length
}

describe('budgets of a key', () => {
  test('are in force with the key, and every answer that shows the key shows them', async () => {
    const { liveKey } = await gateway.createAccount()

    const { plaintext, ...created } = await createKey(gateway.live, liveKey, {
      budgets: [daily(7), inTotal(100)],
    })
    const first = await spend(plaintext)
    const second = await spend(plaintext)

    expect(created.budgets).toEqual([shown(daily(7)), shown(inTotal(100))])
    expect([first.status, second.status]).toEqual([200, 402])
    expect(Object(second.body).error).toMatchObject({
      code: 'BUDGET_EXCEEDED',
      details: [{ of: 'key', period: 'day', limit_credits: 7, needed_credits: 5 }],
    })
    const used = [shown(daily(7), 5), shown(inTotal(100), 5)]
    const list = await gateway.live.get(path, liveKey)
    const revoked = await deleteKey(gateway.live, liveKey, created.id)
    expect((await getKey(gateway.live, liveKey, created.id)).budgets).toEqual(used)
    expect(Object(list.body).items).toMatchObject([{ budgets: used }, { budgets: [] }])
    expect(Object(revoked.body).budgets).toEqual(used)
  })

  test('are set, changed and removed for a key in use; a limit that changes keeps the use', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id, plaintext } = await createKey(gateway.live, liveKey)
    expect(await statusOfSpending(plaintext)).toBe(200)

    const set = await patchKey(gateway.live, liveKey, id, { budgets: [daily(9)] })
    const spent = [await statusOfSpending(plaintext), await statusOfSpending(plaintext)]
    const raised = await patchKey(gateway.live, liveKey, id, { budgets: [daily(10)] })
    const again = [await statusOfSpending(plaintext), await statusOfSpending(plaintext)]
    const kept = await patchKey(gateway.live, liveKey, id, { name: 'Kept' })
    const lowered = await patchKey(gateway.live, liveKey, id, { budgets: [daily(4)] })
    expect(await marksOf(accountId)).toEqual([false, true])
    const removed = await patchKey(gateway.live, liveKey, id, { budgets: [] })

    expect(Object(set.body).budgets).toEqual([shown(daily(9))])
    expect(spent).toEqual([200, 402])
    expect(Object(raised.body).budgets).toEqual([shown(daily(10), 5)])
    expect(again).toEqual([200, 402])
    expect(Object(kept.body).budgets).toEqual([shown(daily(10), 10)])
    expect(Object(lowered.body).budgets).toEqual([shown(daily(4), 10)])
    expect(Object(removed.body).budgets).toEqual([])
    expect(await statusOfSpending(plaintext)).toBe(200)
    expect([await marksOf(accountId), await budgetCount(accountId)]).toEqual([[false, false], 0])
  })

  test('are refused with every wrong member named, and nothing is stored', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const budgets = [daily(0), { period: 'year', limit_credits: 1.5 }, daily(2 ** 53)]
    const limit = 'must be an integer from 1 to 9007199254740991'

    const response = await gateway.live.post(path, { name: '', budgets }, liveKey)

    expect(response.status).toBe(422)
    const { details } = Object(Object(response.body).error)
    expect(details).toEqual([
      { field: 'name', in: 'body', message: 'must have at least 1 character' },
      { field: 'budgets.0.limit_credits', in: 'body', message: limit },
      {
        ...{ field: 'budgets.1.period', in: 'body' },
        message: 'must be one of day, week, month, total',
      },
      { field: 'budgets.1.limit_credits', in: 'body', message: limit },
      { field: 'budgets.2.limit_credits', in: 'body', message: limit },
      {
        ...{ field: 'budgets.2.period', in: 'body' },
        message: 'is the period of another budget of this list: day',
      },
    ])
    expect([await marksOf(accountId), await budgetCount(accountId)]).toEqual([[false], 0])
  })

  test('on a key that is missing or foreign is NOT_FOUND, on one that has ended CONFLICT', async () => {
    const [own, foreign] = [await gateway.createAccount(), await gateway.createAccount()]
    const ofForeign = await gateway.createKey(foreign.id)
    const revoked = await createKey(gateway.live, own.liveKey)
    const replaced = await createKey(gateway.live, own.liveKey)
    expect((await deleteKey(gateway.live, own.liveKey, revoked.id)).status).toBe(200)
    const grace = { grace_seconds: 600 }
    const rotated = await rotateKey(gateway.live, own.liveKey, replaced.id, grace)
    const set = (id: string) => patchKey(gateway.live, own.liveKey, id, { budgets: [daily(5)] })

    for (const id of [newId('key'), ofForeign.id]) expectError(gateway, await set(id), notFound)
    expectError(gateway, await set(revoked.id), conflict('This API key is revoked.'))
    const { id: successor } = Object(rotated.body)
    const message = `This API key was replaced by ${successor}.`
    expectError(gateway, await set(replaced.id), conflict(message))
    expect([await budgetCount(own.id), await budgetCount(foreign.id)]).toEqual([0, 0])
  })

  test('go when the key is refused, and a repetition is shown the first key with its own', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const narrow = await gateway.createKey(accountId, { scopes: ['keys:write'] })
    const body = { name: 'Wider', scopes: ['seo:read'], budgets: [daily(5)] }
    const headers = { 'Idempotency-Key': randomUUID() }

    const refused = await gateway.live.post(path, body, narrow.plaintext)
    expect([refused.status, await budgetCount(accountId)]).toEqual([403, 0])
    const first = await gateway.live.post(path, body, liveKey, headers)
    const second = await gateway.live.post(path, body, liveKey, headers)

    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
    expect(await budgetCount(accountId)).toBe(1)
  })

  test('leave their lines in the audit trail', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id } = await createKey(gateway.live, liveKey, { budgets: [daily(7)] })
    const change = { budgets: [{ ...inTotal(9), enforce: false }], metadata: { secret: 'x' } }
    expect((await patchKey(gateway.live, liveKey, id, change)).status).toBe(200)
    expect((await patchKey(gateway.live, liveKey, id, { budgets: [] })).status).toBe(200)

    const read = () =>
      gateway.database.query<{ action: string; details: object }>(
        `SELECT action, details FROM usage.audit_event
         WHERE account_id = $1 AND resource_id = $2 ORDER BY id`,
        [accountId, id],
      )
    await vi.waitFor(async () => expect(await read()).toHaveLength(3), patience)

    expect((await read()).map(({ action, details }) => [action, details])).toEqual([
      ['key.create', { name: 'New', scopes: ['*'], budgets: [daily(7)] }],
      ['key.update', { metadata: ['secret'], budgets: [{ ...inTotal(9), enforce: false }] }],
      ['key.update', { budgets: [] }],
    ])
  })

  test('of a capped key that are missing refuse the key', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id, plaintext } = await createKey(gateway.live, liveKey, { budgets: [daily(7)] })
    expect(await statusOf(gateway.live, plaintext)).toBe(200)

    await removeBudgets(accountId)

    await vi.waitUntil(async () => (await statusOf(gateway.live, plaintext)) === 401, patience)
    expectError(gateway, await gateway.live.get('/v1/account', plaintext), invalidKey)
    const mended = await patchKey(gateway.live, liveKey, id, { budgets: [] })
    expect([mended.status, await statusOf(gateway.live, plaintext)]).toEqual([200, 200])
  })

  test('end in one state, however many changes run at the same time', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id, plaintext } = await createKey(gateway.live, liveKey)

    for (let round = 0; round < 4; round += 1) {
      const changes = [[daily(50)], [], [inTotal(60)], []].map((budgets) =>
        patchKey(gateway.live, liveKey, id, { budgets }),
      )
      const answers = await Promise.all(changes)
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      // The key would be refused only if it were marked as capped without budgets.
      expect(await statusOf(gateway.live, plaintext)).toBe(200)
    }
    const [, isMarked = false] = await marksOf(accountId)
    expect(isMarked && (await budgetCount(accountId)) === 0).toBe(false)
  })
})

describe('a rotated key', () => {
  test('shares one counter with its successor, in its grace and afterwards', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const old = await createKey(gateway.live, liveKey, { budgets: [daily(12)] })
    expect(await statusOfSpending(old.plaintext)).toBe(200)

    const rotated = await rotateKey(gateway.live, liveKey, old.id, { grace_seconds: 600 })
    const { id, plaintext, budgets } = Object(rotated.body)
    const spent = [await statusOfSpending(plaintext), await statusOfSpending(old.plaintext)]
    const third = await rotateKey(gateway.live, liveKey, id)

    expect(budgets).toEqual([shown(daily(12), 5)])
    expect(spent).toEqual([200, 402])
    expect(Object(third.body).budgets).toEqual([shown(daily(12), 10)])
    expect(await statusOfSpending(Object(third.body).plaintext)).toBe(402)
    expect((await getKey(gateway.live, liveKey, old.id)).budgets).toEqual([shown(daily(12), 10)])
    const change = { budgets: [] }
    expect((await patchKey(gateway.live, liveKey, Object(third.body).id, change)).status).toBe(200)
    expect(await statusOfSpending(old.plaintext)).toBe(200)
    expect(await marksOf(accountId)).toEqual([false, false, false, false])
  })
})

describe('GET /v1/account/keys/current', () => {
  test('shows the budgets of all layers', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { plaintext } = await createKey(gateway.live, liveKey, {
      ...{ scopes: ['contacts:write'], external_id: 'team-1', budgets: [daily(50)] },
    })
    await setBudgets(accountId, 'external_id:team-1', 80)
    await setBudgets(accountId, 'account', 90)
    await vi.waitUntil(async () => {
      const call = await spend(plaintext)
      return call.headers.get('x-budget-remaining') !== null
    }, patience)

    const { status, body } = await gateway.live.get(`${path}/current`, plaintext)

    const { budgets, effective_budgets } = Object(body)
    expect(status).toBe(200)
    expect(effective_budgets).toMatchObject([
      { of: 'key', period: 'day', limit_credits: 50 },
      { of: 'external_id', period: 'total', limit_credits: 80 },
      { of: 'account', period: 'total', limit_credits: 90 },
    ])
    const { of: _, ...own } = effective_budgets[0]
    expect(budgets).toEqual([own])
  })
})

describe('internal tools', () => {
  const create = `mutation ($input: CreateApiKeyInput!) {
    createApiKey(input: $input) { apiKey { id budgets { period limitCredits } } plaintext }
  }`
  const change = `mutation ($id: ID!, $accountId: ID, $input: ChangeApiKeyInput!) {
    changeApiKey(id: $id, accountId: $accountId, input: $input) {
      budgets { period limitCredits enforce }
    }
  }`
  const lists = `query ($id: ID!) {
    account(id: $id) { apiKeys { budgets { period } } }
  }`

  test('issue, change and list keys with budgets', async () => {
    const { id: accountId } = await gateway.createAccount()
    const input = {
      ...{ accountId, environment: 'SANDBOX', name: 'Tool' },
      budgets: [{ period: 'WEEK', limitCredits: 7 }],
    }

    const { createApiKey } = Object(await gateway.graphql(create, { input }))
    const { apiKey, plaintext } = createApiKey
    const changed = await gateway.graphql(change, {
      ...{ id: apiKey.id, accountId },
      input: { budgets: [{ period: 'MONTH', limitCredits: 8, enforce: false }] },
    })
    const list = await gateway.graphql(lists, { id: accountId })

    expect(apiKey.budgets).toEqual([{ period: 'week', limitCredits: 7 }])
    expect(changed).toEqual({
      changeApiKey: { budgets: [{ period: 'month', limitCredits: 8, enforce: false }] },
    })
    expect(list).toEqual({ account: { apiKeys: [{ budgets: [] }] } })
    const { body } = await gateway.sandbox.get(`${path}/current`, plaintext)
    expect(Object(body).budgets).toMatchObject([{ period: 'month', limit_credits: 8 }])
  })

  test('name every wrong member', async () => {
    const { id: accountId } = await gateway.createAccount()
    const budgets = [
      { period: 'DAY', limitCredits: 0 },
      { period: 'DAY', limitCredits: 5 },
    ]
    const input = { accountId, environment: 'LIVE', name: '', externalId: ' ', budgets }

    const issuing = gateway.graphql(create, { input })

    await expect(issuing).rejects.toThrow(
      /name: .*external_id: .*budgets\.0\.limit_credits: .*budgets\.1\.period: /,
    )
    expect(await budgetCount(accountId)).toBe(0)
  })
})

describe.each(['of its own', 'through its external id'])('a key with a budget %s', (kind) => {
  const forbidden = { status: 403, code: 'FORBIDDEN' } as const

  async function cappedKey({ id: accountId, liveKey }: TestAccount) {
    if (kind === 'of its own') {
      return createKey(gateway.live, liveKey, { budgets: [daily(500)] })
    }
    const external_id = `team-${randomUUID()}`
    await setBudgets(accountId, `external_id:${external_id}`, 500)
    return createKey(gateway.live, liveKey, { external_id })
  }

  test('may not lift it: issue keys, change or reset budgets, change external ids, rotate other keys, reset the sandbox', async () => {
    const account = await gateway.createAccount()
    const { id: accountId, liveKey } = account
    const capped = await cappedKey(account)
    const uncapped = await createKey(gateway.live, liveKey)
    const before = [await marksOf(accountId), await budgetCount(accountId)]
    const key = capped.plaintext
    const patch = (id: string, body: object) => patchKey(gateway.live, key, id, body)

    const attempts = [
      gateway.live.post(path, { name: 'Child' }, key),
      gateway.live.post(path, { name: 'Child', budgets: [daily(1)] }, key),
      patch(capped.id, { budgets: [] }),
      patch(capped.id, { budgets: [daily(1)] }),
      patch(capped.id, { external_id: null }),
      patch(uncapped.id, { budgets: [daily(1)] }),
      patch(uncapped.id, { external_id: 'x' }),
      gateway.live.post(`${path}/${capped.id}/budgets/day/reset`, undefined, key),
      ...['/v1/account/budgets', '/v1/account/external-ids/other/budgets'].flatMap((place) =>
        [[], [daily(1)]].map((budgets) =>
          gateway.live.request(place, { method: 'PUT', key, body: { budgets } }),
        ),
      ),
      rotateKey(gateway.live, key, uncapped.id),
      gateway.live.post('/v1/account/sandbox/reset', undefined, key),
    ]

    for (const response of await Promise.all(attempts)) expectError(gateway, response, forbidden)
    expect([await marksOf(accountId), await budgetCount(accountId)]).toEqual(before)
    expect((await patch(capped.id, { name: 'Renamed' })).status).toBe(200)
  })

  test('may rotate itself, and its successor may no more', async () => {
    const account = await gateway.createAccount()
    const capped = await cappedKey(account)

    const rotated = await rotateKey(gateway.live, capped.plaintext, capped.id)

    const { plaintext } = Object(rotated.body)
    expect(rotated.status).toBe(201)
    expectError(gateway, await gateway.live.post(path, { name: 'Child' }, plaintext), forbidden)
  })

  test('is not shown a key again that it issued before it had one', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const external_id = `team-${randomUUID()}`
    const issuer = await createKey(gateway.live, liveKey, { external_id })
    const headers = { 'Idempotency-Key': randomUUID() }
    const issue = () => gateway.live.post(path, { name: 'Child' }, issuer.plaintext, headers)
    expect((await issue()).status).toBe(201)

    if (kind === 'of its own') {
      const budgets = [daily(500)]
      expect((await patchKey(gateway.live, liveKey, issuer.id, { budgets })).status).toBe(200)
    } else {
      await setBudgets(accountId, `external_id:${external_id}`, 500)
      await vi.waitUntil(async () => (await issue()).status === 403, patience)
    }

    expectError(gateway, await issue(), forbidden)
  })
})
