import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { CallEntry } from '../../../rest-facade/charge/usage-log/usage-batch.ts'
import type { OperationName } from '../../../schema/generated/operations.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { callerOf } from '../../support/database/planted-tenant.ts'
import { usageEntryOf, usageWriterOf } from '../../support/database/usage-entries.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let graph: TestGraph
let gateway: TestGateway
beforeAll(async () => {
  graph = await openTestGraph()
  gateway = await startTestGateway()
})
afterAll(() => Promise.all([graph.close(), gateway.close()]))

const startMs = Date.parse('2026-03-30T21:00:00.000Z')
const hourMs = 3_600_000
const span = {
  from: new Date(startMs).toISOString(),
  to: new Date(startMs + 24 * hourMs).toISOString(),
}
const keys = [newId('key'), newId('key')] as const
const statuses = [200, 404, 201, 503, 404, 422, 200]

/** Entries of two keys and three endpoints, over six hours; each eleventh entry is of a session. */
function entriesOf(accountId: string, count = 240): CallEntry[] {
  return Array.from({ length: count }, (_, index) => {
    const route = `/v1/seo/${index % 3}/{id}`
    return usageEntryOf(accountId, {
      arrivedAtMs: startMs + index * ((6 * hourMs) / count),
      ...{ method: index % 2 ? 'POST' : 'GET', route, endpoint: `/v1/seo/${index % 3}/${index}` },
      service: index % 4 ? 'seo' : 'contacts',
      status: statuses[index % statuses.length] ?? 0,
      credits: index % 5,
      latencyMs: index + 1,
      keyId: keys[index % 2] ?? null,
      isSession: index % 11 === 0,
    })
  })
}

/** Records the entries, and returns those that an answer may count: entries of sessions are in no answer. */
async function recorded(
  isWithSessions: boolean,
): Promise<{ accountId: string; entries: CallEntry[] }> {
  const accountId = newId('acct')
  const all = entriesOf(accountId)
  const entries = all.filter(({ isSession }) => !isSession)
  await usageWriterOf(graph).recordAtOnce(isWithSessions ? all : entries)
  return { accountId, entries }
}

const run = async (operation: OperationName, accountId: string, variables: object) =>
  Object(await graph.as(operation, { ...variables }, callerOf(accountId)))

interface Filter {
  readonly service?: string
  readonly status_class?: number
  readonly key_id?: string
}

const fits = (entry: CallEntry, { service, status_class, key_id }: Filter) =>
  (service === undefined || entry.service === service) &&
  (status_class === undefined || Math.floor(entry.status / 100) === status_class) &&
  (key_id === undefined || entry.keyId === key_id)

/** All combinations. */
const filters: Filter[] = [undefined, 'seo', 'cloud'].flatMap((service) =>
  [undefined, 2, 4, 5].flatMap((status_class) =>
    [undefined, keys[0]].map((key_id) => ({
      ...(service && { service }),
      ...(status_class && { status_class }),
      ...(key_id && { key_id }),
    })),
  ),
)

