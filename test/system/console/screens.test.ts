import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ConsoleBrowser,
  keptBy,
  mostAtOnce,
  openBrowser,
  signIn,
} from '../../support/console/console-browser.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { callTool, failureOf } from '../../support/mcp/mcp.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'

const kB = 1000

describe.runIf(browserPath)('the screens of the console', () => {
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

  async function reveal(
    { liveKey }: Pick<TestAccount, 'liveKey'>,
    contactId = 'con_5f1e0c7a9b3d2e48',
  ) {
    const answer = await gateway.live.post(
      '/v1/contacts/reveal',
      { contact_id: contactId },
      liveKey,
    )
    expect(answer.status).toBe(200)
    return Object(answer.body)
  }

  /** A browser that is signed in, on a screen. */
  async function visit(path: string, account: TestAccount): Promise<ConsoleBrowser> {
    const opened = await openBrowser(browser, [gateway.baseUrl, gateway.sandbox.url])
    await opened.page.goto(`${gateway.baseUrl}/console${path}`)
    await signIn(opened.page, account.liveKey)
    return opened
  }

  const stat = (page: Page, name: string) =>
    page
      .locator('.stat')
      .filter({ has: page.getByText(name, { exact: true }) })
      .locator('dd')

  test('sign-in page and Overview send at most 180 kB of script, charts apart', async () => {
    const account = await gateway.createAccount()
    const { page, context } = await openBrowser(browser, [gateway.baseUrl])
    const sizes: Promise<readonly [string, number]>[] = []
    page.on('response', (response) => {
      if (response.request().resourceType() !== 'script') return
      const name = new URL(response.url()).pathname
      sizes.push(
        response
          .request()
          .sizes()
          .then(({ responseBodySize }) => [name, responseBodySize]),
      )
    })
    const total = async () => {
      const found = await Promise.all(sizes)
      const counted = found.filter(([name]) => !/\/series-chart-/.test(name))
      return counted.reduce((sum, [, size]) => sum + size, 0)
    }

    await page.goto(`${gateway.baseUrl}/console`)
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    const atDoor = await total()
    await signIn(page, account.liveKey)
    await page.getByText('1,000').first().waitFor()
    await page.waitForLoadState('networkidle', { timeout: 1000 }).catch(() => null)
    const onOverview = await total()

    expect(atDoor).toBeGreaterThan(50 * kB)
    expect([atDoor, onOverview].map((size) => size <= 180 * kB)).toEqual([true, true])
    await context.close()
  })

  test('Overview asks little: at most 12 requests, 4 at once, none twice within 1.5 seconds', async () => {
    const account = await gateway.createAccount()
    await reveal(account)
    const opened = await visit('', account)
    await opened.page.getByText('Nothing failed in the last 7 days.').waitFor()
    await opened.page.close()
    const again = await opened.context.newPage()
    const before = opened.calls.length
    await again.goto(`${gateway.baseUrl}/console`)
    await again.getByText('Nothing failed in the last 7 days.').waitFor()
    const { calls } = { calls: opened.calls.slice(before) }

    expect(calls.length).toBeLessThanOrEqual(12)
    expect(mostAtOnce(calls)).toBeLessThanOrEqual(4)
    for (const call of calls) {
      const twin = calls.find(
        (one) =>
          one !== call && one.path === call.path && Math.abs(one.beganMs - call.beganMs) < 1500,
      )
      expect([call.path, twin]).toEqual([call.path, undefined])
    }
    expect(opened.complaints).toEqual([])
    await opened.context.close()
  })

  test('Overview shows a first call, its charge, the rest of the balance and what failed', async () => {
    const account = await gateway.createAccount({ credits: 1_234_567 })
    const { page, context, complaints } = await visit('', account)
    await page.getByText('1,234,567').first().waitFor()
    await page.getByRole('heading', { name: 'Make the first call' }).waitFor()
    await stat(page, 'Likely to last').getByText('–').waitFor()
    await page.getByText('Make your first call with an API key: to do').waitFor()

    await reveal(account)
    await page.getByText('1,234,562').first().waitFor()
    await page.getByText('Make your first call with an API key: done').waitFor()
    await stat(page, 'Spent this month').getByText('5', { exact: true }).waitFor()

    const refused = await gateway.live.post('/v1/contacts/reveal', {}, account.liveKey)
    expect(refused.status).toBe(422)
    await page.reload()
    await page.getByRole('link', { name: /contacts\/reveal/ }).waitFor()
    await stat(page, 'Error rate')
      .getByText(/^33.3\s%$/)
      .waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  test('Usage: filters are in the address and narrow totals, table and export together', async () => {
    const account = await gateway.createAccount()
    await reveal(account)
    await reveal(account)
    const found = await gateway.live.post(
      '/v1/contacts/search',
      { query: 'x', limit: 3 },
      account.liveKey,
    )
    expect(found.status).toBe(200)
    const opened = await visit('/usage', account)
    const { page, context, complaints } = opened
    await stat(page, 'Credits').getByText('13', { exact: true }).waitFor()

    await page.getByLabel('Group by').first().click()
    await page.getByRole('option', { name: 'endpoint' }).click()
    await page
      .getByRole('cell', { name: 'POST /v1/contacts/reveal' })
      .or(page.getByRole('cell', { name: '/v1/contacts/reveal' }))
      .first()
      .waitFor()
    await page.getByLabel('Service').first().click()
    await page.getByRole('option', { name: 'SEO' }).click()
    await page.getByText('No requests match these filters in this time.').waitFor()
    expect(new URL(page.url()).search).toBe('?group=endpoint&service=seo')
    await page.goBack()
    await stat(page, 'Credits').getByText('13', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Export CSV' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download' }).click()
    expect((await download).suggestedFilename()).toMatch(/\.csv$/)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('Logs: a failed call says first why it failed and what to do, and request_log_url leads there', async () => {
    const account = await gateway.createAccount({ credits: 3 })
    const ask = (path: string, body: object) => gateway.live.post(path, body, account.liveKey)
    const poor = await ask('/v1/contacts/reveal', { contact_id: 'con_1' })
    const wrong = await ask('/v1/contacts/reveal', {})
    expect([poor.status, wrong.status]).toEqual([402, 422])
    const { request_log_url: url } = Object(poor.body).error
    const opened = await visit(url.replace(`${gateway.baseUrl}/console`, ''), account)
    const { page, context, complaints } = opened
    const why = page.getByRole('region', { name: 'What went wrong' })

    await why.getByText('The available credits did not cover').waitFor()
    await why.getByText('3 credits').waitFor()
    const link = why.getByRole('link', { name: 'About INSUFFICIENT_CREDITS' })
    expect(await link.getAttribute('href')).toBe(
      `${gateway.baseUrl}/docs/errors/INSUFFICIENT_CREDITS`,
    )
    await why.getByRole('link', { name: 'Buy credits' }).click()
    await page.waitForURL('**/console/billing')

    const found = Object(wrong.body).error.request_log_url
    await page.goto(found)
    await why.getByText('contact_id').waitFor()
    await why.getByText('is missing').waitFor()
    await page.getByText('The log keeps neither the query nor the body').waitFor()

    await page.goto(`${gateway.baseUrl}/console/logs?error=INVALID_REQUEST`)
    const rows = page.getByRole('table', { name: 'requests' }).getByRole('row')
    await rows.nth(1).waitFor()
    expect(await rows.count()).toBe(2)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('Logs: a call of a tool that its own max_credits refused says so, and leads to no budget', async () => {
    const account = await gateway.createAccount({ credits: 100 })
    const input = { contact_id: 'con_1', max_credits: 4 }
    const refused = await callTool(gateway.live, account.liveKey, 'contacts_reveal_contact', input)
    expect(failureOf(refused)).toMatchObject({ status: 402, code: 'BUDGET_EXCEEDED' })
    const { page, context, complaints } = await visit('/logs', account)
    await page.getByRole('button', { name: 'contacts/reveal' }).click()
    const why = page.getByRole('region', { name: 'What went wrong' })

    await why.getByText('The max_credits of the call').waitFor()
    await why.getByText('4 credits').waitFor()
    await why.getByText('Send a higher max_credits, or ask for less at once.').waitFor()
    expect(await why.getByRole('link').allTextContents()).toEqual(['About BUDGET_EXCEEDED'])
    expect(complaints).toEqual([])
    await context.close()
  })

  test('Logs: the newest requests come by themselves, one opens with its ledger entry, and back restores the page', async () => {
    const account = await gateway.createAccount()
    for (let call = 0; call < 60; call += 1) await reveal(account)
    const opened = await visit('/logs', account)
    const { page, context, complaints } = opened
    const rows = page.getByRole('table', { name: 'requests' }).getByRole('row')
    await rows.nth(50).waitFor()

    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('button', { name: 'First page' }).waitFor()
    expect(page.url()).toContain('cursor=')
    await page.getByRole('button', { name: 'Previous' }).click()
    await page.getByRole('button', { name: 'First page' }).waitFor({ state: 'detached' })

    await page
      .getByRole('button', { name: /contacts\/reveal/ })
      .first()
      .click()
    const drawer = page.getByRole('dialog', { name: 'Request' })
    await drawer.getByText(/^-5 credits/).waitFor()
    expect(await drawer.getByText(/^req_/).first().isVisible()).toBe(true)
    expect(await drawer.locator('pre').innerText()).toContain(
      `curl -X POST '${gateway.baseUrl}/v1/contacts/reveal'`,
    )
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })

    await page.getByLabel('Auto-refresh', { exact: true }).check()
    const missing = await gateway.live.post('/v1/contacts/reveal', {}, account.liveKey)
    expect(missing.status).toBe(422)
    await rows.getByText('422').first().waitFor()
    await page.getByText('Errors', { exact: true }).click()
    await page.getByRole('table', { name: 'errors' }).getByText('422').waitFor()
    expect(
      opened.calls
        .filter(({ path }) => path.includes('/usage/log'))
        .every(({ path }) => path.includes('source=key%2Ctoken')),
    ).toBe(true)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('Keys: one is created, shown once, changed, rotated and revoked', async () => {
    const account = await gateway.createAccount()
    const opened = await visit('/keys', account)
    const { page, context, complaints } = opened
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('Nightly job')
    await page.getByText('Choose scopes yourself').click()
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.getByLabel('contacts:read').check()
    await page.getByRole('button', { name: /^Add my address/ }).click()
    await page.getByRole('button', { name: 'Add a budget' }).click()
    await page.getByLabel('Credits of the budget').fill('25000')
    await page.getByRole('button', { name: 'Create key' }).last().click()

    const secret = page.getByRole('dialog', { name: 'Your new API key' })
    const plaintext = await secret.locator('code').innerText()
    expect(plaintext).toMatch(/^svc_live_/)
    await secret.getByRole('button', { name: 'I have stored it' }).click()
    expect(await page.content()).not.toContain(plaintext)
    expect(await keptBy(opened)).not.toContain(plaintext)
    const stored = await gateway.database.query<{ scopes: string[] }>(
      `SELECT scopes FROM keys.api_key WHERE account_id = $1 AND name = 'Nightly job'`,
      [account.id],
    )
    expect(stored).toEqual([{ scopes: ['contacts:read'] }])

    await page.getByRole('link', { name: 'Nightly job' }).click()
    await page.getByRole('heading', { level: 1, name: 'Nightly job' }).waitFor()
    await page.getByText(/0 of 25,000 a month/).waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Name').fill('Nightly job of March')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Nightly job of March' }).waitFor()

    await page.getByRole('button', { name: 'Rotate' }).click()
    await page.getByRole('button', { name: 'Replace' }).click()
    await page
      .getByRole('dialog', { name: 'Your new API key' })
      .getByRole('button', { name: 'I have stored it' })
      .click()
    await page.getByText('Replaced by').waitFor()

    await page.getByRole('button', { name: 'Revoke' }).click()
    const ask = page.getByRole('dialog', { name: 'Revoke this key?' })
    expect(await ask.getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(true)
    await ask.getByRole('textbox').fill('Nightly job of March')
    await ask.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('revoked', { exact: true }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  test('Keys: a refusal of the API is shown beside its input, and no input is lost', async () => {
    const account = await gateway.createAccount()
    const { page, context } = await visit('/keys', account)
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('Wrong address')
    await page.getByLabel('Allowed addresses').first().fill('nowhere')
    await page.getByRole('button', { name: 'Create key' }).last().click()

    await page.getByText('entry 1 is not an address or CIDR block').waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Wrong address')
    expect(await page.getByRole('alert').getByText(/^req_/).isVisible()).toBe(true)
    await context.close()
  })

  test('Settings: sessions are listed and ended, and the theme stays chosen', async () => {
    const account = await gateway.createAccount()
    const one = await visit('/settings', account)
    const other = await visit('/settings', account)
    const { page } = other
    const rows = page.getByRole('table', { name: 'sessions' }).getByRole('row')
    await rows.nth(2).waitFor()
    await page.getByRole('button', { name: 'End all others' }).click()
    await page.getByRole('button', { name: 'End them' }).click()
    await rows.nth(2).waitFor({ state: 'detached' })
    await one.page.getByText('Your session has ended.').waitFor()

    await page.getByText('Dark', { exact: true }).click()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark')
    expect([...one.complaints, ...other.complaints]).toEqual([])
    await one.context.close()
    await other.context.close()
  })

  test('Settings: a reset of the sandbox names its consequences, and shows the new key once', async () => {
    const account = await gateway.createAccount()
    const { page, context, complaints } = await visit('/settings', account)
    await page.getByRole('button', { name: 'Reset', exact: true }).click()
    const ask = page.getByRole('dialog', { name: 'Reset the sandbox?' })
    await ask.getByRole('textbox').fill('reset')
    await ask.getByRole('button', { name: 'Reset' }).click()
    const secret = page.getByRole('dialog', { name: 'Your new sandbox key' })
    const plaintext = await secret.locator('code').innerText()

    const old = await gateway.sandbox.get('/v1/account', account.sandboxKey)
    const fresh = await gateway.sandbox.get('/v1/account', plaintext)
    expect([old.status, fresh.status]).toEqual([401, 200])
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a key without a scope sees which one it lacks, and the screen makes no request', async () => {
    const account = await gateway.createAccount()
    const key = await gateway.createKey(account.id, { scopes: ['account:read'] })
    const { page, context, calls } = await visit('/keys', { ...account, liveKey: key.plaintext })

    await page.getByText('lacks the scope keys:read').waitFor()
    expect(calls.filter(({ path }) => path.startsWith('/v1/account/keys'))).toEqual([])
    await page.getByRole('link', { name: 'Logs' }).click()
    await page.getByText('lacks the scope usage:read').waitFor()
    await context.close()
  })

  test('everything can be reached by keyboard: skip link, navigation, a row of a list', async () => {
    const account = await gateway.createAccount()
    const { page, context } = await visit('/keys', account)
    await page.getByRole('table', { name: 'API keys' }).waitFor()
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the screen')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('screen')
    for (let presses = 0; presses < 12; presses += 1) {
      await page.keyboard.press('Tab')
      if (await page.evaluate(`document.activeElement.matches('.row-link')`)) break
    }
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Revoke' }).waitFor()
    await context.close()
  })
})
