import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  batchOf,
  call,
  chargesOn,
  request,
  reserveApart,
} from '../../support/database/charge-batches.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())

const { openAccount, reserve, settle } = chargesOn(() => graph)
const amounts = [1, 2, 3]

interface Form {
  readonly charge: (accountId: string) => Promise<unknown>
  /** Whether entries have the line of their call, and not their request. */
  readonly isCompact: boolean
  /** Whether all charges are one commit, with one hash. */
  readonly isOneCommit: boolean
}

async function chargeWithBudgets(accountId: string): Promise<void> {
  const batch = batchOf(amounts.map((credits) => ({ accountId, credits })))
  const spenders = ['key:key_1']
  const items = batch.requestIds.map((requestId, index) => ({
    ...{ requestId, accountId, credits: batch.credits[index] ?? 0, spenders },
  }))
  await reserveApart(graph, items)
  await settle(batch, { spenders: items.map(() => spenders), counts: batch.credits })
}

async function chargeBatch(accountId: string, credits: readonly number[]): Promise<void> {
  const batch = batchOf(credits.map((amount) => ({ accountId, credits: amount })))
  await reserve(batch)
  await settle(batch)
}

async function chargeEach(accountId: string): Promise<void> {
  for (const amount of amounts) await chargeBatch(accountId, [amount])
}

function chargeLost(accountId: string): Promise<unknown> {
  return settle(batchOf(amounts.map((credits) => ({ accountId, credits }))))
}

const forms: readonly (readonly [string, Form])[] = [
  ['with budgets', { charge: chargeWithBudgets, isCompact: false, isOneCommit: true }],
  [
    'in one batch',
    { charge: (id) => chargeBatch(id, amounts), isCompact: true, isOneCommit: true },
  ],
  ['in batches of one', { charge: chargeEach, isCompact: true, isOneCommit: false }],
  ['without their holds', { charge: chargeLost, isCompact: true, isOneCommit: false }],
]

/** The first and the last entry of a ledger are grants; between them are the charges. */
const places = [2, 3, 4]

async function openLedger({ charge }: Form): Promise<string> {
  const accountId = await openAccount(20)
  await charge(accountId)
  const grant = { accountId, credits: 5, reason: 'Test', idempotencyKey: 'after' }
  await graph.asAdmin('GrantCredits', { input: grant })
  return accountId
}

/** What the verification says about each of these accounts. */
async function problemsOf(accountIds: readonly string[]): Promise<string[][]> {
  const audit: { drifts: { account_id: string; problem: string }[] } = Object(
    await graph.asAdmin('AuditLedger'),
  )
  return accountIds.map((id) =>
    audit.drifts.filter(({ account_id }) => account_id === id).map(({ problem }) => problem),
  )
}

const elsewhere = 'acct_elsewhere'

/**
 * Tampers with each of these ledgers, with the nth in its nth way; returns what is found in each. Then all is
 * as before.
 */
async function tampered(
  accountIds: readonly string[],
  tamper: (accountId: string, index: number) => Promise<unknown>,
): Promise<string[][]> {
  expect((await problemsOf(accountIds)).flat()).toEqual([])
  const [saved] = await graph.database.query<{ entries: string; balances: string }>(
    `SELECT (SELECT jsonb_agg(e) FROM account.ledger_entry e WHERE account_id = ANY ($1))::text AS entries,
       (SELECT jsonb_agg(b) FROM account.balance b WHERE account_id = ANY ($1))::text AS balances`,
    [accountIds],
  )
  try {
    for (const [index, accountId] of accountIds.entries()) await tamper(accountId, index)
    return await problemsOf(accountIds)
  } finally {
    await graph.database.query('DELETE FROM account.ledger_entry WHERE account_id = ANY ($1)', [
      [...accountIds, elsewhere],
    ])
    await graph.database.query(
      `WITH entered AS (
         INSERT INTO account.ledger_entry
         SELECT * FROM jsonb_populate_recordset(NULL::account.ledger_entry, $1)
       )
       UPDATE account.balance b
       SET balance = s.balance, held = s.held, last_seq = s.last_seq, last_hash = s.last_hash
       FROM jsonb_populate_recordset(NULL::account.balance, $2) s
       WHERE b.account_id = s.account_id AND b.environment = s.environment`,
      [saved?.entries, saved?.balances],
    )
  }
}