describe('GET /v1/account/usage/errors', () => {
  test.each(filters)('groups the failures that fit: %j', async (filter) => {
    const { accountId, entries } = await recorded(true)

    const errors = await run('ListUsageErrors', accountId, { ...span, ...filter })

    const failed = entries.filter((entry) => entry.status >= 400 && fits(entry, filter))
    const nameOf = ({ service, method, route, status }: CallEntry) =>
      `${service} ${method} ${route} ${status}`
    const groups = [...Map.groupBy(failed, nameOf).values()].map((group) => {
      const [first, last] = [group[0], group.at(-1)]
      if (!first || !last) throw new Error('A group is empty.')
      return {
        ...{ service: first.service, status: first.status, requests: group.length },
        endpoint: `${first.method} ${first.route}`,
        first_at: new Date(first.arrivedAtMs).toISOString(),
        last_at: new Date(last.arrivedAtMs).toISOString(),
        last_request_id: last.requestId,
      }
    })
    groups.sort((one, other) =>
      one.requests === other.requests
        ? other.last_request_id < one.last_request_id
          ? -1
          : 1
        : other.requests - one.requests,
    )
    expect(JSON.parse(JSON.stringify(errors))).toEqual({
      ...span,
      is_complete: true,
      items: groups,
    })
  })

  test('counts the newest 10,000 at most, and says so', async () => {
    const accountId = newId('acct')
    const entries = Array.from({ length: 10_001 }, (_, index) =>
      usageEntryOf(accountId, { arrivedAtMs: startMs + index, status: 500, route: '/v1/seo/x' }),
    )
    for (let first = 0; first < entries.length; first += 1000) {
      await usageWriterOf(graph).recordAtOnce(entries.slice(first, first + 1000))
    }

    const errors = await run('ListUsageErrors', accountId, span)

    expect(errors).toMatchObject({
      is_complete: false,
      items: [{ requests: 10_000, last_request_id: entries.at(-1)?.requestId }],
    })
  })

  test('200: shows the calls of a key over HTTP, those of the last 7 days without a span', async () => {
    const { liveKey } = await gateway.createAccount()
    const missing = await gateway.live.get(`/v1/account/keys/${newId('key')}`, liveKey)
    expect(missing.status).toBe(404)

    const { status, body } = await vi.waitUntil(async () => {
      const answer = await gateway.live.get('/v1/account/usage/errors', liveKey)
      return Object(answer.body).items.length > 0 ? answer : null
    }, patience)

    const { from, to, ...errors } = Object(body)
    expect(status).toBe(200)
    expect(Date.parse(to) - Date.parse(from)).toBe(7 * 24 * hourMs)
    expect(errors).toEqual({
      is_complete: true,
      items: [
        {
          ...{ service: 'keys', endpoint: 'GET /v1/account/keys/{key_id}', status: 404 },
          ...{ requests: 1, first_at: expect.any(String), last_at: errors.items[0].first_at },
          last_request_id: missing.headers.get('x-request-id'),
        },
      ],
    })
  })

  test.each([
    ['status_class=2xx', 'status_class', 'must be 4xx or 5xx'],
    ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'to', 'must be after from'],
    ['from=2099-01-01T00:00:00Z', 'from', 'must be before to'],
  ])('422: refuses %s', async (query, field, message) => {
    const { liveKey } = await gateway.createAccount()

    const refused = await gateway.live.get(`/v1/account/usage/errors?${query}`, liveKey)

    expectError(gateway, refused, {
      ...{ status: 422, code: 'INVALID_REQUEST' },
      message: `${field}: ${message}`,
      details: [{ field, in: 'query', message }],
    })
  })
})

interface Point {
  readonly service: string | null
  readonly endpoint: string | null
  readonly key_id?: string | null
  readonly start: string
  readonly requests: number
  readonly credits: number
  readonly success_rate: number
  readonly latency_p50_ms: number | null
  readonly latency_p95_ms: number | null
}

const groupings = {
  service: ({ service }: CallEntry) => service,
  endpoint: ({ service, method, route }: CallEntry) => `${service} ${method} ${route}`,
  key: ({ keyId }: CallEntry) => String(keyId),
} as const

const labelOf = ({ service, endpoint, key_id }: Point) =>
  [service, endpoint, key_id].filter((part) => typeof part === 'string').join(' ')

describe('GET /v1/account/usage/summary', () => {
  test.each(
    (['service', 'endpoint', 'key'] as const).flatMap((group) =>
      filters.map((filter) => [group, filter] as const),
    ),
  )('by %s has what fits a service, a status and a key: %j', async (group, filter) => {
    const isOfLog =
      filter.status_class !== undefined || (group === 'endpoint' && filter.key_id !== undefined)
    const { accountId, entries } = await recorded(isOfLog)
    const asked = { interval: 'hour', group_by: group, by_key: group === 'key', ...span, ...filter }

    const { items } = await run('SummarizeUsage', accountId, asked)

    const points = (items as Point[]).filter(({ requests }) => requests > 0)
    const hourOf = ({ arrivedAtMs }: CallEntry) =>
      new Date(Math.floor(arrivedAtMs / hourMs) * hourMs).toISOString()
    const own = entries.filter((entry) => fits(entry, filter))
    const expected = Map.groupBy(own, (entry) => `${hourOf(entry)} ${groupings[group](entry)}`)
    expect(
      new Map(
        points.map((point) => [
          `${new Date(point.start).toISOString()} ${labelOf(point)}`,
          [point.requests, point.credits, point.success_rate],
        ]),
      ),
    ).toEqual(
      new Map(
        [...expected].map(([name, all]) => [
          name,
          [
            all.length,
            all.reduce((sum, { credits }) => sum + credits, 0),
            all.filter(({ status }) => status < 400).length / all.length,
          ],
        ]),
      ),
    )
    for (const { latency_p50_ms, latency_p95_ms } of points) {
      const isKnown = group !== 'key' && (isOfLog || !filter.key_id)
      expect([latency_p50_ms !== null, latency_p95_ms !== null]).toEqual([isKnown, isKnown])
    }
  })
})
