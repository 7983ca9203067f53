import { createSecretKey } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ApolloServer } from '@apollo/server'
import express from 'express'
import { parse } from 'graphql'
import { decodeJwt } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { InternalContext } from '../../../gateway/internal/graphql-server.ts'
import { createInternalApp, toolsGraphql } from '../../../gateway/internal/internal-app.ts'
import { mintInternalToken } from '../../../gateway/internal/internal-token.ts'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { createReadiness } from '../../../gateway/listeners/readiness.ts'
import { createMetrics } from '../../../gateway/observability/metrics.ts'
import { createVerifiedKeys } from '../../../rest-facade/callers/verified-keys.ts'
import { createLedger } from '../../../rest-facade/charge/ledger.ts'
import { memoryRateLimiter } from '../../../rest-facade/rate-limit/memory-rate-limiter.ts'
import { createKeptAnswers } from '../../../rest-facade/routes/kinds/kept-answers.ts'
import { type OperationRun, runOperation } from '../../../rest-facade/routes/kinds/route.ts'
import { authenticate } from '../../../rest-facade/steps/authenticate.ts'
import { beginCall } from '../../../rest-facade/steps/begin-call.ts'
import type { AccountCaller, Environment } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { sessionSettingsWithin } from '../../../subgraphs/shared/database/sessions.ts'
import { sessionOfAllTenants } from '../../../subgraphs/shared/database/tenant.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { answeringGraph } from '../../support/graph/answering-graph.ts'
import { altered } from '../../support/requests/altered.ts'
import { createClient, type TestClient } from '../../support/requests/client.ts'

let graph: TestGraph
let gateway: TestGateway
beforeAll(async () => {
  graph = await openTestGraph()
  gateway = await startTestGateway({}, { database: graph.database })
})
afterAll(async () => {
  await gateway.close()
  await graph.close()
})

interface AuditEvent {
  readonly id: string
  readonly accountId: string | null
  readonly environment: Environment
  readonly [name: string]: unknown
}

function eventOf(accountId: string | null, changes: Record<string, unknown> = {}): AuditEvent {
  return {
    id: newId('aud'),
    accountId,
    environment: 'live',
    occurredAt: new Date().toISOString(),
    actorKind: 'key',
    actorId: newId('key'),
    actorRole: null,
    action: 'subscription.cancel',
    resourceId: 'sub_1',
    address: '203.0.113.7',
    requestId: newId('req'),
    traceId: 'a'.repeat(32),
    result: 'succeeded',
    details: { tier: 'pro_sub', periods: [1, 2] },
    ...changes,
  }
}

function record(...events: readonly object[]): Promise<unknown> {
  return graph.asService('RecordAuditEvents', { events })
}

/**
 * An event as its account sees it. Account and environment are left out, because the caller's key
 * decides them.
 */
function shown(event: AuditEvent): object {
  const asked = { accountId: undefined, environment: undefined }
  return { ...event, ...asked, recordedAt: expect.stringMatching(/^20\d\d-.+Z$/) }
}

const newestFirst = `query ($id: ID!, $first: Int, $after: String, $environment: Environment) {
  account(id: $id) {
    auditEvents(first: $first, after: $after, environment: $environment) {
      nodes {
        id occurredAt actorKind actorId actorRole action resourceId address requestId traceId result
        details recordedAt
      }
      pageInfo { hasNextPage endCursor }
    }
  }
}`

type Role = 'admin' | 'support' | 'readonly'

async function ask(query: string, variables: object, role: Role = 'readonly') {
  const token = await gateway.internalToken(role)
  const { body } = await gateway.internal.post('/graphql', { query, variables }, token)
  return Object(body)
}

interface PageOptions {
  readonly first?: number
  readonly after?: string | null
  readonly environment?: Environment
}

async function pageOf(id: string, options: PageOptions = {}, role?: Role) {
  const { data, errors } = await ask(newestFirst, { id, ...options }, role)
  expect(errors).toBeUndefined()
  return data.account.auditEvents
}

async function stored(ids: readonly string[]): Promise<string[]> {
  const rows = await graph.database.query<{ id: string }>(
    'SELECT id FROM usage.audit_event WHERE id = ANY ($1) ORDER BY id',
    [ids],
  )
  return rows.map(({ id }) => id)
}

