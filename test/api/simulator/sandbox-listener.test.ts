import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scenarios } from '../../../schema/catalog/scenario.ts'
import { isApiKey } from '../../../schema/credentials/api-key-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { statusByErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import { chosen } from '../../support/extent/extent.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { type ProductExample, productExamples } from '../../support/requests/every-row.ts'
import { startStubBackend } from '../../support/stubs/stub-backend.ts'

let gateway: TestGateway
beforeAll(async () => {
  // Keys are believed for an hour: only a change that is announced can make the gateway forget one.
  gateway = await startTestGateway({ KEY_CACHE_SECONDS: '3600' })
})
afterAll(() => gateway.close())

const path = '/v1/account/sandbox'
const resetPath = `${path}/reset`
const instant = expect.stringMatching(/^\d{4}-.*Z$/)

const invalidKey = {
  status: 401,
  code: 'INVALID_API_KEY',
} as const

/** An unused sandbox. */
const unused = { requests_today: 0, requests_this_month: 0, success_rate: 1 }

interface KeyRow {
  readonly id: string
  readonly scopes: string[]
  readonly secret_hash: string
  readonly is_active: boolean
}

function keysOf(accountId: string, environment: 'live' | 'sandbox'): Promise<KeyRow[]> {
  return gateway.database.query<KeyRow>(
    `SELECT id, scopes, secret_hash, revoked_at IS NULL AND coalesce(expires_at > now(), true) AS is_active
     FROM keys.api_key WHERE account_id = $1 AND environment = $2 ORDER BY id`,
    [accountId, environment],
  )
}

async function activeSandboxKeys(accountId: string): Promise<KeyRow[]> {
  return (await keysOf(accountId, 'sandbox')).filter((key) => key.is_active)
}

function reset(key: string, { client = gateway.live, headers = {} } = {}) {
  return client.request(resetPath, { method: 'POST', key, headers })
}

const stateOf = ({ body }: { readonly body: unknown }) => Object(body).state
const plaintextOf = ({ body }: { readonly body: unknown }) => String(Object(body).plaintext)

