import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { callerOf } from '../../support/database/planted-tenant.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'

const logPath = '/v1/account/usage/log'

interface Entry {
  readonly requestId: string
  readonly ts: string
  readonly service: string
  readonly status: number
  readonly credits: number
}

/** A filter of the log; `fits` applies it by the rule, without SQL. */
interface Filter {
  readonly service?: string
  readonly status_class?: number
  readonly min_credits?: number
  readonly from?: string
  readonly to?: string
  readonly request_id?: string
}

function fits(entry: Entry, filter: Filter): boolean {
  return (
    (filter.service === undefined || entry.service === filter.service) &&
    (filter.status_class === undefined || Math.floor(entry.status / 100) === filter.status_class) &&
    (filter.min_credits === undefined || entry.credits >= filter.min_credits) &&
    (filter.from === undefined || entry.ts >= filter.from) &&
    (filter.to === undefined || entry.ts < filter.to) &&
    (filter.request_id === undefined || entry.requestId === filter.request_id)
  )
}

describe('the filters of the usage log', () => {
  let graph: TestGraph
  let accountId: string
  let entries: readonly Entry[]
  const startMs = Date.parse('2026-01-31T23:00:00.000Z')

  beforeAll(async () => {
    graph = await openTestGraph()
    const input = { name: 'Test', email: 'test@example.com', tier: 'STARTER', credits: 0 }
    accountId = Object(await graph.asAdmin('CreateAccount', { input })).account.id
    entries = Array.from({ length: 900 }, (_, index): Entry => {
      const ms = startMs + index * 20_000
      const service = ['contacts', 'promote', 'seo', 'account'][index % 4] ?? ''
      const status = [200, 200, 404, 201, 502, 200, 499][index % 7] ?? 0
      // Around each step of the credits that entries are told apart by.
      const credits =
        status < 300 ? [0, 1, 5, 64, 128, 129, 130, 131, 999, 1000, 1001, 5000][index % 12] : 0
      return {
        ...{ requestId: newId('req', ms), ts: new Date(ms).toISOString() },
        ...{ service, status, credits: credits ?? 0 },
      }
    })
    const rest = { method: 'GET', endpoint: '/v1/test', latencyMs: 1, traceId: '' }
    const of = { ...rest, accountId, environment: 'live', backendModule: 'test' }
    const input_ = entries.map((entry) => ({ ...of, ...entry }))
    await graph.asService('RecordUsage', { entries: input_ })
  })
  afterAll(() => graph.close())

  async function walk(filter: Filter, limit: number): Promise<string[]> {
    const ids: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const at: object = cursor === '' ? {} : { cursor }
      const variables = { ...filter, ...at, limit }
      const page: { items: { request_id: string }[]; next_cursor: string | null } = Object(
        await graph.as('ListUsageLog', variables, callerOf(accountId)),
      )
      expect(page.items.length).toBeLessThanOrEqual(limit)
      ids.push(...page.items.map((item) => item.request_id))
      cursor = page.next_cursor
    }
    return ids
  }

  const services = [undefined, 'contacts', 'account', 'cloud']
  const classes = [undefined, 2, 4, 5, 1]
  const credits = [undefined, 0, 1, 6, 64, 66, 129, 130, 1000, 1002, 5001]
  const spans = [
    {},
    { from: '2026-02-01T00:00:00.000Z' },
    { to: '2026-02-01T00:00:00.000Z' },
    { from: '2026-02-01T00:00:00.000Z', to: '2026-02-01T00:00:20.000Z' },
    { from: '2026-01-31T23:30:00.000Z', to: '2026-02-01T01:30:00.000Z' },
  ]

  test.each(spans)('alone and together show each match once, newest first: %j', async (span) => {
    let found = 0
    for (const service of services) {
      for (const status_class of classes) {
        for (const min_credits of credits) {
          const filter = { ...span, service, status_class, min_credits }
          const expected = entries
            .filter((entry) => fits(entry, filter))
            .map(({ requestId }) => requestId)
            .toReversed()

          expect([filter, await walk(filter, 197)]).toEqual([filter, expected])
          found += expected.length
        }
      }
    }
    expect(found).toBeGreaterThan(0)
  })

  test('keep the order in small pages, across the end of a month', async () => {
    for (const filter of [{}, { min_credits: 66 }, { service: 'seo', status_class: 2 }]) {
      const expected = entries.filter((entry) => fits(entry, filter)).map((one) => one.requestId)

      expect(await walk(filter, 7)).toEqual(expected.toReversed())
    }
  })

  test('find one request by request_id, and none that another filter excludes', async () => {
    const wanted = entries.find(({ service, status }) => service === 'contacts' && status === 200)
    if (!wanted) throw new Error('There is none.')
    const { requestId: request_id, ts } = wanted

    expect(await walk({ request_id }, 50)).toEqual([request_id])
    expect(await walk({ request_id, service: 'contacts', status_class: 2 }, 50)).toEqual([
      request_id,
    ])
    expect(await walk({ request_id, service: 'seo' }, 50)).toEqual([])
    expect(await walk({ request_id, to: ts }, 50)).toEqual([])
    expect(await walk({ request_id: newId('req') }, 50)).toEqual([])
  })

  test('find nothing of another account', async () => {
    const input = { name: 'Other', email: 'other@example.com', tier: 'STARTER', credits: 0 }
    const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
    const [entry] = entries

    for (const filter of [{}, { service: 'contacts' }, { request_id: entry?.requestId }]) {
      const page = await graph.as('ListUsageLog', { ...filter, limit: 50 }, callerOf(account.id))
      expect(page).toEqual({ items: [], next_cursor: null })
    }
  })
})

