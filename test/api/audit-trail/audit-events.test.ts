import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { sessionSettingsWithin } from '../../../subgraphs/shared/database/sessions.ts'
import { pageStatement } from '../../../subgraphs/usage/audit-trail/audit-page.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestAccount, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const path = '/v1/account/audit/events'

interface Event {
  readonly id: string
  readonly occurred_at: string
  readonly [name: string]: unknown
}

let clock = Date.parse('2026-01-01T00:00:00.000Z')

/** An event as `usage.record_audit_events` takes it, a second after the one before. */
function eventOf(accountId: string | null, changes: object = {}): Event {
  clock += 1000
  return {
    id: newId('aud', clock),
    account_id: accountId,
    environment: 'live',
    occurred_at: new Date(clock).toISOString(),
    actor_kind: 'key',
    actor_id: 'key_1',
    actor_role: null,
    action: 'keyword.create',
    resource_id: 'kw_1',
    address: '203.0.113.7',
    request_id: newId('req'),
    trace_id: 'a'.repeat(32),
    result: 'succeeded',
    details: { keyword: 'shoes' },
    ...changes,
  }
}

async function record(...events: readonly Event[]): Promise<void> {
  await gateway.database.query(
    `SELECT usage.record_audit_events($1) FROM set_config('gateway.account_id', '*', true)`,
    [JSON.stringify(events)],
  )
}

interface Page {
  readonly items: readonly Event[]
  readonly next_cursor: string | null
}

async function pageOf(
  { liveKey, sandboxKey }: TestAccount,
  query = '',
  environment: Environment = 'live',
): Promise<Page> {
  const key = environment === 'live' ? liveKey : sandboxKey
  const { status, body } = await gateway[environment].get(`${path}${query}`, key)
  expect([status, body]).toEqual([200, expect.anything()])
  return Object(body)
}

function idsOf({ items }: Page): string[] {
  return items.map(({ id }) => id)
}

/** Waits for the line of the account's opening, which is not part of these tests. */
async function newAccount(): Promise<TestAccount> {
  const account = await gateway.createAccount()
  await vi.waitFor(async () => {
    expect((await pageOf(account, '?action=account.create')).items).toHaveLength(1)
  }, patience)
  return account
}

const before = 'to=2026-11-01T00:00:00Z'