describe('recordAuditEvents', () => {
  test('records actor, action, time, address and result', async () => {
    const { id } = await gateway.createAccount()
    const byTool = { actorKind: 'internal', actorId: 'cli', actorRole: 'admin' }
    const byKey = eventOf(id)
    const refused = eventOf(id, { ...byTool, result: 'FORBIDDEN', details: {} })

    const count = await record(byKey, refused)

    expect(count).toBe(2)
    expect(await pageOf(id, { first: 2 })).toEqual({
      nodes: [shown(refused), shown(byKey)],
      pageInfo: expect.anything(),
    })
  })

  test('stores unknown or empty values as null, and missing details as null', async () => {
    const { id } = await gateway.createAccount()
    const unknown = { resourceId: '', address: '', requestId: '', traceId: '' }
    const empty = eventOf(id, { ...unknown, actorRole: '', details: null })
    const { actorRole: _, details: __, ...least } = eventOf(id)
    const absent = Object.fromEntries(
      Object.entries(least).filter(([name]) => !Object.hasOwn(unknown, name)),
    )

    await record(empty, absent)

    const nothing = { resourceId: null, address: null, requestId: null, traceId: null }
    const rows = await graph.database.query(
      `SELECT id, actor_role AS "actorRole", resource_id AS "resourceId", address,
         request_id AS "requestId", trace_id AS "traceId", details
       FROM usage.audit_event WHERE id = ANY ($1) ORDER BY id`,
      [[empty.id, least.id]],
    )
    expect(rows).toEqual(
      [empty.id, least.id].map((one) => ({ ...nothing, id: one, actorRole: null, details: {} })),
    )
  })

  test('records an event once, however often and in whatever batch it arrives', async () => {
    const { id } = await gateway.createAccount()
    const events = Array.from({ length: 50 }, () => eventOf(id))
    const [first] = events
    await record(...events.slice(0, 10))

    await record(...events, ...events.toReversed(), { ...first, action: 'a.b' })

    const { nodes } = await pageOf(id, { first: 50 })
    expect(nodes).toEqual(events.map(shown).toReversed())
  })

  test('takes the same events from several writers at once, each in another order', async () => {
    const sets = Array.from({ length: 10 }, () =>
      Array.from({ length: 500 }, () => eventOf(null, { actorKind: 'system' })),
    )

    for (const events of sets) {
      await Promise.all(
        Array.from({ length: 8 }, (_, round) =>
          record(...(round % 2 === 0 ? events : events.toReversed())),
        ),
      )
    }

    const ids = sets.flat().map((event) => event.id)
    expect(await stored(ids)).toEqual(ids)
  })

  test('keeps an event that is about no account, and shows it to no account', async () => {
    const { id } = await gateway.createAccount()
    const event = eventOf(null, { actorKind: 'system', actorId: 'TurnSubscription' })

    await record(event)

    expect(await stored([event.id])).toEqual([event.id])
    const { nodes } = await pageOf(id, { first: 200 })
    expect(nodes).not.toContainEqual(expect.objectContaining({ id: event.id }))
  })

  test('takes 500 events at once, and 8 KiB of details', async () => {
    const { id } = await gateway.createAccount()
    const large = { text: 'x'.repeat(8 * 1024 - '{"text":""}'.length) }
    const events = Array.from({ length: 500 }, () => eventOf(id, { details: large }))

    await record(...events)

    expect(await stored(events.map((event) => event.id))).toHaveLength(500)
  })

  test('refuses more than 500 events', async () => {
    const events = Array.from({ length: 501 }, () => eventOf(null))

    await expect(record(...events)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'events: must be at most 500',
    })
    expect(await stored(events.map(({ id }) => id))).toEqual([])
  })

  const tooLong = 'x'.repeat(201)
  const short = 'must have at most 200 characters'
  const named = 'must be words of a-z and _, joined by dots'
  const fitting = 'must be the role of an internal actor, of no other'
  const wellFormed = 'must be well-formed Unicode without NUL'
  test.each([
    ['id', { id: newId('req') }, 'must be the id of an audit event'],
    ['accountId', { accountId: tooLong }, short],
    ['actorId', { actorId: ' ' }, 'must have 1 to 200 characters'],
    ['actorId', { actorId: tooLong }, 'must have 1 to 200 characters'],
    ['actorRole', { actorRole: 'admin' }, fitting],
    ['actorRole', { actorKind: 'internal' }, fitting],
    ['actorRole', { actorKind: 'internal', actorRole: 'owner' }, fitting],
    ['action', { action: 'cancel' }, named],
    ['action', { action: 'Subscription.cancel' }, named],
    ['action', { action: 'subscription.' }, named],
    ['action', { action: `a.${tooLong}` }, named],
    ['resourceId', { resourceId: tooLong }, short],
    ['address', { address: `\0` }, short],
    ['requestId', { requestId: tooLong }, short],
    ['traceId', { traceId: tooLong }, short],
    ['result', { result: 'failed' }, 'must be succeeded or an error code'],
    ['result', { result: 'TEAPOT' }, 'must be succeeded or an error code'],
    ['result', { result: 'invalid_thing' }, 'must be succeeded or an error code'],
    ['details', { details: { a: 'é'.repeat(4096) } }, 'must have at most 8192 bytes of JSON'],
    ['details', { details: { a: '\0' } }, wellFormed],
    ['details', { details: { a: '\\\ud800' } }, wellFormed],
  ])('refuses with its whole batch, case %#: an impossible %s', async (field, changes, message) => {
    const good = eventOf(null)
    const bad = eventOf(null, changes)

    await expect(record(good, bad)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: `events.1.${field}: ${message}`,
    })
    expect(await stored([good.id, bad.id])).toEqual([])
  })

  test('names all mistakes at once', async () => {
    const events = [eventOf(null, { action: 'x' }), eventOf(null, { id: 'x', result: 'x' })]

    await expect(record(...events)).rejects.toMatchObject({
      details: [
        { field: 'events.0.action', in: 'body', message: named },
        { field: 'events.1.id', in: 'body', message: 'must be the id of an audit event' },
        { field: 'events.1.result', in: 'body', message: 'must be succeeded or an error code' },
      ],
    })
  })

  test('keeps text that only looks like an escape', async () => {
    const { id } = await gateway.createAccount()
    const event = eventOf(id, { details: { path: 'C:\\u0000', emoji: '😀', more: '\\\\ud800' } })

    await record(event)

    expect((await pageOf(id, { first: 1 })).nodes).toEqual([shown(event)])
  })

  test.each(['admin', 'support', 'readonly'] as const)(
    'cannot be called from the internal listener by %s',
    async (role) => {
      const event = eventOf(null)
      const query = `mutation ($events: [AuditEventInput!]!) { recordAuditEvents(events: $events) }`

      const { data, errors } = await ask(query, { events: [event] }, role)

      expect(data ?? null).toBeNull()
      expect(errors).toEqual([
        expect.objectContaining({
          message: 'This caller may not use this operation.',
          extensions: expect.objectContaining({ code: 'FORBIDDEN' }),
        }),
      ])
      expect(await stored([event.id])).toEqual([])
    },
  )
})