describe('GET /v1/account/sandbox', () => {
  test('shows a live key the sandbox key and the use of the sandbox, and nothing live', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount()
    await gateway.sandbox.post('/v1/contacts/reveal', { contact_id: 'con_1' }, sandboxKey)
    await gateway.sandbox.get('/v1/account/keys/key_x', sandboxKey)
    await gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)
    await gateway.live.get('/v1/account', liveKey)

    const response = await gateway.live.get(path, liveKey)

    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      key_prefix: 'svc_test_',
      key_last4: sandboxKey.slice(-4),
      created_at: instant,
      requests_today: 2,
      requests_this_month: 2,
      success_rate: 0.5,
    })
  })

  test('shows the sandbox key the same on the sandbox listener', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount()

    const live = await gateway.live.get(path, liveKey)
    const sandbox = await gateway.sandbox.get(path, sandboxKey)

    expect(live.body).toMatchObject(unused)
    expect([sandbox.status, sandbox.body]).toEqual([200, live.body])
    const after = await gateway.live.get(path, liveKey)
    expect(after.body).toMatchObject({ requests_today: 1, success_rate: 1 })
  })

  test('counts today and this month in UTC, without earlier months', async () => {
    const { id, liveKey } = await gateway.createAccount()
    await gateway.database.query(
      `INSERT INTO usage.usage_service
       SELECT $1, environment, 'day', day, service, requests, successes, 0, ARRAY[requests] FROM (VALUES
         ('sandbox', date_trunc('month', now(), 'UTC') - interval '1 day', 'seo', 3, 0),
         ('sandbox', date_trunc('month', now(), 'UTC'), 'seo', 3, 3),
         ('sandbox', date_trunc('day', now(), 'UTC'), 'markets', 3, 0),
         ('live', date_trunc('day', now(), 'UTC'), 'seo', 3, 3)) v (environment, day, service, requests, successes)`,
      [id],
    )
    const [{ is_first } = { is_first: false }] = await gateway.database.query<{
      is_first: boolean
    }>(`SELECT extract(day FROM now() AT TIME ZONE 'UTC') = 1 AS is_first`)

    const { body } = await gateway.live.get(path, liveKey)

    expect(body).toMatchObject({
      requests_today: is_first ? 6 : 3,
      requests_this_month: 6,
      success_rate: 0.5,
    })
  })

  test('shows no key when none is active', async () => {
    const { id, liveKey } = await gateway.createAccount()
    await gateway.database.query(
      `UPDATE keys.api_key SET revoked_at = now()
       WHERE account_id = $1 AND environment = 'sandbox'`,
      [id],
    )

    const response = await gateway.live.get(path, liveKey)

    const none = { key_prefix: null, key_last4: null, created_at: null }
    expect([response.status, response.body]).toEqual([200, { ...none, ...unused }])
  })

  test('shows no key before the first exists', async () => {
    const { id, liveKey } = await gateway.createAccount()
    await gateway.database.query(
      "DELETE FROM keys.api_key WHERE account_id = $1 AND environment = 'sandbox'",
      [id],
    )

    const { body } = await gateway.live.get(path, liveKey)

    expect(body).toMatchObject({ key_prefix: null, key_last4: null, created_at: null })
  })

  test('shows the newest of several active keys', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const shown = async () => Object((await gateway.live.get(path, liveKey)).body).key_last4
    const older = await gateway.createKey(id, { environment: 'SANDBOX' })
    const newer = await gateway.createKey(id, { environment: 'SANDBOX' })
    const newest = await gateway.createKey(id, { environment: 'SANDBOX' })
    expect(await shown()).toBe(newest.plaintext.slice(-4))

    await gateway.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', {
      id: newest.id,
    })
    expect(await shown()).toBe(newer.plaintext.slice(-4))
    await gateway.database.query('UPDATE keys.api_key SET expires_at = now() WHERE id = $1', [
      newer.id,
    ])
    expect(await shown()).toBe(older.plaintext.slice(-4))
  })

  test("never shows another account's sandbox", async () => {
    const [own, foreign] = await Promise.all([gateway.createAccount(), gateway.createAccount()])
    await gateway.sandbox.get('/v1/account', foreign.sandboxKey)

    const { body } = await gateway.live.get(path, own.liveKey)

    expect(body).toMatchObject({ ...unused, key_last4: own.sandboxKey.slice(-4) })
  })
})