describe('GET /v1/account/audit/events', () => {
  test('shows actor, action, time, address, result and position in the chain of each event', async () => {
    const account = await newAccount()
    const byKey = eventOf(account.id)
    const byApp = eventOf(account.id, {
      ...{ actor_kind: 'oauth_client', actor_id: 'app_1', result: 'FORBIDDEN', details: {} },
    })
    const bySystem = eventOf(account.id, {
      ...{ actor_kind: 'system', actor_id: 'gateway', address: null, request_id: null },
      ...{ resource_id: null, trace_id: null },
    })
    await record(byKey, byApp, bySystem)

    const page = await pageOf(account, `?${before}`)

    const stored = { recorded_at: expect.stringMatching(/^20.+Z$/), seq: expect.any(Number) }
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
    const asked = { account_id: undefined, environment: undefined }
    const shown = [bySystem, byApp, byKey].map((event) => {
      return { ...event, ...asked, ...stored, hash }
    })
    expect(page).toEqual({ items: shown, next_cursor: null })
    expect(page.items.map(({ seq }) => seq)).toEqual([4, 3, 2])
  })

  test('shows that the actor was an internal tool, but not its token or address', async () => {
    const account = await newAccount()
    const tool = { actor_kind: 'internal', actor_role: 'support' }
    const token = newId('tok')
    const event = eventOf(account.id, { ...tool, actor_id: token, address: '198.51.100.77' })
    const byCommand = eventOf(account.id, { ...tool, actor_id: 'cli', address: null })
    await record(event, byCommand)

    const page = await pageOf(account, `?${before}`)

    const shown = {
      actor_kind: 'internal',
      actor_id: 'internal',
      actor_role: 'support',
      address: null,
    }
    expect(page.items).toMatchObject([
      { id: byCommand.id, ...shown },
      { id: event.id, ...shown, request_id: event.request_id },
    ])
    expect(idsOf(await pageOf(account, `?${before}&actor=internal`))).toEqual(idsOf(page))
    for (const secret of [token, 'cli']) {
      expect(await pageOf(account, `?actor=${secret}`)).toEqual({ items: [], next_cursor: null })
    }
  })

  test('filters by actor, action, resource, result and time, alone and together', async () => {
    const account = await newAccount()
    const variants = [
      {},
      { actor_id: 'key_2' },
      { action: 'keyword.delete' },
      { resource_id: 'kw_2' },
      { result: 'NOT_FOUND' },
      { result: 'invalid_client' },
      { actor_id: 'key_2', action: 'keyword.delete', resource_id: 'kw_2', result: 'NOT_FOUND' },
    ]
    const events = variants.map((variant) => eventOf(account.id, variant))
    await record(...events)
    const at = (index: number) => events[index]?.occurred_at ?? ''
    const after = (index: number) => encodeURIComponent(at(index).replace('Z', '+00:00'))

    const cases: readonly (readonly [query: string, indexes: readonly number[]])[] = [
      ['actor=key_2', [6, 1]],
      ['action=keyword.delete', [6, 2]],
      ['resource_id=kw_2', [6, 3]],
      ['result=NOT_FOUND', [6, 4]],
      ['result=invalid_client', [5]],
      ['actor=key_2&action=keyword.delete', [6]],
      ['actor=key_1&action=keyword.delete&resource_id=kw_1&result=succeeded', [2]],
      ['actor=nobody', []],
      [`from=${at(2)}`, [6, 5, 4, 3, 2]],
      [`from=${after(2)}&actor=key_2`, [6]],
      [`from=${at(2)}&to=${at(4)}`, [3, 2]],
      ['from=1970-01-01T14:00:00%2B14:00', [6, 5, 4, 3, 2, 1, 0]],
    ]
    for (const [query, indexes] of cases) {
      // A `to` of the request itself comes first.
      const page = await pageOf(account, `?${query.includes('to=') ? query : `${query}&${before}`}`)
      expect([query, idsOf(page)]).toEqual([query, indexes.map((index) => events[index]?.id)])
    }
    expect(idsOf(await pageOf(account, `?to=9999-12-31T09:59:59-14:00&limit=200`))).toHaveLength(8)
  })

  test('shows each event once under any filter, while new events are recorded', async () => {
    const account = await newAccount()
    const events = Array.from({ length: 40 }, (_, index) =>
      eventOf(account.id, { action: index % 2 === 0 ? 'a.a' : 'b.b' }),
    )
    // Within one millisecond they go by their ids.
    const at = new Date(clock + 1000).toISOString()
    const together = Array.from({ length: 10 }, () =>
      eventOf(account.id, { occurred_at: at, action: 'a.a' }),
    )
    await record(...together.toReversed(), ...events)
    const ofFilter = [...events, ...together].filter(({ action }) => action === 'a.a')

    const seen: string[] = []
    for (let query = ''; ; ) {
      const page = await pageOf(account, `?limit=7&action=a.a${query}`)
      seen.push(...idsOf(page))
      if (page.next_cursor === null) break
      query = `&cursor=${page.next_cursor}`
      await record(eventOf(account.id, { action: 'a.a' }))
    }

    expect(seen).toEqual(ofFilter.map(({ id }) => id).toReversed())
  })

  test('applies `to` when the cursor of a later page comes before it', async () => {
    const account = await newAccount()
    const events = Array.from({ length: 5 }, () => eventOf(account.id))
    await record(...events)
    const { next_cursor } = await pageOf(account, '?limit=1')

    const page = await pageOf(account, `?cursor=${next_cursor}&to=${events[2]?.occurred_at ?? ''}`)

    expect(idsOf(page)).toEqual([events[1]?.id, events[0]?.id])
  })

  test('hides events of other accounts, of the other environment and of no account', async () => {
    const [one, other] = [await newAccount(), await newAccount()]
    const inSandbox = eventOf(one.id, { environment: 'sandbox' })
    await record(eventOf(other.id), eventOf(null), inSandbox, eventOf(one.id))

    const [live, sandbox] = await Promise.all([
      pageOf(one, `?${before}`),
      pageOf(one, `?${before}`, 'sandbox'),
    ])

    expect(live.items).toHaveLength(1)
    expect(idsOf(sandbox)).toEqual([inSandbox.id])
    expect(sandbox.items[0]).toMatchObject({ seq: 1 })
  })

  test('refuses a span that ends before it begins, whatever offsets it is written in', async () => {
    const { liveKey } = await gateway.createAccount()

    for (const to of [
      '2026-01-31T23:59:59Z',
      '2026-02-01T00:00:00Z',
      '2026-02-01T00:30:00%2B01:00',
    ]) {
      const response = await gateway.live.get(`${path}?from=2026-02-01T00:00:00Z&to=${to}`, liveKey)

      expectError(gateway, response, {
        ...{ status: 422, code: 'INVALID_REQUEST', message: 'to: must be after from' },
        details: [{ field: 'to', in: 'query', message: 'must be after from' }],
      })
    }
  })

  const isInstant = 'must be an ISO 8601 instant such as 2026-01-31T00:00:00Z'
  const inYears = 'must be in the years 1970 to 9999'
  test.each([
    ['from', '0000-01-01T00:00:00%2B14:00', inYears],
    ['from', '1969-12-31T23:59:59Z', inYears],
    ['to', '9999-12-31T23:59:59-14:00', inYears],
    ['from', 'yesterday', isInstant],
    ['from', '2026-01-01', isInstant],
    ['to', '2026-13-01T00:00:00Z', isInstant],
    ['to', '2026-01-01T00:00:00', isInstant],
    ['actor', '', 'must have at least 1 character'],
    ['actor', 'x'.repeat(201), 'must have at most 200 characters'],
    ['actor', '%00', 'must not contain NUL'],
    ['action', 'cancel', 'must be words of a-z and _, joined by dots'],
    ['resource_id', '', 'must have at least 1 character'],
    ['result', 'not ok', 'must be succeeded or an error code'],
    ['limit', '201', 'must be an integer from 1 to 200'],
    ['before', 'x', 'is not known here'],
  ])('refuses %s=%s', async (field, value, message) => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get(`${path}?${field}=${value}`, liveKey)

    expectError(gateway, response, {
      ...{ status: 422, code: 'INVALID_REQUEST', message: `${field}: ${message}` },
      details: [{ field, in: 'query', message }],
    })
  })
})