describe('the audit trail in PostgreSQL', () => {
  async function asService(sql: string, values: readonly unknown[] = []): Promise<unknown> {
    const { serviceUrl } = graph.database
    const options = `${sessionSettingsWithin(30_000)} ${sessionOfAllTenants}`
    const client = new pg.Client({ connectionString: serviceUrl, options })
    await client.connect()
    try {
      return await client.query(sql, [...values])
    } finally {
      await client.end()
    }
  }

  test.each([
    "UPDATE usage.audit_event SET result = 'succeeded'",
    `INSERT INTO usage.audit_event
       SELECT * FROM usage.audit_event
       ON CONFLICT (id) DO UPDATE SET result = excluded.result`,
    'DELETE FROM usage.audit_event',
    'TRUNCATE usage.audit_event',
    'INSERT INTO usage.audit_event SELECT * FROM usage.audit_event',
    'UPDATE usage.audit_chain SET last_seq = 0',
    'DELETE FROM usage.audit_chain',
    "INSERT INTO usage.audit_chain (chain, environment) VALUES ('/sandbox', 'sandbox')",
    'ALTER TABLE usage.audit_event DISABLE TRIGGER ALL',
    'DROP TABLE usage.audit_event',
  ])('does not let the service %s', async (sql) => {
    await expect(asService(sql)).rejects.toMatchObject({ code: '42501' })
  })

  test.each([
    "UPDATE usage.audit_event SET result = 'succeeded'",
    'UPDATE usage.audit_event SET seq = seq + 1',
    'DELETE FROM usage.audit_event',
    'TRUNCATE usage.audit_event',
    'TRUNCATE usage.audit_event, usage.audit_chain CASCADE',
  ])('does not let its owner or a superuser do it by mistake: %s', async (sql) => {
    await record(eventOf(null))
    const owner = { connectionString: graph.database.ownerUrl, options: sessionOfAllTenants }
    const refusal = { code: '42501', message: 'audit_event is append-only.' }

    const client = new pg.Client(owner)
    await client.connect()
    try {
      await expect(client.query(sql)).rejects.toMatchObject(refusal)
    } finally {
      await client.end()
    }
    await expect(graph.database.query(sql)).rejects.toMatchObject(refusal)
  })

  test.each([
    ['environment', 'test'],
    ['actor_kind', 'nobody'],
    ['actor_role', 'admin'],
    ['action', 'cancel'],
    ['result', 'Failed'],
    ['details', []],
  ])('stores no event with an impossible %s', async (column, value) => {
    const event = {
      id: newId('aud'),
      environment: 'live',
      occurred_at: '2026-11-21T12:00:00Z',
      actor_kind: 'key',
      actor_id: 'key_1',
      action: 'key.create',
      result: 'succeeded',
      details: {},
      [column]: value,
    }

    const recorded = asService('SELECT usage.record_audit_events($1)', [JSON.stringify([event])])

    await expect(recorded).rejects.toMatchObject({ code: '23514' })
    expect(await stored([event.id])).toEqual([])
  })

  test.each([
    ['chain', 'acct_x/live'],
    ['shown_actor_id', 'key_2'],
    ['hash', '\\x00'],
    ['seq', 0],
  ])('stores no event whose %s differs from its content', async (column, value) => {
    const event = eventOf(null)
    await record(event)

    const copied = graph.database.query(
      `INSERT INTO usage.audit_event SELECT (jsonb_populate_record(e, $1)).* FROM usage.audit_event e
       WHERE id = $2`,
      [{ id: newId('aud'), seq: 1_000_000_000, [column]: value }, event.id],
    )

    await expect(copied).rejects.toMatchObject({ code: '23514' })
  })

  test('accepts the error codes of the OAuth protocol as results', async () => {
    const event = eventOf(null, { action: 'authentication.fail', result: 'invalid_client' })

    await record(event)

    expect(await stored([event.id])).toEqual([event.id])
  })
})