function asLists(problem: RegExp, count: number): string[][] {
  const list: string[] = expect.arrayContaining([expect.stringMatching(problem)])
  return Array.from({ length: count }, () => list)
}

const gap = /^entry \d+ follows entry \d+$/
const sum = /^-\d credits take \d+ to \d+$/
const uncharged = /^req_\w+ counts \d credits in budgets and 0 refunded, the ledger says 0 and 0$/
const hash = /^the hash does not fit the entries up to this one/

/** Each column of an entry, and what is found when it was rewritten. */
const rewrites: readonly (readonly [column: string, value: string, problem: RegExp])[] = [
  ['account_id', `'${elsewhere}'`, gap],
  ['environment', `'sandbox'`, gap],
  ['seq', '9', gap],
  ['id', `'led_rewritten'`, hash],
  ['kind', `'refund'`, hash],
  ['credits', 'credits - 1', sum],
  ['balance_after', 'balance_after + 1', sum],
  ['description', `description || 'x'`, hash],
  ['ref', `'req_rewritten'`, hash],
  ['request', `'{}'`, hash],
  ['created_at', `created_at + interval '1 ms'`, hash],
  ['hash', `CASE WHEN hash IS NULL THEN sha256('') END`, hash],
  ['call', `coalesce(call, '') || 'x'`, hash],
]

test('each column of an entry is rewritten here', async () => {
  const columns = await graph.database.query<{ attname: string }>(
    `SELECT attname FROM pg_attribute
     WHERE attrelid = 'account.ledger_entry'::regclass AND attnum > 0 AND NOT attisdropped`,
  )

  const rewritten = rewrites.map(([column]) => column)
  expect(rewritten.sort()).toEqual(columns.map(({ attname }) => attname).sort())
})

/** $1 is the account, $2 the place of an entry; sums stay right. */
const consistent: readonly (readonly [string, readonly string[]])[] = [
  [
    'a charge became smaller',
    [
      `UPDATE account.ledger_entry SET credits = credits + (seq = $2)::int,
         balance_after = balance_after + 1
       WHERE account_id = $1 AND environment = 'live' AND seq >= $2`,
      `UPDATE account.balance SET balance = balance + 1
       WHERE account_id = $1 AND environment = 'live' AND last_seq >= $2`,
    ],
  ],
  [
    'a charge is of another request',
    [
      `UPDATE account.ledger_entry SET id = 'led_other', ref = 'req_other'
       WHERE account_id = $1 AND environment = 'live' AND seq = $2`,
    ],
  ],
  [
    'the amounts of two charges were exchanged',
    [
      `UPDATE account.ledger_entry e SET credits = o.credits,
         balance_after = e.balance_after + CASE WHEN e.seq < o.seq THEN o.credits - e.credits ELSE 0 END
       FROM account.ledger_entry o
       WHERE e.account_id = $1 AND e.environment = 'live' AND e.seq IN ($2, 3)
         AND o.account_id = $1 AND o.environment = 'live' AND o.seq IN ($2, 3) AND o.seq <> e.seq`,
    ],
  ],
  [
    'a charge has the other form',
    [
      `UPDATE account.ledger_entry SET
         call = CASE WHEN call IS NULL THEN '[]' END,
         request = CASE WHEN request IS NULL THEN '{}'::jsonb END
       WHERE account_id = $1 AND environment = 'live' AND seq = $2`,
    ],
  ],
]