describe('auditEvents for internal tools', () => {
  const members = 'id actorId address seq hash'
  const ofAccount = `query ($id: ID!, $actor: String, $result: String, $from: DateTimeISO) {
    account(id: $id) { auditEvents(first: 200, actor: $actor, result: $result, from: $from) {
      nodes { ${members} }
    } }
  }`
  const ofNone = `query ($first: Int, $after: String, $action: String, $environment: Environment) {
    auditEvents(first: $first, after: $after, action: $action, environment: $environment) {
      nodes { ${members} } pageInfo { endCursor }
    }
  }`

  async function ask(query: string, variables: object, role: 'admin' | 'support' | 'readonly') {
    const token = await gateway.internalToken(role)
    return Object((await gateway.internal.post('/graphql', { query, variables }, token)).body)
  }

  test('shows the token and the address, and filters by either', async () => {
    const { id } = await newAccount()
    const tool = { actor_kind: 'internal', actor_role: 'admin', address: '198.51.100.77' }
    const [one, other] = [newId('tok'), newId('tok')]
    const events = [
      eventOf(id, { ...tool, actor_id: one }),
      eventOf(id, { ...tool, actor_id: other, result: 'CONFLICT' }),
      eventOf(id),
    ]
    await record(...events)
    const idsFor = async (filter: object) => {
      const { data } = await ask(ofAccount, { id, ...filter }, 'readonly')
      return data.account.auditEvents.nodes.map((node: Event) => node.id)
    }

    const { data } = await ask(ofAccount, { id, actor: one }, 'readonly')

    expect(data.account.auditEvents.nodes).toEqual([
      {
        ...{ id: events[0]?.id, actorId: one, address: '198.51.100.77', seq: 2 },
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ])
    expect(await idsFor({ actor: 'key_1' })).toEqual([events[2]?.id])
    expect(await idsFor({ result: 'CONFLICT' })).toEqual([events[1]?.id])
    const from = events[0]?.occurred_at
    expect(await idsFor({ actor: 'internal', from })).toEqual(
      expect.arrayContaining([events[1]?.id, events[0]?.id]),
    )
  })

  test.each(['admin', 'support'] as const)('shows %s the events of no account', async (role) => {
    const action = `none.${role}`
    const events = Array.from({ length: 3 }, () => eventOf(null, { action }))
    const inSandbox = eventOf(null, { action, environment: 'sandbox' })
    await record(...events, inSandbox, eventOf('acct_1', { action }))

    const first = await ask(ofNone, { action, first: 2 }, role)
    const { nodes, pageInfo } = first.data.auditEvents
    const rest = await ask(ofNone, { action, first: 2, after: pageInfo.endCursor }, role)
    const sandbox = await ask(ofNone, { action, environment: 'sandbox' }, role)

    const ids = [...nodes, ...rest.data.auditEvents.nodes].map(({ id }) => id)
    expect(ids).toEqual(events.map(({ id }) => id).toReversed())
    expect(sandbox.data.auditEvents.nodes).toMatchObject([{ id: inSandbox.id }])
    const strange = await ask(
      ofNone,
      { action, environment: 'sandbox', after: pageInfo.endCursor },
      role,
    )
    expect(strange.errors).toMatchObject([{ extensions: { code: 'INVALID_REQUEST' } }])
  })

  test('hides events of no account from readonly, and refuses impossible filters', async () => {
    const { errors } = await ask(ofNone, {}, 'readonly')
    const impossible = await ask(ofNone, { action: '\0' }, 'support')
    const { id } = await newAccount()
    const reversed = `query ($id: ID!) { account(id: $id) {
      auditEvents(from: "2026-02-01T00:00:00Z", to: "2026-01-01T00:00:00Z") { nodes { id } }
    } }`
    const inReverse = await ask(reversed, { id }, 'readonly')

    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
    expect(impossible.errors).toMatchObject([
      { message: 'action: must have 1 to 200 characters', extensions: { code: 'INVALID_REQUEST' } },
    ])
    expect(inReverse.errors).toMatchObject([
      { message: 'to: must be after from', extensions: { code: 'INVALID_REQUEST' } },
    ])
  })
})

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Rows Removed by Filter'?: number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly PlanNode[]
}