describe('POST /v1/account/sandbox/reset', () => {
  test('revokes every sandbox key, issues one, and shows its plaintext only now', async () => {
    const { id, liveKey, sandboxKey } = await gateway.createAccount()
    const other = await gateway.createKey(id, { environment: 'SANDBOX' })
    const live = await gateway.createKey(id)
    for (const key of [sandboxKey, other.plaintext]) {
      expect((await gateway.sandbox.get('/v1/account/credits', key)).status).toBe(200)
    }

    const response = await reset(liveKey)

    const plaintext = plaintextOf(response)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.body).toEqual({
      state: {
        key_prefix: 'svc_test_',
        key_last4: plaintext.slice(-4),
        created_at: instant,
        requests_today: 2,
        requests_this_month: 2,
        success_rate: 1,
      },
      plaintext,
    })
    expect(isApiKey(plaintext, 'svc_test_')).toBe(true)
    for (const key of [sandboxKey, other.plaintext]) {
      expectError(gateway, await gateway.sandbox.get('/v1/account', key), invalidKey)
    }
    expect((await gateway.sandbox.get('/v1/account', plaintext)).status).toBe(200)
    for (const key of [liveKey, live.plaintext]) {
      expect((await gateway.live.get('/v1/account', key)).status).toBe(200)
    }
    expect(await activeSandboxKeys(id)).toEqual([
      expect.objectContaining({ scopes: ['*'], secret_hash: sha256(plaintext) }),
    ])
    const { state } = Object(response.body)
    const { key_last4, created_at } = state
    expect((await gateway.live.get(path, liveKey)).body).toMatchObject({ key_last4, created_at })
  })

  test('shows the new key in the list of the sandbox, but not in the live list', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount()

    const plaintext = plaintextOf(await reset(liveKey))

    const sandbox = await gateway.sandbox.get('/v1/account/keys', plaintext)
    const live = await gateway.live.get('/v1/account/keys', liveKey)
    expect(sandbox.body).toMatchObject({
      items: [
        { name: 'Sandbox key', status: 'active', last4: plaintext.slice(-4), revoked_at: null },
        { name: 'First key', status: 'revoked', last4: sandboxKey.slice(-4), revoked_at: instant },
      ],
    })
    expect(Object(live.body).items).toHaveLength(1)
  })

  test('answers the sandbox key on its own listener, and ends that key', async () => {
    const { id, liveKey, sandboxKey } = await gateway.createAccount()

    const response = await reset(sandboxKey, { client: gateway.sandbox })

    expect(response.status).toBe(200)
    expect(stateOf(response)).toMatchObject(unused)
    expectError(gateway, await gateway.sandbox.get(path, sandboxKey), invalidKey)
    expectError(gateway, await reset(sandboxKey, { client: gateway.sandbox }), invalidKey)
    expect((await gateway.sandbox.get(path, plaintextOf(response))).status).toBe(200)
    expect((await gateway.live.get('/v1/account', liveKey)).status).toBe(200)
    expect(await activeSandboxKeys(id)).toHaveLength(1)
  })

  test('refuses a sandbox key on the live listener, and a live key in the sandbox', async () => {
    const { id, liveKey, sandboxKey } = await gateway.createAccount()

    expectError(gateway, await reset(sandboxKey), invalidKey)
    expectError(gateway, await reset(liveKey, { client: gateway.sandbox }), invalidKey)

    expect(await keysOf(id, 'sandbox')).toHaveLength(1)
  })

  test('issues the first key of a sandbox that has none', async () => {
    const { id, liveKey } = await gateway.createAccount()
    await gateway.database.query(
      "DELETE FROM keys.api_key WHERE account_id = $1 AND environment = 'sandbox'",
      [id],
    )

    const response = await reset(liveKey)

    expect(response.status).toBe(200)
    expect((await gateway.sandbox.get(path, plaintextOf(response))).status).toBe(200)
  })

  test.each([
    { listener: 'live', environment: 'LIVE' },
    { listener: 'sandbox', environment: 'SANDBOX' },
  ] as const)(
    'gives the new key the scopes of the calling one and no more: on $listener',
    async ({ listener, environment }) => {
      const { id } = await gateway.createAccount()
      const scopes = ['account:write', 'seo:read']
      const { plaintext } = await gateway.createKey(id, { scopes, environment })

      const response = await reset(plaintext, { client: gateway[listener] })

      expect(response.status).toBe(200)
      expect(await activeSandboxKeys(id)).toEqual([expect.objectContaining({ scopes })])
      const key = plaintextOf(response)
      expect((await gateway.sandbox.get('/v1/seo/keywords?topic=a', key)).status).toBe(200)
      expectError(gateway, await gateway.sandbox.get('/v1/account', key), {
        status: 403,
        code: 'FORBIDDEN',
        message: 'This API key lacks the scope account:read.',
      })
    },
  )

  test("leaves another account's sandbox unchanged", async () => {
    const [own, foreign] = await Promise.all([gateway.createAccount(), gateway.createAccount()])

    await reset(own.liveKey)

    expect((await gateway.sandbox.get('/v1/account', foreign.sandboxKey)).status).toBe(200)
    expect(await keysOf(foreign.id, 'sandbox')).toHaveLength(1)
  })

  test('leaves exactly one active key when called twenty times in parallel, and shows it to one caller', async () => {
    const { id, liveKey } = await gateway.createAccount()

    const responses = await Promise.all(Array.from({ length: 20 }, () => reset(liveKey)))

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    const [active, ...others] = await activeSandboxKeys(id)
    expect(others).toEqual([])
    const shown = responses.map((response) => sha256(plaintextOf(response)))
    expect(new Set(shown).size).toBe(20)
    expect(shown).toContain(active?.secret_hash)
    const statuses = await Promise.all(
      responses.map(async (response) => {
        return (await gateway.sandbox.get('/v1/account', plaintextOf(response))).status
      }),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  })

  test('succeeds once when it is called twenty times in parallel with one sandbox key', async () => {
    const { id, sandboxKey } = await gateway.createAccount()

    const responses = await Promise.all(
      Array.from({ length: 20 }, () => reset(sandboxKey, { client: gateway.sandbox })),
    )

    const [done, ...others] = responses.filter(({ status }) => status === 200)
    const refused = responses.filter(({ status }) => status === 401)
    expect([others.length, refused.length]).toEqual([0, 19])
    expect(await activeSandboxKeys(id)).toEqual([
      expect.objectContaining({ secret_hash: done && sha256(plaintextOf(done)) }),
    ])
  })

  test('also ends the keys that its old key is issuing at the same time', async () => {
    const { id, liveKey, sandboxKey } = await gateway.createAccount()
    const issue = () => gateway.sandbox.post('/v1/account/keys', { name: 'Mine' }, sandboxKey)

    const [done, ...issued] = await Promise.all([
      reset(liveKey),
      // With the reset, as many as an account may have at once.
      ...Array.from({ length: 19 }, issue),
    ])

    expect(done?.status).toBe(200)
    for (const { status } of issued) expect([201, 401]).toContain(status)
    expect(await activeSandboxKeys(id)).toEqual([
      expect.objectContaining({ secret_hash: done && sha256(plaintextOf(done)) }),
    ])
  })

  test('with an idempotency key resets once, and keeps the secret sealed', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const headers = { 'idempotency-key': randomUUID() }

    const first = await reset(liveKey, { headers })
    const again = await reset(liveKey, { headers })

    expect([again.status, again.body]).toEqual([200, first.body])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await keysOf(id, 'sandbox')).toHaveLength(2)
    const rows = await gateway.database.query<{ row: string }>(
      'SELECT k::text AS row FROM account.idempotency_key k WHERE account_id = $1',
      [id],
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]?.row).not.toContain(plaintextOf(first))
  })

  test('leaves one active key when it is repeated under an idempotency key that was never answered', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const headers = { 'idempotency-key': randomUUID() }
    const lost = await reset(liveKey, { headers })
    // The idempotency key is left as by a crash before the answer was stored: unused, with the effect
    // there.
    await gateway.database.query('DELETE FROM account.key_claim WHERE account_id = $1', [id])

    const retry = await reset(liveKey, { headers })

    expect(retry.headers.get('idempotent-replayed')).toBeNull()
    expect(await activeSandboxKeys(id)).toEqual([
      expect.objectContaining({ secret_hash: sha256(plaintextOf(retry)) }),
    ])
    expectError(gateway, await gateway.sandbox.get(path, plaintextOf(lost)), invalidKey)
  })
})

