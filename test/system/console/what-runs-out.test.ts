import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { inspect, openConsole, untilLoaded } from '../../support/console/console-page.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'

describe.runIf(browserPath)('the console answers: what runs out, and when', () => {
  let gateway: TestGateway
  let browser: Browser
  beforeAll(async () => {
    await buildConsole()
    gateway = await startTestGateway()
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  /** An account of 40 days that spends about 1,000 credits on weekdays, and little at weekends. */
  async function busyAccount(credits: number): Promise<TestAccount> {
    const account = await gateway.createAccount({ credits })
    await gateway.database.query(
      `UPDATE account.account SET created_at = now() - interval '40 days' WHERE id = $1`,
      [account.id],
    )
    await gateway.database.query(
      `UPDATE account.subscription SET status = 'scheduled_to_cancel', canceled_at = now()
       WHERE account_id = $1`,
      [account.id],
    )
    await gateway.database.query(
      `INSERT INTO usage.usage_service
         (account_id, environment, unit, start, service, requests, successes, credits, steps)
       SELECT $1, 'live', 'day', day, 'contacts', 10, 10,
         CASE WHEN extract(isodow FROM day) < 6 THEN 800 + (n * 7919) % 500 ELSE 120 END, '{10}'
       FROM (SELECT n, date_trunc('day', now(), 'UTC') - n * interval '1 day' AS day
         FROM generate_series(1, 35) AS n) days`,
      [account.id],
    )
    return account
  }

  test('Overview says when the credits run out, what else does, and leads to what to do', async () => {
    const account = await busyAccount(24_000)
    const expiresAt = new Date(Date.now() + 3.5 * 86_400_000).toISOString()
    const key = await gateway.createKey(account.id, { expiresAt })
    const next = new Date()
    next.setUTCMonth(next.getUTCMonth() + 1, 1)
    await gateway.database.query(
      `INSERT INTO account.payment_method (id, account_id, environment, provider, reference, brand,
         last4, exp_month, exp_year) VALUES ($1, $2, 'live', 'simulated', $1, 'visa', '4242', $3, $4)`,
      [newId('pm'), account.id, next.getUTCMonth() + 1, next.getUTCFullYear()],
    )
    await gateway.database.query(
      `INSERT INTO account.budget
         (account_id, environment, spender, period, limit_credits, used, counts_from)
       VALUES ($1, 'live', 'account', 'total', 1000, 820, now())`,
      [account.id],
    )
    const { page, context, complaints } = await openConsole(
      browser,
      gateway.baseUrl,
      account.liveKey,
    )

    const card = (name: string) => page.getByRole('region', { name, exact: true })
    await card('When your credits run out')
      .getByText('Your credits will probably run out on')
      .waitFor()
    await card('When your credits run out').getByRole('figure', { name: 'Credits left' }).waitFor()
    await card('What runs out').getByText('24,000 available credits').waitFor()
    await card('What runs out').getByText('The account has used 82 % of its total budget').waitFor()
    await card('What runs out')
      .getByText(/^Visa ••4242 expires with/)
      .waitFor()
    await untilLoaded(page)
    await inspect(page, 'overview-forecast')
    await page.getByRole('link', { name: /^Overview\s*\(3 need attention\)$/ }).waitFor()

    await card('Needs attention').getByRole('link', { name: 'Rotate or extend the key' }).click()
    await page.waitForURL(`${gateway.baseUrl}/console/keys/${key.id}`)

    expect(complaints).toEqual([])
    await context.close()
  })

  test('Overview says of credits that end today that they last for less than a day', async () => {
    const { liveKey } = await busyAccount(60)
    const { page, context, complaints } = await openConsole(browser, gateway.baseUrl, liveKey)

    const stat = page.locator('.stat').filter({ hasText: 'Likely to last' })
    await stat.getByText('Less than a day').waitFor()

    expect(complaints).toEqual([])
    await context.close()
  })

  test('Overview says in one line that nothing needs attention', async () => {
    const { liveKey } = await busyAccount(10_000_000)
    const { page, context, complaints } = await openConsole(browser, gateway.baseUrl, liveKey)

    await page.getByText('Nothing needs your attention.').waitFor()
    await page.getByText('your credits last for more than a year').waitFor()
    await inspect(page, 'overview-calm')

    expect(complaints).toEqual([])
    await context.close()
  })
})
