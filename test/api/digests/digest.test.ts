import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Ask } from '../../../gateway/books/compare-with-ledger.ts'
import { compareDigest, type DigestProblem } from '../../../gateway/books/digests/compare-digest.ts'
import { createDailyDigest } from '../../../gateway/books/digests/daily-digest.ts'
import { type Digest, readDigest } from '../../../gateway/books/digests/digest.ts'
import { type DigestKey, digestKeyOf } from '../../../gateway/books/digests/digest-key.ts'
import { startDigest, takeDigest } from '../../../gateway/books/digests/take-digest.ts'
import { verifyAuditChains } from '../../../gateway/books/verify-audit-chains.ts'
import { openDigestPlace } from '../../../gateway/launch/parts/digests.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { charge } from '../../support/database/charge-batches.ts'
import { admin, openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { type S3Server, s3Access, startS3Server } from '../../support/stubs/s3-server.ts'

const gateway = 'https://api.test'

let key: DigestKey
let graph: TestGraph
beforeAll(async () => {
  key = await digestKeyOf('a secret for tests, long enough to pass')
})
beforeEach(async () => {
  graph = await openTestGraph()
})
afterEach(() => graph.close())

const ask: Ask = (operation, variables) => graph.as(operation, variables, admin)

async function openAccount(credits: number): Promise<string> {
  const input = { name: 'Test', email: 'test@example.com', tier: 'STARTER', credits }
  const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
  return account.id
}

async function grant(accountId: string, credits: number): Promise<void> {
  const input = { accountId, credits, reason: 'Test', idempotencyKey: newId('req') }
  await graph.asAdmin('GrantCredits', { input })
}

/** Records events of the audit trail, as a worker does. */
async function record(accountId: string | null, count: number): Promise<void> {
  const events = Array.from({ length: count }, () => ({
    id: newId('aud'),
    account_id: accountId,
    environment: 'live',
    occurred_at: new Date().toISOString(),
    ...{ actor_kind: 'internal', actor_id: newId('tok'), actor_role: 'support' },
    ...{ action: 'account.update', resource_id: 'acct_1', address: '203.0.113.7' },
    ...{ request_id: newId('req'), trace_id: '', result: 'succeeded', details: {} },
  }))
  await graph.database.query(
    `SELECT usage.record_audit_events($1) FROM set_config('gateway.account_id', '*', true)`,
    [JSON.stringify(events)],
  )
}

async function take(): Promise<string> {
  let text = ''
  const start = await startDigest(ask)
  await takeDigest(start, {
    ...{ ask, key, gateway },
    async write(part) {
      text += part
    },
  })
  return text
}

async function problemsOf(digest: Digest): Promise<DigestProblem[]> {
  const problems: DigestProblem[] = []
  await compareDigest(ask, digest, (problem) => problems.push(problem))
  return problems
}

/** Tampers with the database as a superuser who has read how it works. */
async function tamper(sql: string): Promise<void> {
  await graph.database.query(
    `DO $do$ BEGIN SET LOCAL session_replication_role = replica; ${sql}; END $do$`,
  )
}

/** The problems that the chains show by themselves, without a digest. */
async function selfMadeProblems(): Promise<unknown[]> {
  const { drifts } = Object(await graph.asAdmin('AuditLedger'))
  const breaks: unknown[] = []
  await verifyAuditChains(ask, (found) => breaks.push(found))
  return [...drifts, ...breaks]
}

const content = `account.entry_content(account_id, environment, seq, id, kind, credits, balance_after,
  description, ref, request, created_at)`

/** Gives the entries of a ledger from `seq` on the hashes that fit, and their balance too. */
const rehashLedger = (accountId: string, seq: number, last: number) => `
  FOR number IN ${seq}..${last} LOOP
    UPDATE account.ledger_entry e SET hash = sha256(
      (SELECT hash FROM account.ledger_entry b
        WHERE b.account_id = e.account_id AND b.environment = e.environment AND b.seq = number - 1)
      || convert_to(${content}, 'UTF8'))
    WHERE account_id = '${accountId}' AND environment = 'live' AND seq = number;
  END LOOP;
  UPDATE account.balance b SET last_hash = (SELECT hash FROM account.ledger_entry e
    WHERE e.account_id = b.account_id AND e.environment = b.environment AND e.seq = ${last})
  WHERE account_id = '${accountId}' AND environment = 'live'`

const eventContent = `usage.audit_event_content(chain, seq, id, account_id, environment, occurred_at,
  actor_kind, actor_id, actor_role, action, resource_id, address, request_id, trace_id, result,
  details, recorded_at)`

describe('a digest', () => {
  test('names the newest entry of each chain, and the sums up to there', async () => {
    const one = await openAccount(100)
    const other = await openAccount(7)
    await grant(one, 50)
    await charge(graph, { accountId: one, credits: 30 })
    await record(null, 2)
    await record(one, 3)
    const stored = await graph.database.query<{ line: string }>(
      `SELECT format('ledger %s live %s %s', account_id, seq, encode(hash, 'hex')) AS line
       FROM account.ledger_entry e WHERE seq = (SELECT max(seq) FROM account.ledger_entry o
         WHERE o.account_id = e.account_id AND o.environment = e.environment)
       AND environment = 'live' ORDER BY account_id`,
    )
    const events = await graph.database.query<{ line: string }>(
      `SELECT format('audit %s live %s %s', coalesce(account_id, '-'), last_seq,
         encode(last_hash, 'hex')) AS line FROM usage.audit_chain ORDER BY chain`,
    )

    const text = await take()

    const { statement, jws, heads } = JSON.parse(text)
    const live = heads.filter((line: string) => line.includes(' live '))
    expect(live).toEqual([...stored, ...events].map(({ line }) => line))
    expect(new Map(stored.map(({ line }) => [line.split(' ')[1], line.split(' ')[3]]))).toEqual(
      new Map([
        [one, '3'],
        [other, '1'],
      ]),
    )
    expect(statement).toEqual({
      version: 1,
      gateway,
      day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      taken_at: expect.stringContaining(statement.day),
      accounts: 2,
      ledger: {
        chains: heads.filter((line: string) => line.startsWith('ledger ')).length,
        entries: expect.any(Number),
        sums: expect.arrayContaining([
          { environment: 'live', kind: 'charge', entries: 1, credits: '-30' },
          { environment: 'live', kind: 'grant', entries: 3, credits: '157' },
        ]),
      },
      audit: { chains: 2, events: 5 },
      heads_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(jws).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  })

  test('is that of an empty database, too', async () => {
    const digest = await readDigest(await take(), key)

    expect(digest).toMatchObject({
      statement: { accounts: 0, ledger: { chains: 0, entries: 0, sums: [] }, audit: { chains: 0 } },
      heads: [],
    })
    expect(await problemsOf(digest)).toEqual([])
  })

  test('sums up more than a number can hold, exactly', async () => {
    const largest = Number.MAX_SAFE_INTEGER
    for (let count = 0; count < 3; count += 1) await openAccount(largest)

    const { statement } = await readDigest(await take(), key)

    expect(statement.ledger.sums).toContainEqual({
      ...{ environment: 'live', kind: 'grant', entries: 3 },
      credits: String(3n * BigInt(largest)),
    })
  })

  test('agrees with a database that has only grown', async () => {
    const accountId = await openAccount(100)
    await record(accountId, 3)
    await record(null, 1)
    const digest = await readDigest(await take(), key)

    await charge(graph, { accountId, credits: 5 })
    await grant(accountId, 5)
    await record(accountId, 3)
    await openAccount(1)

    expect(await problemsOf(digest)).toEqual([])
  })
})

describe('a superuser who cuts off or rewrites history, and makes all hashes fit, is found', () => {
  let accountId: string
  let digest: Digest
  beforeEach(async () => {
    accountId = await openAccount(100)
    await grant(accountId, 20)
    await grant(accountId, 3)
    await record(accountId, 5)
    await record(null, 2)
    digest = await readDigest(await take(), key)
    expect(await selfMadeProblems()).toEqual([])
    expect(await problemsOf(digest)).toEqual([])
  })

  const ofLedger = () => ({ chain: 'ledger', account_id: accountId, environment: 'live' })
  const ofTrail = () => ({ chain: 'audit', account_id: accountId, environment: 'live' })

  test('when the newest entry of a ledger is gone', async () => {
    await tamper(`
      DELETE FROM account.ledger_entry WHERE account_id = '${accountId}' AND environment = 'live'
        AND seq = 3;
      DELETE FROM account.lot WHERE account_id = '${accountId}' AND environment = 'live' AND seq = 3;
      UPDATE account.balance b SET balance = 120, last_seq = 2, burnt_seq = least(burnt_seq, 2),
        last_hash = (SELECT hash FROM account.ledger_entry e WHERE e.account_id = b.account_id
          AND e.environment = b.environment AND e.seq = 2)
      WHERE account_id = '${accountId}' AND environment = 'live'`)

    expect(await selfMadeProblems()).toEqual([])
    expect(await problemsOf(digest)).toEqual([
      {
        ...{ ...ofLedger(), seq: 3 },
        problem: 'the entry is missing: the end of the ledger was cut off',
      },
      {
        ...{ chain: 'ledger', account_id: null, environment: null, seq: null },
        problem:
          'the sum of live grant was 123 credits in 3 entries, and is 120 credits in 2 entries',
      },
    ])
  })

  test('when an entry of a ledger has another description, and the chain fits it', async () => {
    await tamper(`
      DECLARE number int; BEGIN
        UPDATE account.ledger_entry SET description = 'Rewritten'
          WHERE account_id = '${accountId}' AND environment = 'live' AND seq = 2;
        ${rehashLedger(accountId, 2, 3)};
      END`)

    expect(await selfMadeProblems()).toEqual([])
    expect(await problemsOf(digest)).toEqual([
      {
        ...{ ...ofLedger(), seq: 3 },
        problem: 'the entry has another hash: it, or an entry before it, was rewritten',
      },
    ])
  })

  test('when a ledger is gone with its account', async () => {
    await tamper(`
      DELETE FROM account.lot WHERE account_id = '${accountId}';
      DELETE FROM account.ledger_entry WHERE account_id = '${accountId}';
      DELETE FROM account.balance WHERE account_id = '${accountId}';
      DELETE FROM account.account WHERE id = '${accountId}'`)

    expect(await selfMadeProblems()).toEqual([])
    const problems = await problemsOf(digest)
    expect(problems).toContainEqual({
      ...{ ...ofLedger(), seq: 3 },
      problem: 'the entry is missing: the end of the ledger was cut off',
    })
    expect(problems.at(-1)).toEqual({
      ...{ chain: null, account_id: null, environment: null, seq: null },
      problem: 'there were 1 accounts, and there are 0',
    })
  })

  test('when the newest events of the audit trail are gone', async () => {
    await tamper(`
      DELETE FROM usage.audit_event WHERE chain = '${accountId}/live' AND seq > 3;
      UPDATE usage.audit_chain c SET last_seq = 3, last_hash = (SELECT hash
        FROM usage.audit_event e WHERE e.chain = c.chain AND e.seq = 3)
      WHERE chain = '${accountId}/live'`)

    expect(await selfMadeProblems()).toEqual([])
    expect(await problemsOf(digest)).toEqual([
      {
        ...{ ...ofTrail(), seq: 5 },
        problem: 'the event is missing: the end of the chain was cut off',
      },
    ])
  })

  test('when a whole chain of the audit trail is gone, and its head', async () => {
    await tamper(`
      DELETE FROM usage.audit_event WHERE chain = '/live';
      DELETE FROM usage.audit_chain WHERE chain = '/live'`)

    expect(await selfMadeProblems()).toEqual([])
    expect(await problemsOf(digest)).toEqual([
      {
        ...{ chain: 'audit', account_id: null, environment: 'live', seq: 2 },
        problem: 'the event is missing: the end of the chain was cut off',
      },
    ])
  })

  test('when an event of the audit trail has another result, and the chain fits it', async () => {
    await tamper(`
      DECLARE number int; BEGIN
        UPDATE usage.audit_event SET result = 'FORBIDDEN'
          WHERE chain = '${accountId}/live' AND seq = 2;
        FOR number IN 2..5 LOOP
          UPDATE usage.audit_event e SET hash = usage.follow(NULL,
            (SELECT hash FROM usage.audit_event b WHERE b.chain = e.chain AND b.seq = number - 1),
            ${eventContent})
          WHERE chain = '${accountId}/live' AND seq = number;
        END LOOP;
        UPDATE usage.audit_chain c SET last_hash = (SELECT hash
          FROM usage.audit_event e WHERE e.chain = c.chain AND e.seq = 5)
        WHERE chain = '${accountId}/live';
      END`)

    expect(await selfMadeProblems()).toEqual([])
    expect(await problemsOf(digest)).toEqual([
      {
        ...{ ...ofTrail(), seq: 5 },
        problem: 'the event has another hash: it, or an event before it, was rewritten',
      },
    ])
  })
})

describe('the digest of a day', () => {
  let folder: string
  let server: S3Server
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-digests-'))
    server = await startS3Server()
  })
  afterAll(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const places = [
    [
      'a directory',
      () => ({ directory: join(folder, 'digests') }),
      () => {
        const [name = '', ...others] = readdirSync(join(folder, 'digests'))
        return { name, others, text: readFileSync(join(folder, 'digests', name), 'utf8') }
      },
    ],
    [
      'a bucket',
      () => ({ s3: { endpoint: server.url, bucket: server.bucket, ...s3Access } }),
      () => {
        const [[name, body] = ['', Buffer.alloc(0)], ...others] = [...server.objects]
        return { name, others, text: body.toString() }
      },
    ],
  ] as const

  test.each(places)(
    'is written once into %s that several processes share',
    async (_what, settingsOf, contentOf) => {
      await openAccount(5)
      const shown: unknown[] = []
      const overdue: number[] = []
      const processes = Array.from({ length: 4 }, () => {
        const place = openDigestPlace(settingsOf())
        const daily = createDailyDigest({
          ...{ place, gateway, key },
          show: (signed) => shown.push(signed),
          noteOverdue: (seconds) => overdue.push(seconds),
        })
        return { place, daily }
      })

      await Promise.all(processes.map(({ daily }) => daily.write(ask)))
      await Promise.all(processes.map(({ daily }) => daily.write(ask)))
      await Promise.all(processes.map(({ place }) => place.close()))

      const { name, others, text } = contentOf()
      const { statement, jws } = await readDigest(text, key)
      expect(shown).toEqual([{ statement, jws }])
      expect(statement.accounts).toBe(1)
      expect(name).toBe(`digest-${statement.day}.json`)
      expect(others).toEqual([])
      expect([...server.uploads]).toEqual([])
      expect(overdue.at(-1)).toBe(0)
    },
  )

  test('is overdue while its place cannot be written, and leaves nothing behind', async () => {
    const place = openDigestPlace({ directory: join(folder, 'digests', 'x'.repeat(300)) })
    const overdue: number[] = []
    const daily = createDailyDigest({
      ...{ place, gateway, key },
      show: () => expect.unreachable('There is no digest.'),
      noteOverdue: (seconds) => overdue.push(seconds),
    })

    await expect(daily.write(ask)).rejects.toMatchObject({ code: 'ENAMETOOLONG' })
    await daily.write(ask)

    expect(overdue).toHaveLength(2)
    expect(overdue.at(-1)).toBeGreaterThan(0)
  })
})