describe.each(forms)('charges that were made %s', (_name, form) => {
  let ledgers: readonly string[]
  beforeAll(async () => {
    ledgers = await Promise.all(places.map(() => openLedger(form)))
  })

  test('have this form', async () => {
    const rows = await graph.database.query(
      `SELECT call IS NOT NULL AND request IS NULL AS "isCompact", hash IS NOT NULL AS "hasHash"
       FROM account.ledger_entry WHERE account_id = $1 AND kind = 'charge' ORDER BY seq`,
      [ledgers[0]],
    )

    const { isCompact, isOneCommit } = form
    expect(rows).toEqual(
      [!isOneCommit, !isOneCommit, true].map((hasHash) => ({ isCompact, hasHash })),
    )
  })

  test.each(rewrites)(
    'show that %s was rewritten, in any of them',
    async (column, value, problem) => {
      const problems = await tampered(ledgers, (accountId, index) =>
        graph.database.query(
          `UPDATE account.ledger_entry SET ${column} = ${value}
           WHERE account_id = $1 AND environment = 'live' AND seq = $2`,
          [accountId, places[index]],
        ),
      )

      expect(problems).toEqual(asLists(problem, places.length))
    },
  )

  test.each(consistent)('show by their hash that %s', async (_change, statements) => {
    const ends = [2, 4]

    const problems = await tampered(ledgers.slice(1), async (accountId, index) => {
      for (const sql of statements) await graph.database.query(sql, [accountId, ends[index]])
    })

    expect(problems).toEqual(asLists(hash, ends.length))
  })

  test('show that one of them is missing', async () => {
    const problems = await tampered(ledgers, (accountId, index) =>
      graph.database.query(
        `DELETE FROM account.ledger_entry
         WHERE account_id = $1 AND environment = 'live' AND seq = $2`,
        [accountId, places[index]],
      ),
    )

    expect(problems).toEqual(asLists(gap, places.length))
  })

  test('show that the newest were taken away, also from the balance', async () => {
    const accountId = await openAccount(20)
    await form.charge(accountId)

    const problems = await tampered([accountId], async () => {
      await graph.database.query(
        `DELETE FROM account.ledger_entry
         WHERE account_id = $1 AND environment = 'live' AND seq > 2`,
        [accountId],
      )
      await graph.database.query(
        `UPDATE account.balance SET balance = 19, last_seq = 2
         WHERE account_id = $1 AND environment = 'live'`,
        [accountId],
      )
    })

    expect(problems).toEqual([
      [
        'the balance and the newest entry differ in their hash',
        ...(form.isOneCommit ? [expect.stringMatching(hash)] : []),
        // Only charges with budgets keep their request, and budgets still count those that are gone.
        ...(form.isCompact ? [] : [uncharged, uncharged].map((one) => expect.stringMatching(one))),
      ],
    ])
  })
})

const contents: readonly (readonly [string, string])[] = [
  [
    'with budgets',
    `account.entry_content(account_id, environment, last_seq + 1, id, 'charge', -charged,
       balance - charged, '/t', ref, request, at)`,
  ],
  [
    'in a batch',
    `account.charge_header(account_id, environment, last_seq, balance)
       || account.charge_line(ref, charged, (extract(epoch FROM at) * 1000)::int8, '/t', call)`,
  ],
]

describe.each(contents)('an entry that was planted as a charge made %s', (name, content) => {
  /** With the right hash, and taken from the balance too. */
  async function plant(accountId: string, credits: number): Promise<unknown> {
    const isCompact = name === 'in a batch'
    return graph.database.query(
      `WITH made AS (
         SELECT b.*, $2::int8 AS charged, $3::jsonb AS request, $4::text AS call,
           date_trunc('milliseconds', now()) AS at, 'led_planted' AS id, 'req_planted' AS ref
         FROM account.balance b WHERE account_id = $1 AND environment = 'live'
       ), entered AS (
         INSERT INTO account.ledger_entry (account_id, environment, seq, id, kind, credits,
           balance_after, description, ref, request, call, created_at, hash)
         SELECT account_id, environment, last_seq + 1, id, 'charge', -charged, balance - charged,
           '/t', ref, request, call, at, sha256(last_hash || convert_to(${content}, 'UTF8'))
         FROM made RETURNING account_id, environment, seq, balance_after, hash
       )
       UPDATE account.balance b SET balance = e.balance_after, last_seq = e.seq, last_hash = e.hash
       FROM entered e WHERE b.account_id = e.account_id AND b.environment = e.environment`,
      [accountId, credits, isCompact ? null : JSON.stringify(request), isCompact ? call : null],
    )
  }

  test('is found where it takes the balance below 0', async () => {
    const accounts = [await openAccount(5), await openAccount(5)]

    const problems = await tampered(accounts, (accountId, index) => plant(accountId, 5 + index))

    expect(problems).toEqual([[], ['a charge of 6 credits takes the balance below 0']])
  })
})