describe('a page of the audit trail among 50,000 events', () => {
  const count = 50_000
  const accountId = newId('acct')
  beforeAll(async () => {
    // Every thousandth is of the rare kind.
    await gateway.database.query(
      `SELECT usage.record_audit_events((
         SELECT jsonb_agg(jsonb_build_object('id', 'aud_' || lpad(n::text, 26, '0'),
           'account_id', $1::text, 'environment', 'live',
           'occurred_at', timestamptz '2026-01-01Z' + n * interval '1 s', 'actor_kind', 'key',
           'actor_id', CASE n % 1000 WHEN 1 THEN 'key_rare' ELSE 'key_1' END,
           'action', CASE n % 1000 WHEN 2 THEN 'rare.action' ELSE 'key.create' END,
           'resource_id', CASE n % 1000 WHEN 3 THEN 'res_rare' ELSE 'res_' || n % 7 END,
           'result', CASE n % 1000 WHEN 4 THEN 'CONFLICT' ELSE 'succeeded' END,
           'details', '{}'::jsonb))
         FROM generate_series(1, $2) AS n)) FROM set_config('gateway.account_id', '*', true)`,
      [accountId, count],
    )
    await gateway.database.query('ANALYZE usage.audit_event')
  })

  function nodesOf(node: PlanNode): PlanNode[] {
    return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
  }

  /**
   * Explains a statement as the service runs it for an account, with the plan that it keeps for
   * every value.
   */
  async function explain(text: string, values: readonly unknown[]): Promise<readonly PlanNode[]> {
    const client = new pg.Client({
      connectionString: gateway.database.serviceUrl,
      options: sessionSettingsWithin(30_000),
    })
    await client.connect()
    try {
      await client.query('BEGIN')
      await client.query(`SET LOCAL plan_cache_mode = force_generic_plan`)
      await client.query(`SELECT set_config('gateway.account_id', $1, true)`, [accountId])
      await client.query(`PREPARE page AS ${text}`)
      const literals = values.map((value) => pg.escapeLiteral(String(value)))
      const { rows } = await client.query(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE page (${literals.join()})`,
      )
      return nodesOf(rows[0]['QUERY PLAN'][0].Plan)
    } finally {
      await client.end()
    }
  }

  test.each([
    ['audit_event_newest', null, null],
    ['audit_event_actor', 'shown_actor_id', 'key_rare'],
    ['audit_event_action', 'action', 'rare.action'],
    ['audit_event_resource', 'resource_id', 'res_rare'],
    ['audit_event_result', 'result', 'CONFLICT'],
  ] as const)('reads %s and nothing else, at any depth', async (index, column, value) => {
    const { text } = pageStatement(column ? [column] : [], { hidesReads: true })
    const start = '1970-01-01T00:00:00.000Z'
    const depths = ['9999-12-31T23:59:59.999Z', '2026-01-01T06:00:00.000Z']
    for (const depth of depths) {
      const values = [`${accountId}/live`, start, depth, '', 51, ...(value ? [value] : [])]

      const nodes = await explain(text, values)

      const types = nodes.map((node) => node['Node Type'])
      expect(types).not.toContain('Sort')
      expect(types).not.toContain('Seq Scan')
      const scan = nodes.find((node) => node['Index Name'])
      expect(scan?.['Index Name']).toBe(index)
      expect(scan?.['Index Cond']).toContain('ROW(occurred_at, id) < ROW(')
      expect(scan?.['Rows Removed by Filter'] ?? 0).toBe(0)
      const [top] = nodes
      const blocks = Number(top?.['Shared Hit Blocks']) + Number(top?.['Shared Read Blocks'])
      // A row each, and the way down to them; all of the trail has thousands.
      expect(blocks).toBeLessThan(120)
    }
  })
})
