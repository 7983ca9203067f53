import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { migrateAll } from '../../../gateway/launch/databases/migrations.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
  variablesFor,
} from '../../support/gateway/gateway.ts'
import {
  type ArchivedPostgres,
  startArchivedPostgres,
} from '../../support/processes/archived-postgres.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace } from '../../support/processes/workplace.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

describe('a backup and the WAL archive', () => {
  let postgres: ArchivedPostgres
  let backend: StubBackend
  beforeAll(async () => {
    await compileProgram()
    postgres = await startArchivedPostgres()
    await migrateAll(postgres.database.ownerUrl)
    backend = await startStubBackend()
    backend.answer((_, res) => sendBackendJson(res, 200, { n: backend.received.length }))
  })
  afterAll(async () => {
    await backend.close()
    await postgres.close()
  })

  const start = (): Promise<TestGateway> =>
    startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url }, postgres)

  const reveal = ({ live }: TestGateway, { liveKey }: TestAccount, idempotencyKey: string) =>
    live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey, {
      'X-SVC-Idempotency-Key': idempotencyKey,
    })

  /** Waits for the whole usage log of an account, which follows the last answer a moment later. */
  async function untilLogged({ live }: TestGateway, { liveKey }: TestAccount, count: number) {
    await vi.waitUntil(async () => {
      const { body } = await live.get('/v1/account/usage/log?service=contacts', liveKey)
      return Object(body).items.length === count
    }, patience)
  }

  async function countEntries(): Promise<number> {
    const sql = 'SELECT count(*)::int AS count FROM account.ledger_entry'
    const [row] = await postgres.database.query<{ count: number }>(sql)
    return row?.count ?? 0
  }

  /** What `gateway … verify` says of the database. */
  async function verify() {
    const place = openWorkplace()
    try {
      const checks = ['ledger', 'usage', 'audit'].map(async (what) => {
        const args = [what, 'verify', '--json']
        const { code, stdout, stderr } = await place.run(args, variablesFor(postgres.database))
        return { what, code, stderr, found: JSON.parse(stdout) }
      })
      return await Promise.all(checks)
    } finally {
      await place.close()
    }
  }

  test('restore every charge after the loss of the server, and no retry is charged twice', async () => {
    const before = await start()
    const account = await before.createAccount({ credits: 1000 })
    for (const key of ['a', 'b']) expect((await reveal(before, account, key)).status).toBe(200)
    // Charges go on while it is copied.
    const during = Promise.all(['c', 'd', 'e'].map((key) => reveal(before, account, key)))
    await postgres.backUp()
    expect((await during).map(({ status }) => status)).toEqual([200, 200, 200])
    const last = await reveal(before, account, 'f')
    await untilLogged(before, account, 6)
    await before.close()
    const entries = await countEntries()
    await postgres.archiveAll()

    await postgres.lose()
    await postgres.restore()
    const proofs = await verify()
    const after = await start()

    try {
      const whole = { code: 0, stderr: '' }
      expect(proofs).toEqual([
        { what: 'ledger', ...whole, found: { entries, balances: 2, drifts: [] } },
        { what: 'usage', ...whole, found: expect.objectContaining({ drifts: [] }) },
        { what: 'audit', ...whole, found: expect.objectContaining({ broken: 0, breaks: [] }) },
      ])
      const again = await reveal(after, account, 'f')
      expect([again.status, again.body]).toEqual([200, last.body])
      expect(again.headers.get('Idempotent-Replayed')).toBe('true')
      expect((await reveal(after, account, 'g')).headers.get('X-Credits-Remaining')).toBe('965')
      await expectExactBooks(after)
      expect(backend.received).toHaveLength(7)
    } finally {
      await after.close()
    }
  })
})
