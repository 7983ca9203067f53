import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { findBinaries } from '../../../gateway/trial/embedded-postgres/postgres-process.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { assessDamage, expectNoDamage, report } from '../../support/load/audit.ts'
import {
  type DeduplicatingBackend,
  startDeduplicatingBackend,
} from '../../support/load/deduplicating-backend.ts'
import {
  type Fulfilment,
  idempotencyHeader,
  type Load,
  startLoad,
  wishesOf,
} from '../../support/load/load.ts'
import { type OwnPostgres, startOwnPostgres } from '../../support/processes/own-postgres.ts'
import { patience } from '../../support/time/patience.ts'

const pageBytes = 8192
const rarely = { ...patience, interval: 200 }

/** A page of a table of PostgreSQL, in the file of the table. */
interface Page {
  readonly file: string
  readonly position: number
}

function readPage({ file, position }: Page): Buffer {
  const bytes = Buffer.alloc(pageBytes)
  const opened = openSync(file, 'r')
  readSync(opened, bytes, 0, pageBytes, position)
  closeSync(opened)
  return bytes
}

function writePage({ file, position }: Page, bytes: Buffer): void {
  const opened = openSync(file, 'r+')
  writeSync(opened, bytes, 0, pageBytes, position)
  closeSync(opened)
}

describe('a disk of PostgreSQL', () => {
  let postgres: OwnPostgres
  let backend: DeduplicatingBackend
  let gateway: TestGateway
  beforeAll(async () => {
    // The embedded one has checksums of its pages.
    postgres = await startOwnPostgres({ binaries: await findBinaries() })
    backend = await startDeduplicatingBackend()
    const variables = { BACKEND_CONTACT_FINDER_URL: backend.url, DATABASE_TIMEOUT_MS: '30000' }
    gateway = await startTestGateway(variables, { database: postgres.database })
  })
  afterAll(async () => {
    await gateway.close()
    await backend.close()
    await postgres.close()
  })

  function load(accounts: readonly TestAccount[], wishes: number): Load {
    return startLoad(wishesOf(accounts, wishes), {
      urlOf: () => gateway.baseUrl,
      clients: 8,
      answerPatienceMs: 60_000,
      patienceMs: patience.timeout,
    })
  }

  async function expectAllCharged(name: string, one: Load): Promise<readonly Fulfilment[]> {
    const fulfilments = await one.done
    const damage = await assessDamage(gateway, fulfilments)
    report(name, 1, damage, one)
    expect(one.malformed).toEqual([])
    expect(fulfilments.filter(({ charged }) => charged !== '5')).toEqual([])
    await expectNoDamage(gateway, damage)
    return fulfilments
  }

  test('that takes a tenth of a second for each commit fails no call, and charges each once', async () => {
    const accounts = await Promise.all(Array.from({ length: 4 }, () => gateway.createAccount()))
    const { database } = postgres
    const set = (delayUs: number, siblings: number) => [
      `ALTER SYSTEM SET commit_delay = ${delayUs}`,
      `ALTER SYSTEM SET commit_siblings = ${siblings}`,
      'SELECT pg_reload_conf()',
    ]
    for (const sql of set(100_000, 0)) await database.query(sql)
    await vi.waitUntil(async () => {
      const [row] = await database.query<{ commit_delay: string }>('SHOW commit_delay')
      return row?.commit_delay === '100000'
    }, patience)

    const slow = load(accounts, 400)
    const beganMs = performance.now()
    try {
      await slow.done
    } finally {
      for (const sql of set(0, 5)) await database.query(sql)
    }
    // Each of eight clients has waited for fifty commits, one after the other.
    expect(performance.now() - beganMs).toBeGreaterThan(5000)

    const fulfilments = await expectAllCharged('slow disk', slow)
    expect(fulfilments).toHaveLength(400)
    expect([...slow.answers.keys()]).toEqual(['200'])
  })

  test('with a damaged page shows nothing of it, fails only what needs it, and loses nothing once it is restored', async () => {
    const { database } = postgres
    const [account, other] = await Promise.all([
      gateway.createAccount({ credits: 10_000 }),
      gateway.createAccount(),
    ])
    await expectAllCharged('before the damage', load([account], 300))
    // The load may have used up the requests of this second.
    const ledger = (query: string) =>
      vi.waitUntil(async () => {
        const answer = await gateway.live.get(`/v1/account/credits/ledger${query}`, account.liveKey)
        return answer.status !== 429 && answer
      }, rarely)
    const newest = await ledger('?limit=10')
    const first = await ledger('?limit=200')
    const oldest = `?limit=200&cursor=${encodeURIComponent(Object(first.body).next_cursor)}`
    const before = await ledger(oldest)
    // A page with room would take entries of others, and one of a connection that has written little may have the newest.
    const [stored] = await database.query<{ file: string; page: number }>(
      `SELECT current_setting('data_directory') || '/' || pg_relation_filepath('account.ledger_entry') AS file, page
       FROM (SELECT (ctid::text::point)[0]::int AS page, row_number() OVER (ORDER BY id DESC) AS age
             FROM account.ledger_entry WHERE account_id = $1) AS entry
       GROUP BY page HAVING min(age) > 10 AND max(age) > 200
       ORDER BY count(*) DESC LIMIT 1`,
      [account.id],
    )
    if (!stored) throw new Error('No page has old entries only.')
    const page = { file: stored.file, position: stored.page * pageBytes }
    // What is read for the first time is written once more, and must not be after the checkpoint.
    await database.query('SELECT count(*) FROM account.ledger_entry')
    await database.query('CHECKPOINT')
    await postgres.crash('SIGQUIT')
    const sound = readPage(page)
    const damaged = Buffer.from(sound)
    damaged.fill(0xff, 4000, 4100)
    writePage(page, damaged)
    await postgres.start()

    await vi.waitFor(
      async () => expect(await ledger('?limit=10')).toMatchObject({ status: 200 }),
      rarely,
    )
    const beside = load([other], 40)
    await beside.done
    const charged = await gateway.live.post(
      '/v1/contacts/reveal',
      { contact_id: 'con_1' },
      account.liveKey,
      { [idempotencyHeader]: 'beside the damage' },
    )
    const refused = await ledger(oldest)
    const [failures] = await database.query<{ pages: number | null }>(
      'SELECT sum(checksum_failures)::int AS pages FROM pg_stat_database',
    )
    writePage(page, sound)

    expect(newest.status).toBe(200)
    expect(before.status).toBe(200)
    expect([...beside.answers.keys()]).toEqual(['200'])
    expect([charged.status, charged.headers.get('x-credits-charged')]).toEqual([200, '5'])
    expectError(gateway, refused, { status: 500, code: 'INTERNAL_ERROR' })
    expect(Number(failures?.pages)).toBeGreaterThan(0)
    expect((await ledger(oldest)).body).toEqual(before.body)
    expect(await expectAllCharged('damaged page', beside)).toHaveLength(40)
  })
})
