import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, signIn } from '../../support/console/console-browser.ts'
import { fillUsageLog, sumUsageLog } from '../../support/database/usage-rows.ts'
import { rounds } from '../../support/extent/extent.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'

const keys = rounds('CONSOLE_KEYS', { all: 1000, nightly: 10_000 })
const requests = rounds('CONSOLE_REQUESTS', { all: 10_000, nightly: 1_000_000 })

describe.runIf(browserPath)('the console of a large account', () => {
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

  test(`shows the first page of ${keys} keys with one request`, async () => {
    const { id, liveKey } = await gateway.createAccount()
    await gateway.database.query(
      `INSERT INTO keys.api_key
        (id, account_id, environment, name, prefix, last4, secret_hash, scopes, created_by, spender_id)
       SELECT id, $1, 'live', 'Key ' || n, 'svc_live_', 'ABCD', $1 || n, '{*}', 'internal:cli', id
       FROM generate_series(1, $2::int) AS n, lpad(n::text, 26, '0') AS digits, concat('key_', digits) AS id`,
      [id, keys],
    )
    const { page, context, calls, complaints } = await openBrowser(browser, [gateway.baseUrl])
    await page.goto(`${gateway.baseUrl}/console/keys`)
    await signIn(page, liveKey)
    const rows = (name: string) => page.getByRole('table', { name }).getByRole('row')
    await rows('API keys').nth(25).waitFor()

    expect(calls.filter(({ path }) => path.startsWith('/v1/account/keys'))).toHaveLength(1)
    expect(complaints).toEqual([])
    await context.close()
  })

  test(`shows the first page of ${requests} requests with one request`, async () => {
    // The sums of this gateway are made of the whole log, so its log has nothing else in it.
    const own = await startTestGateway()
    const { id, liveKey } = await own.createAccount()
    const { ownerUrl } = own.database
    await fillUsageLog({ ownerUrl, accountId: id, rows: requests, months: 3, keys: 10 })
    await sumUsageLog(ownerUrl)
    const { page, context, calls, complaints } = await openBrowser(browser, [own.baseUrl])
    await page.goto(`${own.baseUrl}/console/logs`)
    await signIn(page, liveKey)
    const rows = page.getByRole('table', { name: 'requests' }).getByRole('row')
    await rows.nth(25).waitFor()

    const [first, ...later] = calls.filter(({ path }) => path.startsWith('/v1/account/usage/log'))
    expect(first?.status).toBe(200)
    // After four seconds the page asks again, for the same.
    for (const { path, beganMs } of later) {
      expect(path).toBe(first?.path)
      expect(beganMs - (first?.beganMs ?? 0)).toBeGreaterThan(3000)
    }
    expect(complaints).toEqual([])
    await context.close()
    await own.close()
  })
})
