import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { InternalCaller } from '../../../../schema/credentials/caller.ts'
import { newId } from '../../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../../support/database/graph.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())

function newCaller(requestId: string = newId('req')): InternalCaller {
  return {
    ...{ kind: 'internal', role: 'readonly', tokenId: 'tok_test' },
    ...{ environment: 'live', requestId, traceId: '', address: null },
  }
}

async function openAccount(): Promise<string> {
  const input = { name: 'Test', email: 'test@example.com', tier: 'STARTER', credits: 0 }
  return Object(await graph.asAdmin('CreateAccount', { input })).account.id
}

function times(count: number, part: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => part(index)).join(' ')
}

const tooMany = expect.objectContaining({
  message: 'first: must leave all lists together at most 20000 rows',
  extensions: expect.objectContaining({ code: 'INVALID_REQUEST' }),
})

/** Fifteen different pages of a list for each root field. */
function pagesOf(list: string, rootCount: number): string {
  const lists = (root: number) => times(15, (index) => `l${root}_${index}: ${list}`)
  const roots = times(rootCount, (root) => `r${root}: account(id: $id) { ${lists(root)} }`)
  return `query ($id: ID!, $first: Int!) { ${roots} }`
}

describe('a document of an internal tool', () => {
  test.each([
    'usageLog(first: $first) { nodes { requestId } }',
    'auditEvents(first: $first) { nodes { id } }',
    'recentUsage(first: $first) { requestId }',
    'ledger(first: $first) { nodes { id } }',
    'apiKeys { id }',
  ])('may show at most 20000 rows of all accounts together: %s', async (list) => {
    const id = await openAccount()
    const variables = { id, first: 200 }

    const six = await graph.run(parse(pagesOf(list, 6)), variables, newCaller())
    const seven = await graph.run(parse(pagesOf(list, 7)), variables, newCaller())

    expect(six.errors).toBeUndefined()
    expect(seven.errors).toContainEqual(tooMany)
  })

  test('is counted as one, whatever the number of subgraph requests and processes', async () => {
    const id = await openAccount()
    const document = parse(pagesOf('usageLog(first: $first) { nodes { requestId } }', 4))
    const requestId = newId('req')
    const ask = () => graph.run(document, { id, first: 200 }, newCaller(requestId))

    const [first, second] = [await ask(), await ask()]

    expect(first.errors).toBeUndefined()
    expect(second.errors).toContainEqual(tooMany)
  })

  test('counts the points of a time series: hours by endpoint are many', async () => {
    const id = await openAccount()
    await graph.database.query(
      `WITH everyone AS MATERIALIZED (SELECT set_config('gateway.account_id', '*', true))
       INSERT INTO usage.usage_endpoint (account_id, environment, unit, start, service, endpoint,
         requests, successes, credits, steps)
       SELECT $1, 'live', 'hour', timestamptz '2026-03-01Z' + n / 13 * interval '1 hour', 'seo',
         'GET /v1/seo/' || n % 13, 1, 1, 0, '{0,0,1}'
       FROM everyone CROSS JOIN generate_series(0, 13 * 700 - 1) AS n`,
      [id],
    )
    const span = 'from: "2026-03-01T00:00:00Z", to: "2026-03-31T00:00:00Z"'
    const series = `usageSummary(interval: hour, groupBy: endpoint, ${span}) { items { requests } }`
    const small = 'usageSummary(interval: day) { items { requests } }'
    const query = `query ($id: ID!) { account(id: $id) { small: ${small} one: ${series} other: ${series} third: ${series} fourth: ${series} } }`

    const { data, errors } = await graph.run(parse(query), { id }, newCaller())

    expect(Object(data).account).toBeNull()
    expect(errors).toEqual([tooMany])
    const alone = `query ($id: ID!) { account(id: $id) { small: ${small} one: ${series} } }`
    const result = await graph.run(parse(alone), { id }, newCaller())
    expect(result.errors).toBeUndefined()
    expect(Object(result.data).account.one.items).toHaveLength(13 * 720)
  })
})
