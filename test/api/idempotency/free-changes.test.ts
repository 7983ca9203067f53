import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../support/database/database.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'

/** One change of each subgraph that takes an idempotency key and costs nothing. */
const changes = [
  {
    subgraph: 'account',
    path: '/v1/account/webhooks',
    body: { url: 'https://hooks.example.com/', events: [] },
    table: 'account.webhook_endpoint',
    showsSecret: true,
  },
  {
    subgraph: 'account',
    path: '/v1/account/addons/rank-tracking/keywords',
    body: { keyword: 'shoes', domain: 'acme.example', country: 'US', device: 'desktop' },
    table: 'account.tracked_keyword',
    showsSecret: false,
  },
  {
    subgraph: 'keys',
    path: '/v1/account/keys',
    body: { name: 'Once' },
    table: 'keys.api_key',
    showsSecret: true,
  },
  {
    subgraph: 'oauth',
    path: '/v1/oauth/apps',
    body: { client_name: 'Once', redirect_uris: ['https://app.example.com/cb'] },
    table: 'oauth.app',
    showsSecret: true,
  },
  {
    subgraph: 'usage',
    path: '/v1/account/audit/export',
    body: { kind: 'activity' },
    table: 'usage.audit_export',
    showsSecret: false,
  },
] as const
type Change = (typeof changes)[number]

const pairs = changes.flatMap((first) =>
  changes
    .filter((second) => second.subgraph !== first.subgraph)
    .map((second) => ({ first, second, title: `${first.path} and ${second.path}` })),
)

const revealPath = '/v1/contacts/reveal'
const revealBody = { contact_id: 'con_1' }

/** The answer as it came, byte for byte. */
async function post(
  gateway: TestGateway,
  { path, body }: Pick<Change, 'path' | 'body'> | { path: string; body: object },
  key: string,
  idempotencyKey: string,
) {
  const response = await fetch(gateway.baseUrl + path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
  })
  const { status, headers } = response
  const text = await response.text()
  return {
    status,
    text,
    body: JSON.parse(text),
    isReplayed: headers.get('idempotent-replayed') === 'true',
    headers,
  }
}

const usedBefore = {
  code: 'INVALID_REQUEST',
  details: [
    { field: 'Idempotency-Key', in: 'header', message: 'was used before for another request' },
  ],
}

async function accountWithAddons(gateway: TestGateway): Promise<TestAccount> {
  const account = await gateway.createAccount({ credits: 100 })
  await gateway.database.query(
    `INSERT INTO account.addon (account_id, environment, name, period, current_period_end)
     VALUES ($1, 'live', 'rank_tracking', 'P1M', now() + interval '1 month')
     ON CONFLICT DO NOTHING`,
    [account.id],
  )
  return account
}

async function count(gateway: TestGateway, { table }: Change, accountId: string): Promise<number> {
  const rows = await gateway.database.query<object>(
    `SELECT 1 FROM ${table} WHERE account_id = $1`,
    [accountId],
  )
  return rows.length
}

