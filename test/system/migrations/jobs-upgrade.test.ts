import { expect, test } from 'vitest'
import { account } from '../../../subgraphs/account/index.ts'
import { migrate } from '../../../subgraphs/shared/migrating/migrate.ts'
import { createTestDatabase } from '../../support/database/database.ts'

test('a database from before the job queue gets the jobs of its data', async () => {
  const database = await createTestDatabase({ isEmpty: true })
  const before = { ...account, migrations: account.migrations.slice(0, 7) }
  await migrate([before], database.ownerUrl)
  await database.query(`
    INSERT INTO account.account (id, name, email, status)
      VALUES ('acct_1', 'T', 't@example.com', 'ACTIVE');
    INSERT INTO account.plan (account_id, environment, tier) VALUES ('acct_1', 'live', 'STARTER');
    INSERT INTO account.balance (account_id, environment, next_expiry_at)
      VALUES ('acct_1', 'live', now() + interval '1 day');
    INSERT INTO account.subscription (account_id, environment, tier, period, current_period_end)
      VALUES ('acct_1', 'live', 'pro_sub', 'P1M', now() + interval '2 days');
    INSERT INTO account.addon (account_id, environment, name, period, current_period_end)
      VALUES ('acct_1', 'live', 'mass_mail', 'P1M', now() + interval '3 days');
    INSERT INTO account.auto_recharge
        (account_id, environment, enabled, threshold_credits, package_id)
      VALUES ('acct_1', 'live', true, 10, 'pack_starter');
    INSERT INTO account.payment (id, account_id, environment, kind, package_id, package_name, tier,
        credits, total_cents, currency, payment_method, reference, status, settled_at)
      VALUES ('pay_1', 'acct_1', 'live', 'checkout', 'pack_starter', 'Starter', 'STARTER', 1000, 1000,
          'USD', 'simulated', 'pay_1', 'pending', NULL),
        ('pay_2', 'acct_1', 'live', 'checkout', 'pack_starter', 'Starter', 'STARTER', 1000, 1000,
          'USD', 'simulated', 'pay_2', 'succeeded', now());`)

  await migrate([account], database.ownerUrl)

  const jobs = await database.query(
    `SELECT name, data, (extract(epoch FROM start_after - now()) / 86400)::int AS days
     FROM jobs.job ORDER BY name`,
  )
  const owner = { accountId: 'acct_1', environment: 'live' }
  expect(jobs).toEqual([
    { name: 'CollectPayment', data: { id: 'pay_1' }, days: 0 },
    { name: 'ExpireGrants', data: owner, days: 1 },
    { name: 'TurnAddon', data: { ...owner, name: 'mass_mail' }, days: 3 },
    { name: 'TurnSubscription', data: owner, days: 2 },
    { name: 'WatchBalance', data: owner, days: 0 },
  ])
  const payments = await database.query(
    'SELECT id, status, provider FROM account.payment ORDER BY id',
  )
  expect(payments).toEqual([
    { id: 'pay_1', status: 'pending', provider: null },
    { id: 'pay_2', status: 'succeeded', provider: 'simulated' },
  ])
  await database.drop()
})
