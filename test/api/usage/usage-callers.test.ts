import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CallEntry } from '../../../rest-facade/charge/usage-log/usage-batch.ts'
import type { OperationName } from '../../../schema/generated/operations.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { callerOf } from '../../support/database/planted-tenant.ts'
import { usageEntryOf, usageWriterOf } from '../../support/database/usage-entries.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const startMs = Date.parse('2026-03-30T21:00:00.000Z')

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())

const keys = [newId('key'), newId('key'), newId('key')]
const apps = [newId('app'), newId('app')]

/** Over six hours, across midnight and the end of a month: of keys, apps and sessions. */
function entriesOf(accountId: string, count = 240): CallEntry[] {
  return Array.from({ length: count }, (_, index) => {
    const isToken = index % 5 === 0
    const isSession = index % 11 === 0 && !isToken
    return usageEntryOf(accountId, {
      arrivedAtMs: startMs + index * ((6 * hourMs) / count),
      service: index % 3 ? 'seo' : 'contacts',
      ...(index % 13 === 4 && { method: 'POST', route: '/v1/x/{id}', endpoint: `/v1/x/${index}` }),
      status: index % 7 ? 200 : 404,
      credits: index % 7 && !isSession ? index % 4 : 0,
      backendModule: isSession ? 'subgraph:account' : 'seo',
      keyId: isToken ? null : keys[index % 3],
      clientId: isToken ? apps[index % 2] : null,
      externalId: index % 4 ? `team ${index % 2}` : null,
      endUser: index % 6 ? null : `user-${index % 12}`,
      isSession,
    })
  })
}

/** Calls of sessions that cost nothing are in no sum. */
const isCounted = ({ isSession }: CallEntry) => !isSession

const audit = () => graph.asAdmin('AuditUsage')

interface Item {
  readonly start: string
  readonly service: string | null
  readonly requests: number
  readonly credits: number
  readonly success_rate: number
  readonly key_id?: string | null
  readonly client_id?: string | null
  readonly external_id?: string | null
}

async function series(accountId: string, variables: object) {
  const by = Object(variables).group_by
  const derived = {
    by_key: by === 'key',
    by_client: by === 'client',
    by_external_id: by === 'external_id',
  }
  const asked = { ...derived, interval: 'hour', ...variables }
  return Object(await graph.as<OperationName>('SummarizeUsage', asked, callerOf(accountId)))
}

/** Puts them into the log, and into the sums, in one of the ways that there are. */
const ways = {
  'in an open epoch': async (entries: readonly CallEntry[]) => {
    const writer = usageWriterOf(graph)
    await writer.record(await writer.open(entries), entries)
  },
  'in an epoch that has ended': async (entries: readonly CallEntry[]) => {
    const writer = usageWriterOf(graph)
    const epoch = await writer.open(entries)
    await writer.record(epoch, entries)
    await writer.fold(epoch)
  },
  'for a process that has died': async (entries: readonly CallEntry[]) => {
    await usageWriterOf(graph).recordAtOnce(entries)
  },
} as const

const eachWay = Object.entries(ways)

