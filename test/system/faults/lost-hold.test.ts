import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectExactBooks } from '../../support/gateway/books.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { type OwnPostgres, startOwnPostgres } from '../../support/processes/own-postgres.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

let postgres: OwnPostgres
let backend: StubBackend
let gateway: TestGateway
beforeAll(async () => {
  postgres = await startOwnPostgres()
  backend = await startStubBackend()
  gateway = await startTestGateway(
    {
      BACKEND_CONTACT_FINDER_URL: backend.url,
      BACKEND_TIMEOUT_MS: '50000',
      HOLD_TTL_SECONDS: '60',
    },
    { database: postgres.database },
  )
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
  await postgres.close()
})

/** The rows of the ledger and of the usage log about the calls of an account. */
async function booksOf({ id }: TestAccount) {
  const [row] = await postgres.database.query(
    `SELECT b.balance::int, b.held::int,
       array(SELECT -e.credits::int FROM account.ledger_entry e
         WHERE e.account_id = $1 AND e.kind = 'charge') AS charges,
       array(SELECT u.status || ' ' || u.credits FROM usage.usage_log u
         WHERE u.account_id = $1 AND u.service = 'contacts') AS logged
     FROM account.balance b WHERE b.account_id = $1 AND b.environment = 'live'`,
    [id],
  )
  return row
}

describe('a crash of PostgreSQL that forgets holds while their calls are at the backend', () => {
  test('charges each call once that its balance still covers, and logs it; the others cost nothing', {
    timeout: 240_000,
  }, async () => {
    const names = ['covered', 'spent', 'swept', 'keyed', 'taken'] as const
    const accounts = new Map<string, TestAccount>()
    for (const name of names) {
      accounts.set(name, await gateway.createAccount({ credits: name === 'spent' ? 6 : 100 }))
    }
    const accountOf = (name: (typeof names)[number]) => {
      const account = accounts.get(name)
      if (!account) throw new Error(`There is no ${name}.`)
      return account
    }
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    backend.answer(async (_, res) => {
      await released
      sendBackendJson(res, 200, { id: 'con_1' })
    })
    const answers = names.map((name) => {
      const isKeyed = name === 'keyed' || name === 'taken'
      const headers: Record<string, string> = isKeyed ? { 'Idempotency-Key': name } : {}
      const body = { contact_id: 'con_1' }
      return gateway.live.post('/v1/contacts/reveal', body, accountOf(name).liveKey, headers)
    })
    await vi.waitUntil(() => backend.received.length === names.length, patience)

    await postgres.crash('SIGQUIT')
    await postgres.start()
    // Holds that reached the disk by chance are deleted here: the calls find the state after a crash.
    await postgres.database.query(`
      WITH lost AS (DELETE FROM account.hold RETURNING *),
      total AS (SELECT account_id, environment, sum(credits) AS credits FROM lost GROUP BY 1, 2)
      UPDATE account.balance b SET held = b.held - t.credits FROM total t
      WHERE b.account_id = t.account_id AND b.environment = t.environment`)
    await postgres.database.query(
      `SELECT account.post_entry($1, 'live', 'adjustment', -2, 'Test', 'spent', 'led_spent')`,
      [accountOf('spent').id],
    )
    const swept = backend.received.find(
      ({ headers }) => headers['gateway-account'] === accountOf('swept').id,
    )
    await postgres.database.query(
      'INSERT INTO account.ended_hold (request_id, account_id) VALUES ($1, $2)',
      [swept?.headers['x-request-id'], accountOf('swept').id],
    )
    await postgres.database.query(
      `UPDATE account.idempotency_key SET request_id = 'req_other' WHERE account_id = $1`,
      [accountOf('taken').id],
    )
    release()
    const answered = await Promise.all(answers)

    const outcomes = answered.map(({ status, headers }, index) => [
      names[index],
      status,
      headers.get('x-credits-charged'),
    ])
    expect(outcomes).toEqual([
      ['covered', 200, '5'],
      ['spent', 504, null],
      ['swept', 504, null],
      ['keyed', 200, '5'],
      ['taken', 504, null],
    ])
    const charged = { balance: 95, held: 0, charges: [5], logged: ['200 5'] }
    const free = { balance: 100, held: 0, charges: [], logged: ['504 0'] }
    await vi.waitFor(async () => {
      expect(await Promise.all(names.map((name) => booksOf(accountOf(name))))).toEqual([
        charged,
        { ...free, balance: 4 },
        free,
        charged,
        free,
      ])
    }, patience)
    await expectExactBooks(gateway)
    const replay = await gateway.live.post(
      '/v1/contacts/reveal',
      { contact_id: 'con_1' },
      accountOf('keyed').liveKey,
      { 'Idempotency-Key': 'keyed' },
    )
    expect(replay.status).toBe(200)
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
    expect(await booksOf(accountOf('keyed'))).toMatchObject({ balance: 95, charges: [5] })
    await expectExactBooks(gateway)
  })
})