describe('Account.auditEvents', () => {
  async function recorded(accountId: string, count: number): Promise<string[]> {
    const events = Array.from({ length: count }, () => eventOf(accountId))
    await record(...events)
    return events.map(({ id }) => id)
  }

  function idsOf({ nodes }: { nodes: { id: string }[] }): string[] {
    return nodes.map(({ id }) => id)
  }

  test('shows every event once, newest first, while events are added', async () => {
    const { id } = await gateway.createAccount()
    const before = await recorded(id, 25)
    const seen: string[] = []

    for (let after: string | null = null, isFirst = true; isFirst || after; isFirst = false) {
      const page: { nodes: { id: string }[]; pageInfo: { endCursor: string | null } } =
        await pageOf(id, { first: 4, after })
      seen.push(...idsOf(page))
      after = page.pageInfo.endCursor
      await recorded(id, 3)
    }

    expect(seen.filter((one) => before.includes(one))).toEqual(before.toReversed())
    expect(seen).toEqual([...new Set(seen)].toSorted().toReversed())
  })

  test('marks the last page', async () => {
    const { id } = await gateway.createAccount()
    const [older = '', newer = ''] = await recorded(id, 2)

    const first = await pageOf(id, { first: 1 })
    const rest = await pageOf(id, { first: 200, after: first.pageInfo.endCursor })

    expect(idsOf(first)).toEqual([newer])
    expect(first.pageInfo).toEqual({ hasNextPage: true, endCursor: expect.any(String) })
    expect(idsOf(rest)[0]).toBe(older)
    expect(rest.pageInfo).toEqual({ hasNextPage: false, endCursor: null })
  })

  test('never shows an account the events of another account or of the other environment', async () => {
    const [one, other] = await Promise.all([gateway.createAccount(), gateway.createAccount()])
    const ofOne = eventOf(one.id)
    const inSandbox = eventOf(one.id, { environment: 'sandbox' })
    const ofOther = eventOf(other.id)
    await record(ofOne, inSandbox, ofOther)

    const pages = {
      one: await pageOf(one.id, { first: 200 }),
      live: await pageOf(one.id, { first: 200, environment: 'live' }),
      sandbox: await pageOf(one.id, { first: 200, environment: 'sandbox' }),
      other: await pageOf(other.id, { first: 200 }),
    }

    const mine = new Set([ofOne.id, inSandbox.id, ofOther.id])
    const found = Object.entries(pages).map(([name, page]) => [
      name,
      idsOf(page).filter((id) => mine.has(id)),
    ])
    expect(Object.fromEntries(found)).toEqual({
      one: [ofOne.id],
      live: [ofOne.id],
      sandbox: [inSandbox.id],
      other: [ofOther.id],
    })
  })

  test('refuses a cursor of another account or of the other environment, and a changed one', async () => {
    const [one, other] = await Promise.all([gateway.createAccount(), gateway.createAccount()])
    await recorded(one.id, 2)
    const { endCursor } = (await pageOf(one.id, { first: 1 })).pageInfo

    const answers = [
      await ask(newestFirst, { id: other.id, after: endCursor }),
      await ask(newestFirst, { id: one.id, environment: 'sandbox', after: endCursor }),
      await ask(newestFirst, { id: one.id, after: altered(endCursor) }),
    ]

    for (const { data, errors } of answers) {
      expect(data.account ?? null).toBeNull()
      expect(errors).toMatchObject([
        {
          message: 'after: is not a cursor of this list',
          extensions: { code: 'INVALID_REQUEST' },
        },
      ])
    }
  })

  test.each([0, -1, 201])('refuses a page of %i', async (first) => {
    const { id } = await gateway.createAccount()

    const { errors } = await ask(newestFirst, { id, first })

    expect(errors).toMatchObject([
      { message: 'first: must be 1 to 200', extensions: { code: 'INVALID_REQUEST' } },
    ])
  })

  test.each(['admin', 'support', 'readonly'] as const)('may be read by %s', async (role) => {
    const { id } = await gateway.createAccount()
    const [event] = await recorded(id, 1)

    expect(idsOf(await pageOf(id, { first: 1 }, role))).toEqual([event])
  })

  test('cannot be reached by an account, even for its own events', async () => {
    const { id } = await gateway.createAccount()
    await recorded(id, 1)
    const caller: AccountCaller = {
      kind: 'account',
      accountId: id,
      keyId: newId('key'),
      scopes: ['*'],
      environment: 'live',
      requestId: newId('req'),
      traceId: '',
      address: null,
    }

    const { data, errors } = await graph.run(
      parse('{ me { id auditEvents { nodes { id } } } }'),
      {},
      caller,
    )

    expect(data?.me ?? null).toBeNull()
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
  })
})