describe('a summary of callers', () => {
  const groups = [
    ['key', 'key_id', ({ keyId }: CallEntry) => keyId],
    ['client', 'client_id', ({ clientId }: CallEntry) => clientId ?? null],
    ['external_id', 'external_id', ({ externalId }: CallEntry) => externalId ?? null],
  ] as const
  const cases = eachWay.flatMap(([way, record], index) =>
    // The ways differ in how the columns of all groups get there, the groups in which column is read.
    groups
      .slice(0, index === 0 ? groups.length : 1)
      .flatMap((group) =>
        (['hour', 'day'] as const).map((interval) => ({ way, record, group, interval })),
      ),
  )

  test.each(cases)(
    'has the sums of the entries, and 0 where there are none: $way, $group.0, $interval',
    async ({ record, group: [group_by, member, groupOf], interval }) => {
      const accountId = newId('acct')
      const entries = entriesOf(accountId)
      await record(entries)
      const stepMs = interval === 'hour' ? hourMs : dayMs
      const from = new Date(startMs - dayMs).toISOString()
      const to = new Date(startMs + dayMs).toISOString()

      const { items, ...rest } = await series(accountId, { interval, group_by, from, to })

      const firstMs = Math.floor(Date.parse(from) / stepMs) * stepMs
      const endMs = Math.ceil(Date.parse(to) / stepMs) * stepMs
      expect(rest).toEqual({
        ...{ interval, group_by },
        ...{ from: new Date(firstMs).toISOString(), to: new Date(endMs).toISOString() },
      })
      const starts = Array.from(
        { length: (endMs - firstMs) / stepMs },
        (_, index) => firstMs + index * stepMs,
      )
      const names = [...new Set(entries.map(groupOf))]
      const expected = starts.flatMap((ms) =>
        names.map((name) => {
          const own = entries.filter(
            (entry) =>
              isCounted(entry) &&
              groupOf(entry) === name &&
              entry.arrivedAtMs >= ms &&
              entry.arrivedAtMs < ms + stepMs,
          )
          const successes = own.filter(({ status }) => status < 400).length
          return {
            ...{ start: new Date(ms).toISOString(), service: null, endpoint: null, [member]: name },
            requests: own.length,
            credits: own.reduce((sum, { credits }) => sum + credits, 0),
            success_rate: own.length === 0 ? 1 : expect.closeTo(successes / own.length, 10),
            ...{ latency_p50_ms: null, latency_p95_ms: null },
          }
        }),
      )
      expect(items).toHaveLength(expected.length)
      expect(items).toEqual(expect.arrayContaining(expected))
      expect(items.map(({ start }: Item) => start)).toEqual(
        items.map(({ start }: Item) => start).toSorted(),
      )
      expect(await audit()).toMatchObject({ drifts: [] })
    },
  )

  test('can be of one key, one app or one external id, also by service', async () => {
    const accountId = newId('acct')
    const entries = entriesOf(accountId)
    await ways['in an epoch that has ended'](entries.slice(0, 150))
    await ways['in an open epoch'](entries.slice(150))
    const span = {
      from: new Date(startMs).toISOString(),
      to: new Date(startMs + dayMs).toISOString(),
    }
    const [key_id] = keys
    const filters = [
      [{ key_id }, (entry: CallEntry) => entry.keyId === key_id],
      [{ client_id: apps[1] }, (entry: CallEntry) => entry.clientId === apps[1]],
      [{ external_id: 'team 1' }, (entry: CallEntry) => entry.externalId === 'team 1'],
      [
        { external_id: 'team 0', key_id },
        (entry: CallEntry) => entry.externalId === 'team 0' && entry.keyId === key_id,
      ],
      [{ external_id: 'nobody' }, () => false],
    ] as const

    for (const [filter, fits] of filters) {
      const shown = await series(accountId, { group_by: 'service', ...span, ...filter })
      const totals = new Map<string | null, number>()
      for (const { service, requests } of shown.items as Item[]) {
        totals.set(service, (totals.get(service) ?? 0) + requests)
      }
      const own = Map.groupBy(
        entries.filter((entry) => isCounted(entry) && fits(entry)),
        ({ service }) => service,
      )
      expect([filter, totals]).toEqual([
        filter,
        new Map([...own].map(([service, all]) => [service, all.length])),
      ])
    }
  })

  const filters = {
    'by service': { group_by: 'service' },
    'by endpoint': { group_by: 'endpoint' },
    'of one service': { group_by: 'service', service: 'seo' },
    'of one status class': { group_by: 'service', status_class: 2 },
    'of one key, by endpoint': { group_by: 'endpoint', key_id: keys[1] },
    'of one key, by service': { group_by: 'service', key_id: keys[1] },
    'by key': { group_by: 'key' },
    'of one status class, by external id': { group_by: 'external_id', status_class: 2 },
  } as const
  const spans = Object.entries(filters).flatMap(([name, filter]) =>
    (['hour', 'day'] as const).map((interval) => ({ name, interval, filter })),
  )

  test.each(spans)('is of whole intervals: $name, $interval', async ({ interval, filter }) => {
    const accountId = newId('acct')
    const stepMs = interval === 'hour' ? hourMs : dayMs
    const firstMs = Math.floor(startMs / stepMs) * stepMs
    const endMs = firstMs + 2 * stepMs
    const at = (arrivedAtMs: number) => usageEntryOf(accountId, { arrivedAtMs, keyId: keys[1] })
    const inside = [at(firstMs), at(endMs - 1)]
    await ways['in an epoch that has ended']([at(firstMs - 1), at(endMs), ...inside.slice(1)])
    await ways['in an open epoch'](inside.slice(0, 1))
    const from = new Date(firstMs + stepMs / 2).toISOString()
    const to = new Date(firstMs + stepMs + 1).toISOString()

    const { items, ...rest } = await series(accountId, { interval, ...filter, from, to })

    expect(rest).toEqual({
      ...{ interval, group_by: filter.group_by },
      ...{ from: new Date(firstMs).toISOString(), to: new Date(endMs).toISOString() },
    })
    expect(items.map(({ start, requests }: Item) => [Date.parse(start), requests])).toEqual([
      [firstMs, 1],
      [firstMs + stepMs, 1],
    ])
  })

  test('has the 50 groups with the most credits, and the rest as `other`', async () => {
    const accountId = newId('acct')
    const entries = Array.from({ length: 60 }, (_, index) =>
      usageEntryOf(accountId, { credits: 100 - index, externalId: `team-${index}` }),
    )
    await ways['in an epoch that has ended'](entries)

    const { items } = await series(accountId, { group_by: 'external_id' })

    const used = (items as Item[]).filter(({ requests }) => requests > 0)
    const other = used.filter(({ external_id }) => external_id === 'other')
    expect(new Set(used.map(({ external_id }) => external_id))).toEqual(
      new Set([...entries.slice(0, 50).map(({ externalId }) => externalId), 'other']),
    )
    expect(other).toMatchObject([
      { requests: 10, credits: 50 + 49 + 48 + 47 + 46 + 45 + 44 + 43 + 42 + 41 },
    ])
  })

  test('refuses more than 10,000 points of all groups', async () => {
    const accountId = newId('acct')
    const entries = Array.from({ length: 20 }, (_, index) =>
      usageEntryOf(accountId, { externalId: `team-${index}` }),
    )
    await ways['in an epoch that has ended'](entries)
    const now = Date.now()
    const since = (days: number) => ({
      from: new Date(now - days * dayMs).toISOString(),
      to: new Date(now).toISOString(),
    })

    const most = await series(accountId, { group_by: 'external_id', ...since(20) })
    const refused = series(accountId, { group_by: 'external_id', ...since(31) })

    expect(most.items.length).toBeLessThanOrEqual(10_000)
    await expect(refused).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      details: [
        {
          ...{ field: 'from', in: 'query' },
          message: expect.stringMatching(
            /^must be later: 74[45] points of 20 groups are more than 10000$/,
          ),
        },
      ],
    })
  })

  test('shows nothing of another account', async () => {
    const [accountId, other] = [newId('acct'), newId('acct')]
    await ways['in an epoch that has ended'](entriesOf(other, 20))
    await ways['in an open epoch'](entriesOf(other, 20))
    const span = {
      from: new Date(startMs).toISOString(),
      to: new Date(startMs + dayMs).toISOString(),
    }

    const shown = await series(accountId, { group_by: 'key', ...span })
    const filtered = await series(accountId, { group_by: 'key', key_id: keys[0], ...span })

    expect([shown.items, filtered.items]).toEqual([[], []])
  })
})

