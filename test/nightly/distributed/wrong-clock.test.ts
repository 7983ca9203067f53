import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { letKeyExpire } from '../../support/gateway/expire-key.ts'
import {
  asTestGateway,
  startTestGateway,
  type TestAccount,
  type TestGateway,
  variablesFor,
} from '../../support/gateway/gateway.ts'
import { plantGrant } from '../../support/oauth/oauth.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace, type Workplace } from '../../support/processes/workplace.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'
import { twoHoursMs, wrongClock } from '../../support/time/wrong-clock.ts'

const price = 5

describe('two gateways, one two hours ahead and one two hours behind', () => {
  let database: TestDatabase
  let backend: StubBackend
  let place: Workplace
  let ahead: TestGateway
  let behind: TestGateway
  /** Made before the gateways with wrong clocks are the only ones. */
  const prepared: Prepared[] = []
  beforeAll(async () => {
    await compileProgram()
    database = await createTestDatabase()
    backend = await startStubBackend()
    const right = await startTestGateway({}, { database })
    while (prepared.length < 5) prepared.push(await prepare(right))
    await right.close()
    place = openWorkplace({ prefix: 'gateway-clock-' })
    const start = async (byMs: number) =>
      asTestGateway(
        await place.start({
          ...variablesFor(database),
          BACKEND_CONTACT_FINDER_URL: backend.url,
          NODE_OPTIONS: wrongClock(byMs),
          LOG_LEVEL: 'error',
        }),
        database,
      )
    const wrong = await Promise.all([start(twoHoursMs), start(-twoHoursMs)])
    ahead = wrong[0]
    behind = wrong[1]
  })
  afterAll(async () => {
    await place.close()
    await backend.close()
    await database.drop()
  })

  const places = [
    ['ahead', 0],
    ['behind', 1],
  ] as const

  interface Prepared {
    readonly account: TestAccount
    /** A key and a token that end in an hour. */
    readonly key: string
    readonly accessToken: string
    /** A key and a token that have ended. */
    readonly endedKey: string
    readonly endedToken: string
  }

  async function prepare(right: TestGateway): Promise<Prepared> {
    const account = await right.createAccount({ credits: 1000 })
    const expiresAt = new Date(Date.now() + twoHoursMs / 2).toISOString()
    const key = await right.createKey(account.id, { expiresAt })
    const ended = await right.createKey(account.id, { expiresAt })
    await letKeyExpire(database, ended.id)
    const grant = { ownerId: account.id, accountId: account.id, scopes: ['account:read'] }
    const { accessToken } = await plantGrant({ database }, grant)
    const { accessToken: endedToken, grantId } = await plantGrant({ database }, grant)
    await database.query(
      `UPDATE oauth.access_token SET expires_at = now() - interval '1 ms' WHERE grant_id = $1`,
      [grantId],
    )
    const keys = { key: key.plaintext, endedKey: ended.plaintext }
    return { account, ...keys, accessToken, endedToken }
  }

  /** Each test has accounts of its own. */
  function preparedFor(index: number): Prepared {
    const found = prepared[index]
    if (!found) throw new Error(`Only ${prepared.length} accounts are prepared.`)
    return found
  }

  const reveal = ({ live }: TestGateway, { liveKey }: TestAccount, key: string = randomUUID()) =>
    live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey, { 'Idempotency-Key': key })

  test('charge each call once, in the order and by the clock of the database', async () => {
    const { account } = preparedFor(0)

    for (let call = 0; call < 5; call += 1) {
      const key = randomUUID()
      const [first, second] = call % 2 === 0 ? [ahead, behind] : [behind, ahead]
      const [answer, repeated] = [
        await reveal(first, account, key),
        await reveal(second, account, key),
      ]
      expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '5'])
      expect([repeated.status, repeated.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    }

    const ledgers = await Promise.all(
      [ahead, behind].map(({ live }) => live.get('/v1/account/credits/ledger', account.liveKey)),
    )
    for (const { status, body } of ledgers) {
      const balances = Object(body).items.map((item: object) => Object(item).balance_after)
      expect([status, balances]).toEqual([200, [975, 980, 985, 990, 995, 1000]])
    }
    const [row] = await database.query(
      `SELECT array_agg(seq::int ORDER BY created_at, seq) AS seqs,
         bool_and(created_at BETWEEN now() - interval '30 min' AND now()) AS "areOfNow"
       FROM account.ledger_audit WHERE account_id = $1`,
      [account.id],
    )
    expect(row).toEqual({ seqs: [1, 2, 3, 4, 5, 6], areOfNow: true })
    await expectExactBooks(ahead)
  })

  test.each(places)(
    'end no hold early and none late (a call through the one %s)',
    async (_, at) => {
      const { account } = preparedFor(1 + at)
      const gateway = at === 0 ? ahead : behind
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      backend.answer(async (_request, res) => {
        await released
        sendBackendJson(res, 200, { id: 'con_1' })
      })
      const answer = reveal(gateway, account)
      const ttl = await vi.waitUntil(async () => {
        const [hold] = await database.query<{ isOfNow: boolean }>(
          `SELECT expires_at BETWEEN now() AND now() + interval '120 s' AS "isOfNow"
         FROM account.hold WHERE account_id = $1`,
          [account.id],
        )
        return hold
      }, patience)
      // Another one, of a process that is no more, for the gateways to sweep.
      const abandoned = newId('req')
      const [planted] = await database.query<{ expiresAt: string }>(
        `WITH hold AS (
         INSERT INTO account.hold
           (request_id, account_id, environment, credits, expires_at, endpoint, call)
         SELECT $2, account_id, environment, 7, now() + interval '6 s', endpoint, call
         FROM account.hold WHERE account_id = $1
         RETURNING *
       ), held AS (
         UPDATE account.balance b SET held = b.held + h.credits FROM hold h
         WHERE b.account_id = h.account_id AND b.environment = h.environment
       )
       SELECT expires_at::text AS "expiresAt" FROM hold`,
        [account.id, abandoned],
      )

      const ended = await vi.waitUntil(async () => {
        const [row] = await database.query<{ isInTime: boolean }>(
          `SELECT ended_at >= $2::timestamptz AS "isInTime"
         FROM account.ended_hold WHERE request_id = $1`,
          [abandoned, planted?.expiresAt],
        )
        return row
      }, patience)
      const { body: during } = await gateway.live.get('/v1/account/credits', account.liveKey)
      release()
      const { status, headers } = await answer

      expect(ttl).toEqual({ isOfNow: true })
      expect(ended).toEqual({ isInTime: true })
      expect(during).toMatchObject({ balance: 1000, held: price })
      expect([status, headers.get('x-credits-charged')]).toEqual([200, String(price)])
      await expectExactBooks(gateway)
    },
  )

  test.each(places)('accept keys and tokens until they end (the one %s)', async (_, at) => {
    const { key, accessToken, endedKey, endedToken } = preparedFor(3 + at)
    const { live } = at === 0 ? ahead : behind
    const statusOf = async (secret: string) => (await live.get('/v1/account', secret)).status

    // Looked up, then remembered.
    for (const secret of [key, accessToken, key, accessToken]) {
      expect(await statusOf(secret)).toBe(200)
    }
    for (const secret of [endedKey, endedToken]) expect(await statusOf(secret)).toBe(401)
  })
})