describe('a product call in the sandbox', () => {
  test('works with a live balance of zero, and reaches no live backend and no live ledger', async () => {
    const backend = await startStubBackend()
    const observed = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url })
    try {
      const { id, sandboxKey } = await observed.createAccount({ credits: 0 })
      const calls = await Promise.all(
        ['ok', 'empty', 'slow=1', 'units=2', 'status=500', 'reset'].map((scenario) =>
          observed.sandbox.post('/v1/contacts/search', { query: 'a' }, sandboxKey, {
            'x-sandbox-scenario': scenario,
          }),
        ),
      )

      expect(calls.map(({ status }) => status)).toEqual([200, 200, 200, 200, 502, 502])
      for (const { headers } of calls) expect(headers.get('x-credits-charged')).toBe('0')
      expect(backend.received).toEqual([])
      const rows = await observed.database.query<{ environment: string }>(
        'SELECT environment FROM account.ledger_entry WHERE account_id = $1',
        [id],
      )
      // The play credits that the sandbox opened with.
      expect(rows).toEqual([{ environment: 'sandbox' }])
      await expectExactBooks(observed)
    } finally {
      await observed.close()
      await backend.close()
    }
  })
})

interface DocumentedRow {
  readonly status: number
  readonly lists: readonly string[]
  /** Scenario → the length of every list. */
  readonly lengths: ReadonlyMap<string, string>
}