describe('the origin that a caller hands to the audit trail', () => {
  async function withListener<Result>(
    listener: RequestListener,
    work: (client: TestClient) => Promise<Result>,
  ): Promise<Result> {
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo
      return await work(createClient(`http://127.0.0.1:${port}`))
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }

  test('of an internal tool is the id and role of its token, and its address', async () => {
    const tokenKey = new Uint8Array(32).fill(1)
    const graphql = new ApolloServer<InternalContext>({
      typeDefs: 'type Query { caller: String }',
      resolvers: {
        Query: { caller: (_: unknown, __: unknown, { caller }) => JSON.stringify(caller) },
      },
    })
    await graphql.start()
    const log = createLog({ level: 'silent', format: 'json' })
    const app = createInternalApp({
      graphql: toolsGraphql(async () => graphql, {
        tokenKey,
        maxTtlSeconds: 60,
        execute: async () => false,
      }),
      ...{ names: [], metricsToken: null, keptMails: null },
      readiness: createReadiness({ checks: new Map(), log }),
      anonymousLimiter: memoryRateLimiter(),
      anonymousRps: 1000,
      docsUrl: 'http://docs.test',
      metrics: createMetrics(),
      metricsText: async () => '',
      log,
    })
    const { token } = await mintInternalToken(tokenKey, 'support', 60)
    const { token: another } = await mintInternalToken(tokenKey, 'support', 60)

    const response = await withListener(app, (client) =>
      client.post('/graphql', { query: '{ caller }' }, token, { 'x-forwarded-for': '192.0.2.1' }),
    )

    const { jti } = decodeJwt(token)
    expect(jti).toMatch(/^tok_[0-9a-z]{26}$/)
    expect(jti).not.toBe(decodeJwt(another).jti)
    expect(JSON.parse(Object(response.body).data.caller)).toEqual({
      kind: 'internal',
      role: 'support',
      tokenId: jti,
      environment: 'live',
      requestId: response.headers.get('x-request-id'),
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      address: '127.0.0.1',
    })
    await graphql.stop()
  })

  const route: OperationRun = { kind: 'public', method: 'get', operation: 'GetJwks' }

  /** The last steps of a route: what would be told to the subgraphs is the answer. */
  function whoCalls(trustProxy: false | number) {
    const keys = createVerifiedKeys({
      execute: graph.as,
      environment: 'live',
      keyPrefix: 'svc',
      cacheSeconds: 5,
    })
    const keyUse = { note: () => {}, write: async () => {} }
    const trail = { note: () => {}, write: async () => {} }
    const run = runOperation(route, {
      execute: answeringGraph((_operation, _variables, caller) => caller),
      usageRecorded: async () => {},
      ledger: createLedger(graph.as),
      holdTtlSeconds: 60,
      processId: 'proc_test',
      topUpUrl: null,
      keptAnswers: createKeptAnswers(),
      idempotency: {
        keyPrefix: 'svc',
        backendSecret: createSecretKey(new Uint8Array(32)),
        answerSecret: new Uint8Array(32),
      },
    })
    const app = express()
    app.set('trust proxy', trustProxy)
    app.use(beginCall('live'))
    app.get('/anonymous', run)
    app.get(
      '/account',
      authenticate(
        {
          ...{ keys, keyUse, trail, anonymousLimiter: memoryRateLimiter(), anonymousRps: 1000 },
          ...{ issuer: 'http://issuer.test/v1', keyPrefix: 'svc', findSession: async () => null },
          ...{ environment: 'live', otherBaseUrl: 'http://sandbox.test', supportContact: null },
        },
        { cookieUse: null },
      ),
      run,
    )
    return app
  }

  const forged = { 'x-forwarded-for': `${'x'.repeat(5000)}, 198.51.100.9` }
  test.each([
    ['the socket knows', false, '127.0.0.1'],
    ['one trusted proxy tells', 1, '198.51.100.9'],
    ['two would have told: a forged one is none', 2, null],
  ] as const)(
    'an account and an anonymous caller: the address that %s',
    async (_, trustProxy, address) => {
      const { id, liveKey } = await gateway.createAccount()

      const [account, stranger] = await withListener(whoCalls(trustProxy), (client) =>
        Promise.all([
          client.get('/account', liveKey, forged),
          client.get('/anonymous', undefined, forged),
        ]),
      )

      const shared = {
        environment: 'live',
        requestId: expect.stringMatching(/^req_/),
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
        address,
      }
      expect(stranger.body).toEqual({ ...shared, kind: 'anonymous' })
      expect(account.body).toEqual({
        ...shared,
        kind: 'account',
        ...{ externalId: null, isCapped: false },
        accountId: id,
        keyId: expect.stringMatching(/^key_/),
        scopes: ['*'],
      })
    },
  )
})
