import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Ask } from '../../../gateway/books/compare-with-ledger.ts'
import { type AuditBreak, verifyAuditChains } from '../../../gateway/books/verify-audit-chains.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { sessionOfAllTenants } from '../../../subgraphs/shared/database/tenant.ts'
import { admin, openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { chosen } from '../../support/extent/extent.ts'
import { variablesFor } from '../../support/gateway/gateway.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace } from '../../support/processes/workplace.ts'
import { patience } from '../../support/time/patience.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())

interface StoredEvent {
  readonly id: string
  readonly account_id: string | null
  readonly [name: string]: unknown
}

/** An event as `usage.record_audit_events` takes it. */
function eventOf(accountId: string | null): StoredEvent {
  return {
    id: newId('aud'),
    account_id: accountId,
    environment: 'live',
    occurred_at: new Date().toISOString(),
    actor_kind: 'internal',
    actor_id: newId('tok'),
    actor_role: 'support',
    action: 'account.update',
    resource_id: 'acct_1',
    address: '203.0.113.7',
    request_id: newId('req'),
    trace_id: 'a'.repeat(32),
    result: 'succeeded',
    details: { text: 'A "text" with \n all sorts of 😀', list: [1, 2.5, null] },
  }
}

function eventsOf(accountId: string | null, count: number): StoredEvent[] {
  return Array.from({ length: count }, () => eventOf(accountId))
}

const recording = 'SELECT usage.record_audit_events($1)'

/** A session of the service, as a worker on another machine has it. */
async function openSession(): Promise<pg.Client> {
  const { serviceUrl: connectionString } = graph.database
  // A session of this client may be left in mid-transaction for as long as a test takes.
  const options = `-c role=gateway_service ${sessionOfAllTenants}`
  const client = new pg.Client({ connectionString, options })
  // A client that is killed also reports an error event, which must not end the test.
  client.on('error', () => {})
  await client.connect()
  return client
}

async function record(events: readonly StoredEvent[], client?: pg.Client): Promise<void> {
  const values = [JSON.stringify(events)]
  if (client) await client.query(recording, values)
  else await asService((one) => one.query(recording, values))
}

async function asService(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = await openSession()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** Asks as an administrator in parts of so many events, from this place on. */
function asking({ as }: TestGraph, limit: number, start?: object): Ask {
  return (operation, variables) => {
    const after = Object(variables).after ?? start
    return as(operation, { ...variables, after, limit }, admin)
  }
}

/** The breaks in the chains of these accounts, searched from the first on, in parts of so many events. */
async function breaksIn(
  accountIds: readonly (string | null)[],
  limit = 5000,
): Promise<readonly AuditBreak[]> {
  const found: AuditBreak[] = []
  const start = { chain: accountIds[0] ?? '', seq: 0, id: '', hash: '' }
  await verifyAuditChains(asking(graph, limit, start), (one) => found.push(one))
  return found.filter(({ account_id }) => accountIds.includes(account_id))
}

interface Link {
  readonly id: string
  readonly seq: number
}

function chainOf(accountId: string | null): Promise<Link[]> {
  return graph.database.query(
    'SELECT id, seq::int FROM usage.audit_event WHERE chain = $1 ORDER BY seq',
    [`${accountId ?? ''}/live`],
  )
}

/** Each event once, numbered from 1 without gaps, and the hashes fit. */
async function expectWhole(accountId: string, events: readonly StoredEvent[]): Promise<void> {
  const links = await chainOf(accountId)
  expect(links.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  expect(links.map(({ id }) => id).toSorted()).toEqual(events.map(({ id }) => id).toSorted())
  expect(await breaksIn([accountId])).toEqual([])
}

describe('the chain of an account', () => {
  test('is complete after 20 sessions have recorded equal and different events, each twice', async () => {
    const accounts = Array.from({ length: 5 }, () => newId('acct'))
    const events = accounts.map((accountId) => eventsOf(accountId, 60))
    const ofNone = eventsOf(null, 100)
    const all = [...events.flat(), ...ofNone]
    const sessions = await Promise.all(Array.from({ length: 20 }, openSession))

    await Promise.all(
      sessions.map(async (client, index) => {
        // Everybody has everything, each in another order and in batches of another size.
        const turned = index % 2 === 0 ? all : all.toReversed()
        const start = (index * 37) % all.length
        const own = [...turned.slice(start), ...turned.slice(0, start)]
        for (let round = 0; round < 2; round += 1) {
          const size = 1 + index * 3
          for (let at = 0; at < own.length; at += size) {
            await record(own.slice(at, at + size), client)
          }
        }
      }),
    )
    await Promise.all(sessions.map((client) => client.end()))

    for (const [index, accountId] of accounts.entries()) {
      await expectWhole(accountId, events[index] ?? [])
    }
    const recorded = new Set((await chainOf(null)).map(({ id }) => id))
    expect(ofNone.filter(({ id }) => !recorded.has(id))).toEqual([])
    expect(await breaksIn([null])).toEqual([])
  })

  test('is complete after several workers have run every job twice', async () => {
    const accountId = newId('acct')
    const events = eventsOf(accountId, 120)
    const enqueued = events.map(({ account_id, occurred_at, actor_kind, ...event }) => ({
      id: event.id,
      accountId: account_id,
      environment: 'live',
      occurredAt: occurred_at,
      actorKind: actor_kind,
      ...{
        actorId: event.actor_id,
        actorRole: 'support',
        action: event.action,
        result: 'succeeded',
      },
    }))
    await graph.database.query(
      `SELECT jobs.enqueue('RecordAuditEvents', jsonb_build_object('events', jsonb_build_array(e)), now())
       FROM jsonb_array_elements($1) AS e, generate_series(1, 2)`,
      [JSON.stringify(enqueued)],
    )

    const workers = await Promise.all(Array.from({ length: 3 }, () => graph.startWorker()))
    await vi.waitFor(async () => {
      const [left] = await graph.database.query(
        "SELECT count(*)::int FROM jobs.job WHERE name = 'RecordAuditEvents' AND state < 'completed'",
      )
      expect(left).toEqual({ count: 0 })
    }, patience)
    await Promise.all(workers.map((worker) => worker.stop()))

    await expectWhole(accountId, events)
  })

  test('is complete after 20 sessions were killed in the middle of a batch', async () => {
    const accountId = newId('acct')
    const events: StoredEvent[] = eventsOf(accountId, 1)
    await record(events)
    let killed = 0

    for (let round = 0; round < 20; round += 1) {
      const batch = eventsOf(accountId, 200)
      events.push(...batch)
      const client = await openSession()
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      const attempt = record(batch, client).then(
        () => {},
        () => {
          killed += 1
        },
      )
      await sleep(round)
      await graph.database.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
      await attempt
      await client.end().catch(() => {})
      // The batch is recorded again, as by a job that is tried again.
      await record(batch)
    }

    expect(killed).toBeGreaterThan(0)
    await expectWhole(accountId, events)
  })

  test('contains no event of a batch whose session was killed between the lock and the commit', async () => {
    const accountId = newId('acct')
    const first = eventsOf(accountId, 3)
    await record(first)
    const other = await openSession()
    await other.query('BEGIN')
    await record(eventsOf(accountId, 50), other)

    const waiting = await openSession()
    const { rows } = await waiting.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const attempt = record(eventsOf(accountId, 50), waiting).catch((error: unknown) => error)
    const isWaiting = `SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'`
    await vi.waitUntil(
      async () => (await graph.database.query(isWaiting, [rows[0]?.pid])).length > 0,
      patience,
    )
    await graph.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'idle in transaction' AND query = $1`,
      [recording],
    )
    await attempt
    await waiting.end()
    await other.end().catch(() => {})

    const links = await chainOf(accountId)
    expect(links).toHaveLength(53)
    expect(links.map(({ seq }) => seq)).toEqual(links.map((_, index) => index + 1))
    expect(await breaksIn([accountId])).toEqual([])
  })

  test('takes an event with the id of another one as a repetition', async () => {
    const [one, other] = [newId('acct'), newId('acct')]
    const [event] = eventsOf(one, 1)
    await record([event ?? eventOf(one)])

    await record([{ ...eventOf(other), id: event?.id ?? '' }])

    expect(await chainOf(one)).toHaveLength(1)
    expect(await chainOf(other)).toEqual([])
    expect(await breaksIn([one, other])).toEqual([])
  })
})

/** Tampers with the trail as a superuser who has read how it works. */
function tamper(sql: string): Promise<object[]> {
  return graph.database.query(
    `DO $do$ BEGIN SET LOCAL session_replication_role = replica; ${sql}; END $do$`,
  )
}

const content = `usage.audit_event_content(chain, seq, id, account_id, environment, occurred_at,
  actor_kind, actor_id, actor_role, action, resource_id, address, request_id, trace_id, result,
  details, recorded_at)`
const other = 'acct_other'
const doesNotFollow =
  'it does not follow from what stands before it: it, or the event before it, was changed, ' +
  'inserted or moved'

/** Changes of a chain of ten (`%` is its name), and where they show: number and problem. */
const changesOfAnEvent = [
  `id = 'aud_x'`,
  `occurred_at = occurred_at + interval '1 ms'`,
  `actor_kind = 'key', actor_role = NULL, shown_actor_id = actor_id`,
  `actor_id = 'tok_x'`,
  `actor_role = 'admin'`,
  `action = 'account.create'`,
  'resource_id = NULL',
  `resource_id = ''`,
  'address = NULL',
  `request_id = 'req_x'`,
  `trace_id = ''`,
  `result = 'FORBIDDEN'`,
  `details = '{}'`,
  `recorded_at = recorded_at - interval '1 ms'`,
]

const tampering: readonly (readonly [
  what: string,
  sql: string,
  places: readonly (readonly [seq: number | null, problem: string])[],
])[] = [
  ...chosen('a change of an event', changesOfAnEvent, 5).map(
    (change) =>
      [
        `an event changed: ${change}`,
        `UPDATE usage.audit_event SET ${change} WHERE chain = '%' AND seq = 5`,
        [[5, doesNotFollow]],
      ] as const,
  ),
  [
    'an event changed, with a hash that fits it',
    `UPDATE usage.audit_event SET action = 'a.b' WHERE chain = '%' AND seq = 5;
     UPDATE usage.audit_event e SET hash = usage.follow(NULL, b.hash, (SELECT ${content}
       FROM usage.audit_event WHERE id = e.id))
     FROM usage.audit_event b WHERE e.chain = '%' AND e.seq = 5 AND b.chain = '%' AND b.seq = 4`,
    [[6, doesNotFollow]],
  ],
  [
    'a hash changed',
    `UPDATE usage.audit_event SET hash = sha256('x') WHERE chain = '%' AND seq = 5`,
    [
      [5, doesNotFollow],
      [6, doesNotFollow],
    ],
  ],
  [
    'the first event removed',
    `DELETE FROM usage.audit_event WHERE chain = '%' AND seq = 1`,
    [[2, '1 before it are missing']],
  ],
  [
    'two events removed, and one',
    `DELETE FROM usage.audit_event WHERE chain = '%' AND seq IN (4, 5, 8)`,
    [
      [6, '2 before it are missing'],
      [9, '1 before it are missing'],
    ],
  ],
  [
    'an event removed and the rest numbered anew',
    `DELETE FROM usage.audit_event WHERE chain = '%' AND seq = 8;
     UPDATE usage.audit_event SET seq = 8 WHERE chain = '%' AND seq = 9;
     UPDATE usage.audit_event SET seq = 9 WHERE chain = '%' AND seq = 10`,
    [
      [8, doesNotFollow],
      [9, doesNotFollow],
      [9, '1 after it are missing'],
    ],
  ],
  [
    'the newest two events removed',
    `DELETE FROM usage.audit_event WHERE chain = '%' AND seq > 8`,
    [[8, '2 after it are missing']],
  ],
  [
    'all events removed',
    `DELETE FROM usage.audit_event WHERE chain = '%'`,
    [[null, 'all 10 events of the chain are missing']],
  ],
  [
    'two events in each other’s places',
    `UPDATE usage.audit_event SET seq = 99 WHERE chain = '%' AND seq = 5;
     UPDATE usage.audit_event SET seq = 5 WHERE chain = '%' AND seq = 6;
     UPDATE usage.audit_event SET seq = 6 WHERE chain = '%' AND seq = 99`,
    [
      [5, doesNotFollow],
      [6, doesNotFollow],
      [7, doesNotFollow],
    ],
  ],
  [
    'the actions of two events exchanged',
    `UPDATE usage.audit_event SET request_id = 'req_2' WHERE chain = '%' AND seq = 3;
     UPDATE usage.audit_event SET request_id = 'req_1' WHERE chain = '%' AND seq = 7`,
    [
      [3, doesNotFollow],
      [7, doesNotFollow],
    ],
  ],
  [
    'an event inserted behind the newest',
    `INSERT INTO usage.audit_event
     SELECT (jsonb_populate_record(e, '{ "id": "aud_new", "seq": 11 }')).* FROM usage.audit_event e
     WHERE chain = '%' AND seq = 10`,
    [
      [11, doesNotFollow],
      [11, 'it stands behind the head of its chain: it was inserted'],
    ],
  ],
  [
    'an event inserted between two, and the rest numbered anew',
    `UPDATE usage.audit_event SET seq = seq + 100 WHERE chain = '%' AND seq >= 8;
     UPDATE usage.audit_event SET seq = seq - 99 WHERE chain = '%' AND seq > 100;
     INSERT INTO usage.audit_event
     SELECT (jsonb_populate_record(e, '{ "id": "aud_mid", "seq": 8 }')).* FROM usage.audit_event e
     WHERE chain = '%' AND seq = 7`,
    [
      [8, doesNotFollow],
      [9, doesNotFollow],
      [10, doesNotFollow],
      [11, doesNotFollow],
      [11, 'it stands behind the head of its chain: it was inserted'],
    ],
  ],
  [
    'an event moved to another chain',
    `UPDATE usage.audit_event SET account_id = '${other}', chain = '${other}/live', seq = 3
     WHERE chain = '%' AND seq = 5`,
    [[6, '1 before it are missing']],
  ],
  [
    'the head removed',
    `DELETE FROM usage.audit_chain WHERE chain = '%'`,
    [[10, 'the head of its chain is missing']],
  ],
  [
    'the head turned back',
    `UPDATE usage.audit_chain SET last_seq = 9 WHERE chain = '%'`,
    [[10, 'it stands behind the head of its chain: it was inserted']],
  ],
  [
    'the hash of the head changed',
    `UPDATE usage.audit_chain SET last_hash = sha256('x') WHERE chain = '%'`,
    [[10, 'the head of its chain has another hash']],
  ],
]

describe('a chain that was tampered with', () => {
  test.each(tampering)('reveals %s', async (_, sql, places) => {
    const [accountId, untouched] = [newId('acct'), newId('acct')]
    await record([...eventsOf(accountId, 10), ...eventsOf(untouched, 10)])
    expect(await breaksIn([accountId, untouched])).toEqual([])

    await tamper(sql.replaceAll('%', `${accountId}/live`))

    const ids = new Map((await chainOf(accountId)).map(({ id, seq }) => [seq, id]))
    const expected = places.map(([seq, problem]) => {
      const event_id = seq === null ? null : ids.get(seq)
      return { account_id: accountId, environment: 'live', seq, event_id, problem }
    })
    // However large the parts are in which it is looked for.
    for (const limit of [5000, 7, 1]) {
      const found = await breaksIn([accountId, untouched], limit)
      expect(found).toHaveLength(expected.length)
      expect(found).toEqual(expect.arrayContaining(expected))
    }
  })

  test('reveals two events with one number', async () => {
    const own = await openTestGraph()
    const accountId = newId('acct')
    await own.database.query(
      `SELECT usage.record_audit_events($1) FROM set_config('gateway.account_id', '*', true)`,
      [JSON.stringify(eventsOf(accountId, 3))],
    )
    await own.database.query(
      'ALTER TABLE usage.audit_event DROP CONSTRAINT audit_event_chain_seq_key',
    )
    await own.database.query(
      `INSERT INTO usage.audit_event
       SELECT (jsonb_populate_record(e, '{ "id": "aud_zzz" }')).* FROM usage.audit_event e
       WHERE seq = 2 AND account_id = $1`,
      [accountId],
    )

    for (const limit of [5000, 2, 1]) {
      const found: AuditBreak[] = []
      await verifyAuditChains(asking(own, limit), (one) => found.push(one))
      const problem = 'another event has its number: one of them was inserted'
      expect(found).toEqual([
        { account_id: accountId, environment: 'live', seq: 2, event_id: 'aud_zzz', problem },
      ])
    }
    await own.close()
  })
})

describe('the head of a chain', () => {
  test.each([
    ['DELETE', `DELETE FROM usage.audit_chain WHERE chain = '%'`],
    ['TRUNCATE', 'TRUNCATE usage.audit_chain'],
    ['being turned back', `UPDATE usage.audit_chain SET last_seq = 1 WHERE chain = '%'`],
    ['another hash', `UPDATE usage.audit_chain SET last_hash = sha256('x') WHERE chain = '%'`],
    ['another name', `UPDATE usage.audit_chain SET chain = 'x', last_seq = 9 WHERE chain = '%'`],
  ])('refuses %s, also for its owner', async (_what, sql) => {
    const accountId = newId('acct')
    await record(eventsOf(accountId, 3))
    const owner = new pg.Client({
      connectionString: graph.database.ownerUrl,
      options: sessionOfAllTenants,
    })
    await owner.connect()

    const refused = await owner.query(sql.replace('%', `${accountId}/live`)).then(
      () => 'done',
      ({ message }: Error) => message,
    )
    await owner.end()

    expect(refused).toBe('audit_chain is append-only.')
    await record(eventsOf(accountId, 1))
    expect(await breaksIn([accountId])).toEqual([])
  })

  test('is shown by a check in parts of any size, once, so that it can be stored elsewhere', async () => {
    const accounts = [newId('acct'), newId('acct')]
    for (const accountId of accounts) await record(eventsOf(accountId, 4))
    const stored = await graph.database.query<{ hash: string }>(
      `SELECT encode(hash, 'hex') AS hash FROM usage.audit_event
       WHERE account_id = ANY ($1) AND seq = 4 ORDER BY chain`,
      [accounts],
    )

    for (const limit of [5000, 4, 3, 1]) {
      const start = { chain: accounts[0] ?? '', seq: 0, id: '', hash: '' }
      const { heads } = await verifyAuditChains(asking(graph, limit, start), () => {})

      expect(heads.filter(({ account_id }) => accounts.includes(account_id ?? ''))).toEqual(
        accounts.map((account_id, index) => ({
          ...{ account_id, environment: 'live', seq: 4, hash: stored[index]?.hash },
        })),
      )
    }
  })
})

describe('gateway audit verify', () => {
  test('counts the checked events while others are recorded, and fails on a broken chain', async () => {
    await compileProgram()
    const place = openWorkplace()
    const own = await openTestGraph()
    const variables = variablesFor(own.database)
    const accountId = newId('acct')
    const recordMore = () =>
      own.database.query(
        `SELECT usage.record_audit_events($1) FROM set_config('gateway.account_id', '*', true)`,
        [JSON.stringify([...eventsOf(accountId, 20), ...eventsOf(null, 20)])],
      )
    let isOver = false
    async function keepRecording(): Promise<void> {
      while (!isOver) await recordMore()
    }
    await recordMore()

    const busy = keepRecording()
    const whole = await place.run(['audit', 'verify', '--json'], variables)
    isOver = true
    await busy
    await own.database.query('ALTER TABLE usage.audit_event DISABLE TRIGGER append_only')
    const [changed] = await own.database.query<{ id: string }>(
      `UPDATE usage.audit_event SET result = 'FORBIDDEN' WHERE account_id = $1 AND seq = 7
       RETURNING id`,
      [accountId],
    )
    const broken = await place.run(['audit', 'verify', '--json'], variables)
    const text = await place.run(['audit', 'verify'], variables)

    expect(whole.code).toBe(0)
    const { events, heads, ...rest } = JSON.parse(whole.stdout)
    expect(rest).toEqual({ chains: 2, broken: 0, breaks: [] })
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
    const head = { environment: 'live', seq: expect.any(Number), hash }
    expect(heads).toEqual([
      { account_id: null, ...head },
      { account_id: accountId, ...head },
    ])
    expect(heads[0].seq + heads[1].seq).toBe(events)
    expect(events).toBeGreaterThanOrEqual(40)
    expect(broken.code).toBe(1)
    const named = { account_id: accountId, environment: 'live', seq: 7, event_id: changed?.id }
    expect(JSON.parse(broken.stdout)).toEqual({
      chains: 2,
      events: expect.any(Number),
      broken: 1,
      breaks: [{ ...named, problem: doesNotFollow }],
      heads: [expect.anything(), expect.anything()],
    })
    expect(text).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`event_id: ${changed?.id}\n`),
    })
    expect(text.stdout).toContain('broken: 1\n')
    await own.close()
    await place.close()
  })
})