describe('GET /v1/account/usage/log', () => {
  let gateway: TestGateway
  let account: TestAccount
  beforeAll(async () => {
    gateway = await startTestGateway()
    account = await gateway.createAccount()
  })
  afterAll(() => gateway.close())

  test('accepts all filters together, and instants in any offset', async () => {
    const call = await gateway.live.post(
      '/v1/contacts/reveal',
      { contact_id: 'con_1' },
      account.liveKey,
    )
    const id = call.headers.get('x-request-id')
    const nowMs = Date.now()
    const inTokyo = (ms: number) =>
      encodeURIComponent(new Date(ms + 9 * 3_600_000).toISOString().replace('Z', '+09:00'))
    const span = `from=${inTokyo(nowMs - 60_000)}&to=${inTokyo(nowMs + 60_000)}`
    const rest = `service=contacts&status_class=2xx&min_credits=5&request_id=${id}&limit=1&endpoint=POST%20/v1/contacts/reveal`

    const found = await gateway.live.get(`${logPath}?${span}&${rest}`, account.liveKey)
    const dearer = await gateway.live.get(`${logPath}?${span}&min_credits=6`, account.liveKey)

    expect(found).toMatchObject({
      status: 200,
      body: { items: [{ request_id: id, credits: 5 }], next_cursor: null },
    })
    expect(dearer).toMatchObject({ status: 200, body: { items: [], next_cursor: null } })
  })

  const instant = 'must be an ISO 8601 instant such as 2026-01-31T00:00:00Z'
  const years = 'must be in the years 1970 to 9999'
  const amount = 'must be an integer from 0 to 999999999'

  test('accepts the first and the last possible instant', async () => {
    const span = 'from=1970-01-01T00:00:00Z&to=9999-12-31T23:59:59.999Z'

    const { status, body } = await gateway.live.get(`${logPath}?${span}`, account.liveKey)

    expect([status, body]).toEqual([200, { items: expect.any(Array), next_cursor: null }])
  })

  test.each([
    ['from=yesterday', 'from', instant],
    ['from=2026-01-31', 'from', instant],
    ['to=2026-01-31T00:00:00', 'to', instant],
    ['to=', 'to', instant],
    ['from=2026-02-30T00:00:00Z', 'from', instant],
    ['from=2026-02-01T00:00:00Z&to=2026-02-01T00:00:00Z', 'to', 'must be after from'],
    ['from=2026-02-01T00:00:00Z&to=2026-02-01T00:00:00%2B01:00', 'to', 'must be after from'],
    ['from=1969-12-31T23:59:59Z', 'from', years],
    ['to=1900-01-01T00:00:00Z', 'to', years],
    ['from=1970-01-01T00:00:00%2B00:01', 'from', years],
    ['from=0000-01-01T00:00:00%2B01:00', 'from', years],
    ['to=9999-12-31T23:59:59-01:00', 'to', years],
    ['min_credits=-1', 'min_credits', amount],
    ['min_credits=1.5', 'min_credits', amount],
    ['min_credits=9999999999', 'min_credits', amount],
    ['min_credits=', 'min_credits', amount],
    ['request_id=req_1', 'request_id', 'must be the id of a request, req_…'],
    [`request_id=${newId('key')}`, 'request_id', 'must be the id of a request, req_…'],
    ['request_id=a&request_id=b', 'request_id', 'must be a single id'],
    ['status=2xx', 'status', 'is not known here'],
    ['max_credits=1', 'max_credits', 'is not known here'],
  ])('refuses %s', async (query, field, message) => {
    const response = await gateway.live.get(`${logPath}?${query}`, account.liveKey)

    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      details: [{ field, in: 'query', message }],
    })
  })
})
