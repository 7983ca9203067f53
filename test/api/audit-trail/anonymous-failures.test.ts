import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createAnonymousFailures } from '../../../rest-facade/callers/anonymous-failures.ts'
import type { Execute } from '../../../rest-facade/graph/graph-client.ts'
import { newApiKey } from '../../../schema/credentials/api-key-format.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { sessionSettingsWithin } from '../../../subgraphs/shared/database/sessions.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { callFrom } from '../../support/gateway/calls.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { postForm, registerApp } from '../../support/oauth/oauth-flow.ts'
import { patience } from '../../support/time/patience.ts'

const hourMs = 3_600_000
const thisHour = () => new Date(Math.floor(Date.now() / hourMs) * hourMs).toISOString()

let lastHour = 0
/** One that no other test counts in. */
function newHour(): string {
  lastHour += 1
  return new Date(Date.UTC(2024, 0, 1, lastHour)).toISOString()
}

interface SumOptions {
  readonly hour: string
  readonly client?: string
  readonly failures?: number
  readonly at?: string
}

function sumOf({ hour, client = '192.0.2.1', failures = 1, at = hour }: SumOptions) {
  const seen = { firstAt: at, lastAt: at, lastRoute: '/v1/account', lastRequestId: newId('req') }
  return { hour, environment: 'live', client, result: 'INVALID_API_KEY', failures, ...seen }
}

interface Counted {
  readonly environment: string
  readonly result: string
  readonly failures: number
  readonly last_route: string
  readonly last_request_id: string
}

describe('a request of an unknown caller is counted by hour and address, and leaves no line in the audit trail', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway({ TRUST_PROXY: '1' })
  })
  afterAll(() => gateway.close())

  /** The counts of a client. */
  const sumsOf = (client: string) =>
    gateway.database.query<Counted>(
      `SELECT hour, environment, result, failures::int, last_route, last_request_id
       FROM usage.anonymous_failure WHERE client = $1 ORDER BY environment, result`,
      [client],
    )

  const asks = [
    ['without a key', 'AUTHENTICATION_REQUIRED', undefined],
    ['with what cannot be a key', 'INVALID_API_KEY', 'nonsense'],
    ['with a key that nobody has', 'INVALID_API_KEY', newApiKey('svc', 'live').plaintext],
  ] as const

  test.each(asks)('%s', async (what, result, key) => {
    const address = `203.0.113.${1 + asks.findIndex(([title]) => title === what)}`
    const answers = await Promise.all(
      Array.from({ length: 30 }, () =>
        gateway.live.get('/v1/account', key, { 'x-forwarded-for': address }),
      ),
    )

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    await vi.waitFor(async () => {
      const rows = await sumsOf(address)
      const failures = rows.map((row) => Number(row.failures)).reduce((sum, one) => sum + one, 0)
      expect(failures).toBe(30)
      expect(rows.map((row) => row.result)).toEqual(rows.map(() => result))
      expect(rows.at(-1)).toMatchObject({ environment: 'live', last_route: '/v1/account' })
      expect(ids).toContain(rows.at(-1)?.last_request_id)
    }, patience)
    const lines = await gateway.database.query(
      'SELECT 1 FROM usage.audit_event WHERE request_id = ANY ($1) OR address = $2',
      [ids, address],
    )
    expect(lines).toEqual([])
  })

  test('addresses of one /64 are counted together', async () => {
    for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9']) {
      await gateway.live.get('/v1/account', undefined, { 'x-forwarded-for': address })
    }

    await vi.waitFor(async () => {
      expect(await sumsOf('2001:db8:1:2::/64')).toMatchObject([{ failures: 2 }])
    }, patience)
  })

  test('an app that fails to authenticate is counted with its name, or without one if it gives none', async () => {
    const app = await registerApp(gateway)
    const form = { token: 'x', client_id: app.clientId, client_secret: 'x' }

    const wrong = await postForm(gateway.live, '/v1/oauth/introspect', form)
    const nameless = await postForm(gateway.live, '/v1/oauth/introspect', { token: 'x' })

    expect([wrong.status, nameless.status]).toEqual([401, 401])
    await vi.waitFor(async () => {
      const rows = await sumsOf('127.0.0.1')
      expect(rows.filter((row) => row.result === 'invalid_client')).toMatchObject([
        { failures: 2, last_route: '/v1/oauth/introspect' },
      ])
    }, patience)
  })

  test('support may read the counts, readonly may not', async () => {
    const address = '203.0.113.200'
    await gateway.sandbox.get('/v1/account', 'x', { 'x-forwarded-for': address })
    await vi.waitFor(async () => expect(await sumsOf(address)).toHaveLength(1), patience)
    const query = `{ anonymousFailures(client: "${address}", environment: sandbox) {
      nodes { hour environment client result failures firstAt lastAt lastRoute lastRequestId }
      pageInfo { hasNextPage } } }`
    const read = async (role: 'support' | 'readonly') => {
      const token = await gateway.internalToken(role)
      return Object((await gateway.internal.post('/graphql', { query }, token)).body)
    }

    const { data } = await read('support')
    const { errors } = await read('readonly')

    expect(data).toEqual({
      anonymousFailures: {
        nodes: [
          {
            ...{ environment: 'sandbox', client: address, result: 'INVALID_API_KEY', failures: 1 },
            ...{ hour: expect.stringMatching(/:00:00\.000Z$/), lastRoute: '/v1/account' },
            ...{ firstAt: expect.any(String), lastAt: expect.any(String) },
            lastRequestId: expect.stringMatching(/^req_/),
          },
        ],
        pageInfo: { hasNextPage: false },
      },
    })
    expect(errors).toEqual([
      expect.objectContaining({ extensions: expect.objectContaining({ code: 'FORBIDDEN' }) }),
    ])
  })
})