/** Operation by operation, what the simulator's README says. */
function readDocumentedRows(): ReadonlyMap<string, DocumentedRow> {
  const readme = readFileSync(join(projectRoot, 'gateway/trial/simulator/README.md'), 'utf8')
  const lines = readme.split('\n').filter((line) => /^\| `(GET|POST) /.test(line))
  return new Map(
    lines.map((line) => {
      const [, title = '', status, lists = '', ok = '', empty = '', units = ''] = line
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', ''))
      const names = lists === 'none' ? [] : lists.split(', ')
      const lengths = new Map([
        ['ok', ok],
        ['empty', empty],
        ['units=7', units],
      ])
      return [title, { status: Number(status), lists: names, lengths }]
    }),
  )
}

const documented = readDocumentedRows()

describe("the simulator's README", () => {
  test('names every product operation, and no other', () => {
    const titles = productExamples().map(({ title }) => title)

    expect([...documented.keys()].toSorted()).toEqual(titles.toSorted())
  })
})

describe.each(productExamples())('$title in the sandbox', (example) => {
  const row = documented.get(example.title)

  test('answers as the README says, and repeats the answer for the same request', async () => {
    const { sandboxKey } = await gateway.createAccount()

    for (const scenario of chosen(example.title, ['ok', 'empty', 'units=7'])) {
      const { status, body } = await callWithoutLimit(example, sandboxKey, scenario)
      const again = await callWithoutLimit(example, sandboxKey, scenario)

      const lists = Object.entries(Object(body)).filter(([, value]) => Array.isArray(value))
      const length = row?.lengths.get(scenario)
      expect(status).toBe(row?.status)
      expect(Object.fromEntries(lists.map(([name, list]) => [name, Object(list).length]))).toEqual(
        Object.fromEntries(
          (row?.lists ?? []).map((name) => [
            name,
            length === 'as sent' ? Object(example.body)[name].length : Number(length),
          ]),
        ),
      )
      expect(again.body).toEqual(body)
    }
  })

  const asked = [
    { scenario: 'slow=1', status: row?.status },
    { scenario: 'status=500', status: 502 },
    { scenario: 'explode', status: 422 },
    ...scenarios.flatMap(({ example: scenario, code }) =>
      code ? [{ scenario, status: statusByErrorCode[code] }] : [],
    ),
  ]
  test.each(chosen(example.title, asked))(
    'answers $scenario with $status, and charges nothing',
    async ({ scenario, status }) => {
      const { sandboxKey } = await gateway.createAccount({ credits: 0 })

      const response = await callWithoutLimit(example, sandboxKey, scenario)

      expect(response.status).toBe(status)
      // These refusals come before the charge.
      const isEarly = [403, 422, 429].includes(response.status)
      expect(response.headers.get('x-credits-charged')).toBe(isEarly ? null : '0')
      const { body } = await gateway.sandbox.get('/v1/account/credits', sandboxKey)
      expect(body).toMatchObject({ balance: 100_000, held: 0 })
    },
  )
})

function callWithoutLimit({ method, url, body }: ProductExample, key: string, scenario: string) {
  const parts = new URL(url, 'http://sandbox')
  parts.searchParams.delete('limit')
  return gateway.sandbox.request(parts.pathname + parts.search, {
    method,
    key,
    body: body === undefined ? undefined : { ...Object(body), limit: undefined },
    headers: { 'x-sandbox-scenario': scenario },
  })
}
