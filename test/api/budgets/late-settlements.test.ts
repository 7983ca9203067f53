import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sessionOfAllTenants } from '../../../subgraphs/shared/database/tenant.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
let locker: pg.Client
beforeAll(async () => {
  // After this time a settlement is too late.
  gateway = await startTestGateway({ DATABASE_TIMEOUT_MS: '5000' })
  const connectionString = gateway.database.ownerUrl
  locker = new pg.Client({ connectionString, options: sessionOfAllTenants })
  await locker.connect()
})
afterAll(async () => {
  await locker.end()
  await gateway.close()
})

test.each(['live', 'sandbox'] as const)(
  'a call of the %s listener that is answered 503, because its settlement came too late, counts in no budget',
  async (place) => {
    const account = await gateway.createAccount()
    const ownKey = place === 'live' ? account.liveKey : account.sandboxKey
    const budgets = [{ period: 'day', limit_credits: 7 }]
    const issued = await gateway[place].post('/v1/account/keys', { name: 'Team', budgets }, ownKey)
    expect(issued.status).toBe(201)
    const { plaintext } = Object(issued.body)
    const call = () =>
      gateway[place].post('/v1/contacts/reveal', { contact_id: 'con_0123456789' }, plaintext)
    const spendings = () =>
      gateway.database.query(
        `SELECT credits::int, refunded::int FROM account.spending WHERE account_id = $1`,
        [account.id],
      )
    // A settlement writes there, and a reservation does not.
    await locker.query('BEGIN')
    await locker.query('LOCK TABLE account.spending IN ACCESS EXCLUSIVE MODE')

    const late = await call()
    await locker.query('COMMIT')

    expectError(gateway, late, { status: 503, code: 'SERVICE_UNAVAILABLE' })
    await vi.waitFor(
      async () => expect(await spendings()).toEqual([{ credits: 5, refunded: 5 }]),
      patience,
    )
    const current = await gateway[place].get('/v1/account/keys/current', plaintext)
    expect(Object(current.body).budgets).toMatchObject([{ used_credits: 0, held_credits: 0 }])
    const next = await vi.waitUntil(async () => {
      const answer = await call()
      return answer.status !== 503 && answer
    }, patience)
    expect([next.status, next.headers.get('x-budget-remaining')]).toEqual([200, '2'])
    const { ledgerAudit } = Object(await gateway.graphql('{ ledgerAudit { drifts { problem } } }'))
    expect(ledgerAudit.drifts).toEqual([])
  },
)