describe('an idempotency key of a change that costs nothing', () => {
  let backend: StubBackend
  let gateway: TestGateway
  beforeAll(async () => {
    backend = await startStubBackend()
    gateway = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url })
    backend.answer((_, res) => sendBackendJson(res, 200, { n: backend.received.length }))
  })
  afterAll(async () => {
    await gateway.close()
    await backend.close()
  })
  beforeEach(() => {
    backend.received.length = 0
  })

  test.each(pairs)(
    'is refused for another change of another subgraph: $title',
    async ({ first, second }) => {
      const { id, liveKey } = await accountWithAddons(gateway)
      const key = randomUUID()

      const made = await post(gateway, first, liveKey, key)
      const before = await count(gateway, second, id)
      const other = await post(gateway, second, liveKey, key)
      const again = await post(gateway, first, liveKey, key)

      expect([made.status < 300, other.status]).toEqual([true, 422])
      expect(other.body.error).toMatchObject(usedBefore)
      expect(await count(gateway, second, id)).toBe(before)
      expect([again.isReplayed, again.text]).toEqual([true, made.text])
    },
  )

  test.each(changes)('is refused for a product call, at no cost: $path', async (change) => {
    const { liveKey } = await accountWithAddons(gateway)
    const key = randomUUID()

    await post(gateway, change, liveKey, key)
    const call = await post(gateway, { path: revealPath, body: revealBody }, liveKey, key)

    expect([call.status, call.headers.get('X-Credits-Charged')]).toEqual([422, '0'])
    expect(call.body.error).toMatchObject(usedBefore)
    expect(backend.received).toHaveLength(0)
  })

  test.each(changes)('is refused after a product call: $path', async (change) => {
    const { id, liveKey } = await accountWithAddons(gateway)
    const key = randomUUID()
    const before = await count(gateway, change, id)

    const call = await post(gateway, { path: revealPath, body: revealBody }, liveKey, key)
    const other = await post(gateway, change, liveKey, key)

    expect([call.status, other.status]).toEqual([200, 422])
    expect(other.body.error).toMatchObject(usedBefore)
    expect(await count(gateway, change, id)).toBe(before)
  })

  test.each(changes)('makes it once for twenty parallel copies: $path', async (change) => {
    const { id, liveKey } = await accountWithAddons(gateway)
    const key = randomUUID()
    const before = await count(gateway, change, id)

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(gateway, change, liveKey, key)),
    )

    const made = answers.filter(({ status }) => status < 300)
    expect(made.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1)
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    for (const { status, headers, body } of answers) {
      if (status < 300) continue
      expect([status, headers.get('retry-after')]).toEqual([409, '1'])
      expect(body.error.code).toBe('IDEMPOTENCY_CONFLICT')
    }
    expect(await count(gateway, change, id)).toBe(before + 1)
  })

  test('is free again after a failure: the next request with it may be another', async () => {
    const { liveKey } = await accountWithAddons(gateway)
    const key = randomUUID()
    const keys = { path: '/v1/account/keys', body: { name: 'x', scopes: ['no:such'] } }

    const failed = await post(gateway, keys, liveKey, key)
    const next = await post(gateway, { path: keys.path, body: { name: 'Next' } }, liveKey, key)

    expect([failed.status, next.status, next.isReplayed]).toEqual([422, 201, false])
  })
})

test('a kept answer is the same after a restart, byte for byte, and a secret opens for its key alone', async () => {
  const database = await createTestDatabase()
  const first = await startTestGateway({}, { database })
  const account = await accountWithAddons(first)
  const { plaintext } = await first.createKey(account.id)
  const made = await Promise.all(
    changes.map(async (change) => {
      const key = randomUUID()
      return { change, key, answer: await post(first, change, account.liveKey, key) }
    }),
  )
  await first.close()

  const second = await startTestGateway({}, { database })
  for (const { change, key, answer } of made) {
    const again = await post(second, change, account.liveKey, key)
    const elsewhere = await post(second, change, plaintext, key)

    expect([answer.status < 300, answer.isReplayed]).toEqual([true, false])
    expect([again.status, again.isReplayed, again.text]).toEqual([answer.status, true, answer.text])
    const opened = [elsewhere.status, elsewhere.isReplayed, elsewhere.body.error?.code]
    const expected = [answer.status, true, undefined]
    expect(opened).toEqual(change.showsSecret ? [409, false, 'IDEMPOTENCY_CONFLICT'] : expected)
  }
  await second.close()
  await database.drop()
})

describe('an idempotency key, where a subgraph has a database of its own', () => {
  test('is refused for another change, whichever subgraph makes it', async () => {
    const own = await createTestDatabase()
    const gateway = await startTestGateway({
      KEYS_DATABASE_URL: own.serviceUrl,
      KEYS_MIGRATE_DATABASE_URL: own.ownerUrl,
    })
    const { liveKey } = await accountWithAddons(gateway)
    const [webhook, , key] = changes

    const answers = [
      await post(gateway, webhook, liveKey, 'one'),
      await post(gateway, key, liveKey, 'one'),
      await post(gateway, key, liveKey, 'two'),
      await post(gateway, webhook, liveKey, 'two'),
    ]

    expect(answers.map(({ status }) => status)).toEqual([201, 422, 201, 422])
    const issued = await own.query<object>("SELECT 1 FROM keys.api_key WHERE name = 'Once'")
    expect(issued).toHaveLength(1)
    await gateway.close()
    await own.drop()
  })
})