describe('the counts of refused anonymous callers', () => {
  let graph: TestGraph
  beforeAll(async () => {
    graph = await openTestGraph()
  })
  afterAll(() => graph.close())

  const count = (sums: readonly object[]) => graph.asService('CountAnonymousFailures', { sums })
  const rowsOf = (hour: string) =>
    graph.database.query<{ client: string; failures: number }>(
      `SELECT client, failures::int, first_at, last_at FROM usage.anonymous_failure
       WHERE hour = $1 ORDER BY client`,
      [hour],
    )

  test('of several processes add up when they are written at the same time', async () => {
    const hour = newHour()
    const clients = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
    const batch = clients.map((client) => sumOf({ hour, client, failures: 2 }))

    await Promise.all(
      Array.from({ length: 20 }, (_, index) => count(index % 2 ? batch : batch.toReversed())),
    )

    expect(await rowsOf(hour)).toMatchObject(clients.map((client) => ({ client, failures: 40 })))
  })

  test('hold the instants of the first and the last request, in whatever order they are written', async () => {
    const hour = newHour()
    const at = (minute: number) => new Date(Date.parse(hour) + minute * 60_000)

    await count([sumOf({ hour, at: at(30).toISOString() })])
    await count([sumOf({ hour, at: at(50).toISOString() })])
    await count([sumOf({ hour, at: at(10).toISOString() })])

    expect(await rowsOf(hour)).toEqual([
      { client: '192.0.2.1', failures: 3, first_at: at(10), last_at: at(50) },
    ])
  })

  test('have at most 2000 rows an hour and one row for all other addresses, and no request is lost', async () => {
    const hour = newHour()
    const clients = Array.from({ length: 3000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`)
    for (let from = 0; from < clients.length; from += 500) {
      await count(clients.slice(from, from + 500).map((client) => sumOf({ hour, client })))
    }

    await count([sumOf({ hour, client: '10.0.0.0', failures: 5 })])

    const rows = await rowsOf(hour)
    expect(rows.length).toBe(2001)
    expect(rows.find(({ client }) => client === 'others')?.failures).toBe(1000)
    expect(rows.find(({ client }) => client === '10.0.0.0')?.failures).toBe(6)
    expect(rows.reduce((sum, { failures }) => sum + failures, 0)).toBe(3005)
  })

  test('are kept for 30 days', async () => {
    const old = new Date(Math.floor(Date.now() / hourMs - 30 * 24 - 1) * hourMs).toISOString()
    const young = new Date(Math.floor(Date.now() / hourMs - 30 * 24 + 2) * hourMs).toISOString()
    await count([sumOf({ hour: old }), sumOf({ hour: young })])

    let forgotten = 500
    while (forgotten === 500) {
      forgotten = Number(await graph.asService('ForgetAnonymousFailures', { limit: 500 }))
    }

    expect(await rowsOf(old)).toEqual([])
    expect(await rowsOf(young)).toHaveLength(1)
  })

  /** A session like those of the service, for one tenant; its changes are rolled back. */
  async function asService(sql: string, tenant = '*'): Promise<object[]> {
    const { serviceUrl } = graph.database
    const options = sessionSettingsWithin(30_000)
    const client = new pg.Client({ connectionString: serviceUrl, options })
    await client.connect()
    try {
      await client.query('BEGIN')
      await client.query(`SELECT set_config('gateway.account_id', $1, true)`, [tenant])
      return (await client.query<object>(sql)).rows
    } finally {
      await client.end()
    }
  }

  test.each([
    ['INSERT', `INSERT INTO usage.anonymous_failure SELECT * FROM usage.anonymous_failure`],
    ['UPDATE', 'UPDATE usage.anonymous_failure SET failures = 1'],
    ['DELETE', 'DELETE FROM usage.anonymous_failure'],
    ['TRUNCATE', 'TRUNCATE usage.anonymous_failure'],
  ])('do not let the service %s', async (_, sql) => {
    await expect(asService(sql)).rejects.toMatchObject({ code: '42501' })
  })

  test('belong to no account', async () => {
    const hour = thisHour()
    await count([sumOf({ hour })])

    const seen = (tenant: string) =>
      asService('SELECT count(*) > 0 AS is_seen FROM usage.anonymous_failure', tenant)

    expect(await seen('*')).toEqual([{ is_seen: true }])
    for (const tenant of [newId('acct'), ''])
      expect(await seen(tenant)).toEqual([{ is_seen: false }])
  })

  test('are refused when they are not valid', async () => {
    const sum = sumOf({ hour: newHour() })
    const wrong = [
      { ...sum, hour: new Date(Date.parse(sum.hour) + 1).toISOString() },
      { ...sum, client: '' },
      { ...sum, result: 'nonsense' },
      { ...sum, failures: 0 },
    ]

    await expect(count(wrong)).rejects.toThrow(
      'sums.0.hour: must be when an hour begins; sums.1.client: must have 1 to 64 characters; ' +
        'sums.2.result: must be an error code; sums.3.failures: must be at least 1',
    )
    await expect(count(Array.from({ length: 501 }, () => sum))).rejects.toThrow(
      'sums: must be at most 500',
    )
  })

  test('are kept in memory for a bounded number of clients while the database is unavailable', async () => {
    let isUnavailable = true
    let written = 0
    const execute: Execute = async (...asked) => {
      if (isUnavailable) throw new Error('It is away.')
      const given = Number(await graph.as(...asked))
      written += given
      return given
    }
    const failures = createAnonymousFailures(execute)
    const clients = Array.from({ length: 5000 }, (_, index) => `10.1.${index >> 8}.${index & 255}`)
    for (const client of clients) failures.note(callFrom(client), 'INVALID_API_KEY')

    await expect(failures.write()).rejects.toThrow('It is away.')
    failures.note(callFrom('10.1.0.0'), 'INVALID_API_KEY')
    isUnavailable = false
    await failures.write()

    expect(written).toBe(1001)
    const [row] = await graph.database.query(
      `SELECT sum(failures)::int AS failures,
         sum(failures) FILTER (WHERE client = 'others')::int AS others,
         sum(failures) FILTER (WHERE client = '10.1.0.0')::int AS first
       FROM usage.anonymous_failure WHERE last_route = '/v1/x'`,
    )
    expect(row).toEqual({ failures: 5001, others: 4000, first: 2 })
  })
})