describe('the usage log of callers', () => {
  interface Asked {
    readonly key_id?: string
    readonly client_id?: string
    readonly external_id?: string
    readonly end_user?: string
    readonly source?: readonly string[]
    readonly service?: string
    readonly endpoint?: string
    readonly status_class?: number
    readonly min_credits?: number
    readonly from?: string
    readonly to?: string
  }

  const sourceOf = ({ isSession, clientId }: CallEntry) =>
    isSession ? 'session' : clientId ? 'token' : 'key'

  /** By the rule, and not by SQL. */
  function fits(entry: CallEntry, asked: Asked): boolean {
    const is = (value: string | null | undefined, wanted: string | undefined) =>
      wanted === undefined || value === wanted
    return (
      is(entry.keyId, asked.key_id) &&
      is(entry.clientId, asked.client_id) &&
      is(entry.externalId, asked.external_id) &&
      is(entry.endUser, asked.end_user) &&
      is(entry.service, asked.service) &&
      is(`${entry.method} ${entry.route}`, asked.endpoint) &&
      (asked.source?.includes(sourceOf(entry)) ?? true) &&
      (asked.status_class === undefined || Math.floor(entry.status / 100) === asked.status_class) &&
      entry.credits >= (asked.min_credits ?? 0) &&
      (asked.from === undefined || entry.arrivedAtMs >= Date.parse(asked.from)) &&
      (asked.to === undefined || entry.arrivedAtMs < Date.parse(asked.to))
    )
  }

  async function walk(accountId: string, asked: Asked, limit: number): Promise<string[]> {
    const ids: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const at: object = cursor === '' ? {} : { cursor }
      const page: { items: { request_id: string }[]; next_cursor: string | null } = Object(
        await graph.as<OperationName>(
          'ListUsageLog',
          { ...asked, ...at, limit },
          callerOf(accountId),
        ),
      )
      ids.push(...page.items.map((item) => item.request_id))
      cursor = page.next_cursor
    }
    return ids
  }

  const [key_id = ''] = keys
  const [client_id = ''] = apps
  const midnight = '2026-03-31T00:00:00.000Z'
  const asked: readonly Asked[] = [
    { key_id },
    { client_id },
    { external_id: 'team 1' },
    { end_user: 'user-6' },
    { end_user: 'user-0', key_id },
    { key_id, service: 'contacts', status_class: 4 },
    { external_id: 'team 0', min_credits: 2, from: midnight },
    { key_id, external_id: 'team 1', to: midnight },
    { source: ['session'] },
    { source: ['token'] },
    { source: ['key', 'session'], service: 'seo' },
    { source: ['key', 'token', 'session'] },
    { source: ['token'], key_id },
    { source: ['key', 'token'] },
    { source: ['session'], key_id, status_class: 4 },
    { source: ['session'], min_credits: 2 },
    { endpoint: 'POST /v1/x/{id}' },
    { endpoint: 'GET /v1/x', status_class: 4, service: 'contacts' },
    { endpoint: 'POST /v1/x/{id}', key_id, from: midnight },
    { endpoint: 'POST /v1/x/{id}', source: ['session'] },
    { endpoint: 'POST /v1/x/{id}', source: ['key', 'token'], min_credits: 1 },
    { endpoint: 'POST /v1/x/{id}', end_user: 'user-0' },
    { endpoint: 'GET /v1/x/{id}' },
    { key_id: newId('key') },
    { end_user: 'nobody' },
  ]

  test.each(eachWay)('has each match once, newest first, %s', async (_way, record) => {
    const accountId = newId('acct')
    const entries = entriesOf(accountId)
    await record(entries)

    for (const one of asked) {
      const expected = entries.filter((entry) => fits(entry, one)).map(({ requestId }) => requestId)
      for (const limit of [7, 200]) {
        expect([one, await walk(accountId, one, limit)]).toEqual([one, expected.toReversed()])
      }
    }
  })

  test('finds a caller of many hours, and one of hours far apart', async () => {
    const accountId = newId('acct')
    const [often = '', seldom = ''] = keys
    const entries = Array.from({ length: 600 }, (_, index) =>
      usageEntryOf(accountId, {
        arrivedAtMs: startMs - index * hourMs,
        keyId: index % 100 ? often : seldom,
        ...(index % 150 === 70 && { method: 'POST', route: '/v1/rare' }),
      }),
    )
    await ways['in an epoch that has ended'](entries)

    const endpoint = 'POST /v1/rare'
    const rare = entries.filter(({ route }) => route === '/v1/rare')
    expect(await walk(accountId, { endpoint }, 150)).toEqual(rare.map(({ requestId }) => requestId))
    for (const key_id of [often, seldom]) {
      const own = entries.filter(({ keyId }) => keyId === key_id)
      expect(await walk(accountId, { key_id }, 150)).toEqual(own.map(({ requestId }) => requestId))
    }
  })

  test('shows nothing of another account', async () => {
    const other = newId('acct')
    await ways['in an open epoch'](entriesOf(other, 20))
    await ways['for a process that has died'](entriesOf(other, 20))

    for (const one of asked) expect(await walk(newId('acct'), one, 50)).toEqual([])
  })

  test('says who has called in the extended form only', async () => {
    const accountId = newId('acct')
    const entry = usageEntryOf(accountId, {
      ...{ keyId: key_id, externalId: 'team 1', endUser: 'user-1' },
    })
    await ways['in an open epoch']([entry, usageEntryOf(accountId, { clientId: client_id })])
    const log = async (form: object) => {
      const page = await graph.as('ListUsageLog', { limit: 2, ...form }, callerOf(accountId))
      // The page as JSON sends it.
      return JSON.parse(JSON.stringify(page)).items
    }

    const plain = await log({})
    const extended = await log({ extended: true })

    expect(Object.keys(plain[0])).toHaveLength(10)
    expect(extended.map((item: object, index: number) => ({ ...plain[index], ...item }))).toEqual(
      extended,
    )
    const none = { key_id: null, client_id: null, external_id: null, end_user: null }
    expect(extended).toMatchObject([
      { ...none, client_id, source: 'token' },
      { ...none, key_id, external_id: 'team 1', end_user: 'user-1', source: 'key' },
    ])
  })
})

describe('sums by key', () => {
  test('that lack entries are a difference', async () => {
    const accountId = newId('acct')
    await ways['in an epoch that has ended'](entriesOf(accountId, 40))
    await graph.database.query('DELETE FROM usage.usage_key WHERE account_id = $1', [accountId])

    const { drifts } = Object(await audit())

    const [own] = drifts.filter((drift: { account_id: string }) => drift.account_id === accountId)
    expect(own).toMatchObject({ problem: expect.stringMatching(/^usage_key has 0 requests/) })
  })
})
