import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type ConsolePage, inspect, openConsole } from '../../support/console/console-page.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { authorize, registerApp } from '../../support/oauth/oauth-flow.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'
import { patience } from '../../support/time/patience.ts'

const monthly = (limit_credits: number) => [{ period: 'month', limit_credits }]

describe.runIf(browserPath)('customers, keys and budgets in the console', () => {
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

  /** A browser in which this account has signed in. It must not complain about anything. */
  async function signIn(key: string): Promise<ConsolePage> {
    const opened = await openConsole(browser, gateway.baseUrl, key)
    onTestFinished(async () => {
      await opened.context.close()
      expect(opened.complaints).toEqual([])
    })
    return opened
  }

  async function issue(key: string, body: object): Promise<{ id: string; plaintext: string }> {
    const answer = await gateway.live.post('/v1/account/keys', body, key)
    expect(answer.status).toBe(201)
    return Object(answer.body)
  }

  async function budget(key: string, customer: string, budgets: object): Promise<void> {
    const path = `/v1/account/external-ids/${encodeURIComponent(customer)}/budgets`
    const { status } = await gateway.live.request(path, { method: 'PUT', key, body: { budgets } })
    expect(status).toBe(200)
  }

  /** Some reveals, which cost 5 credits each. */
  async function spend(key: string, calls: number): Promise<void> {
    for (let call = 0; call < calls; call += 1) {
      const answer = await gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, key)
      expect(answer.status).toBe(200)
    }
  }

  const row = (page: Page, table: string, text: string) =>
    page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: text })
  const layer = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

  test('task: a budgeted key for a customer', async () => {
    const account = await gateway.createAccount()
    const { page, open } = await signIn(account.liveKey)
    await open('keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    const form = page.getByRole('dialog', { name: 'Create an API key' })
    await form.getByLabel('Name').fill('Production of Acme')
    expect(await form.getByLabel('Call products').isChecked()).toBe(true)
    await form.getByLabel('Customer').fill('acme inc')
    await form.getByRole('button', { name: 'Add a budget' }).click()
    await form.getByLabel('Credits of the budget').fill('12')
    await form.getByRole('button', { name: 'Add metadata' }).click()
    await form.getByLabel('Name of the metadata').fill('plan')
    await form.getByLabel('Text of plan').fill('gold')
    await form.getByRole('button', { name: 'Create key' }).click()

    await form.getByText('must have 1 to 128 visible ASCII characters').waitFor()
    await form.getByLabel('Customer').fill('acme')
    await form.getByRole('button', { name: 'Create key' }).click()
    const secret = page.getByRole('dialog', { name: 'Your new API key' })
    const plaintext = await secret.locator('code').innerText()
    expect(await secret.locator('pre').innerText()).toBe(
      [
        `curl ${gateway.baseUrl}/v1/contacts/search \\`,
        `  -H 'Authorization: Bearer ${plaintext}' \\`,
        `  -H 'content-type: application/json' \\`,
        `  -d '{"query":"head of marketing","limit":3}'`,
      ].join('\n'),
    )
    const download = page.waitForEvent('download')
    await secret.getByRole('link', { name: 'Download gateway.env' }).click()
    const file = await download
    expect(file.suggestedFilename()).toBe('gateway.env')
    expect(readFileSync(await file.path(), 'utf8')).toBe(
      `GATEWAY_URL=${gateway.baseUrl}\nGATEWAY_API_KEY=${plaintext}\n`,
    )
    await inspect(page, 'new-key', { isBrief: true })
    await secret.getByRole('button', { name: 'I have stored it' }).click()

    await spend(plaintext, 2)
    const refused = await gateway.live.post(
      '/v1/contacts/reveal',
      { contact_id: 'con_1' },
      plaintext,
    )
    expect([refused.status, Object(refused.body).error.code]).toEqual([402, 'BUDGET_EXCEEDED'])
    await page.reload()
    const key = row(page, 'API keys', 'Production of Acme')
    await key.getByText(/10 of 12 a month/).waitFor()
    await inspect(page, 'keys')
    await key.getByRole('link', { name: 'acme', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'acme' }).waitFor()
    await row(page, 'errors', 'BUDGET_EXCEEDED').waitFor()
    const [stored] = await gateway.database.query<{ scopes: string[]; metadata: object }>(
      `SELECT scopes, metadata, external_id FROM keys.api_key WHERE account_id = $1 AND name LIKE 'Prod%'`,
      [account.id],
    )
    expect(stored).toEqual({
      ...{ scopes: expect.any(Array), metadata: { plan: 'gold' }, external_id: 'acme' },
    })
    expect(stored?.scopes.every((scope) => !/^(account|keys|billing):/.test(scope))).toBe(true)
  })

  test('task: who spends most, what the customer may spend, and a new limit after a proof', async () => {
    const account = await gateway.createAccount({ credits: 1000 })
    const [small, large] = [
      await issue(account.liveKey, { name: 'Small', external_id: 'a-small' }),
      await issue(account.liveKey, { name: 'Large', external_id: 'eu/large' }),
    ]
    await issue(account.liveKey, { name: 'New', external_id: 'b-new' })
    await budget(account.liveKey, 'eu/large', monthly(18))
    await budget(account.liveKey, 'a-small', monthly(50))
    await spend(small.plaintext, 1)
    await spend(large.plaintext, 3)
    const { page, open } = await signIn(account.liveKey)
    await open('customers')
    const rows = page.getByRole('table', { name: 'customers' }).getByRole('row')
    await vi.waitUntil(async () => {
      const texts = await rows.allInnerTexts()
      return /eu\/large\s+15 credits\s+15 of 18 a month/.test(texts[1] ?? '')
    }, patience)
    const inOrder = await rows.getByRole('link').allInnerTexts()
    expect(inOrder).toEqual(['eu/large', 'a-small', 'b-new'])
    await page.getByRole('figure', { name: 'Credits spent this month by customer' }).waitFor()
    await inspect(page, 'customers')
    await page.getByRole('textbox', { name: 'Search' }).fill('NEW')
    await rows.nth(2).waitFor({ state: 'detached' })
    expect(await rows.getByRole('link').allInnerTexts()).toEqual(['b-new'])
    await page.getByRole('textbox', { name: 'Search' }).fill('')

    await rows.getByRole('link', { name: 'eu/large' }).click()
    await page.getByRole('heading', { level: 1, name: 'eu/large' }).waitFor()
    await row(page, 'API keys', 'Large').waitFor()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'eu/large' }).waitFor()
    await inspect(page, 'customer')
    await gateway.database.query(
      `UPDATE oauth.session SET proven_at = now() - interval '1 day' WHERE account_id = $1`,
      [account.id],
    )
    await page.getByRole('button', { name: 'Edit budgets' }).click()
    const form = page.getByRole('dialog', { name: 'Budgets' })
    await form.getByLabel('Credits of the budget').fill('400')
    await inspect(page, 'budgets-form', { isBrief: true })
    const proof = page.getByRole('dialog', { name: 'Prove that it is you' })
    await form.getByRole('button', { name: 'Save budgets' }).click()
    await proof.getByLabel('API key', { exact: true }).fill(account.liveKey)
    await proof.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(/15 of 400 a month/).waitFor()
    const { body } = await gateway.live.get('/v1/account/external-ids/eu%2Flarge', account.liveKey)
    expect(body).toMatchObject({ budgets: [{ period: 'month', limit_credits: 400 }] })
  })

  test('task: disable a key and undo', async () => {
    const account = await gateway.createAccount()
    const { id, plaintext } = await issue(account.liveKey, { name: 'Old job' })
    await spend(plaintext, 2)
    const { page, open } = await signIn(account.liveKey)
    await open(`keys/${id}`)
    await page.getByRole('button', { name: 'Disable', exact: true }).click()
    const ask = page.getByRole('dialog', { name: 'Disable this key?' })
    await ask.getByText(/It was last used .*, and made 2 calls today/).waitFor()
    await inspect(page, 'disable-key', { isBrief: true })
    await ask.getByRole('button', { name: 'Disable' }).click()

    await page.getByText('“Old job” is disabled.').waitFor()
    await page.getByText('disabled', { exact: true }).waitFor()
    const refused = await gateway.live.get('/v1/account', plaintext)
    expect(refused.status).toBe(401)
    await inspect(page, 'disabled-key', { isBrief: true })
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()

    await page.getByText('The key is enabled again.').waitFor()
    expect(await page.getByText('“Old job” is disabled.').count()).toBe(0)
    expect((await gateway.live.get('/v1/account', plaintext)).status).toBe(200)
  })

  test('the budgets of all layers are shown where they bind', async () => {
    const account = await gateway.createAccount()
    const { id } = await issue(account.liveKey, {
      ...{ name: 'Bound', external_id: 'acme', budgets: [{ period: 'day', limit_credits: 7 }] },
    })
    await budget(account.liveKey, 'acme', monthly(70))
    const { page, open } = await signIn(account.liveKey)
    await open('credits')
    await layer(page, 'Budgets of the account').getByText('No budget.').waitFor()
    await page.getByRole('button', { name: 'Set a budget' }).click()
    const form = page.getByRole('dialog', { name: 'Budgets of the account' })
    await form.getByRole('button', { name: 'Add a budget' }).click()
    await form.getByLabel('Credits of the budget').fill('700')
    await form.getByRole('button', { name: 'Save budgets' }).click()
    await layer(page, 'Budgets of the account').getByText('0 of 700 a month').waitFor()
    await inspect(page, 'account-budgets')

    await open(`keys/${id}`)
    await layer(page, 'This key').getByText('0 of 7 a day').waitFor()
    await layer(page, 'All keys of the customer').getByText('0 of 70 a month').waitFor()
    await layer(page, 'All calls of the account').getByText('0 of 700 a month').waitFor()
    await inspect(page, 'key-budgets')
    await open('customers/acme')
    await layer(page, 'All calls of the account').getByText('0 of 700 a month').waitFor()
  })

  test('a budget shows beside what is used what calls in progress may still cost', async () => {
    const account = await gateway.createAccount()
    const { id } = await issue(account.liveKey, { name: 'Busy', budgets: monthly(100) })
    await gateway.database.query(
      'UPDATE account.budget SET used = 50, held = 50 WHERE account_id = $1',
      [account.id],
    )
    const { page, open } = await signIn(account.liveKey)
    await open(`keys/${id}`)
    const own = layer(page, 'This key')
    await own.getByText('50 of 100 a month, 50 in progress').waitFor()
    const widths = await own
      .locator('.spend-bar > div')
      .evaluateAll((parts) => parts.map((part) => part.style.width))
    expect(widths).toEqual(['50%', '50%'])
    await inspect(page, 'held-budget')
  })

  test('Usage and Logs are filtered and grouped by customer', async () => {
    const account = await gateway.createAccount()
    const { plaintext } = await issue(account.liveKey, { name: 'Acme', external_id: 'acme' })
    await spend(plaintext, 1)
    await spend(account.liveKey, 2)
    const { page, open } = await signIn(account.liveKey)
    await open('usage?group=customer')
    const parts = page.getByRole('table', { name: 'Usage by customer' }).getByRole('row')
    await vi.waitUntil(async () => {
      const texts = await parts.allInnerTexts()
      return texts.length === 3 && /Without a customer\s+10/.test(texts[1] ?? '')
    }, patience)
    await page.getByLabel('Customer').first().click()
    await page.getByRole('option', { name: 'acme' }).click()
    await vi.waitUntil(async () => (await parts.count()) === 2, patience)
    expect(new URL(page.url()).search).toBe('?group=customer&customer=acme')
    await inspect(page, 'usage-of-customer', { isBrief: true })

    await open('logs?customer=acme')
    await row(page, 'requests', 'contacts/reveal').waitFor()
    const requests = page.getByRole('table', { name: 'requests' }).getByRole('row')
    expect(await requests.count()).toBe(2)
    await requests.getByRole('link', { name: 'acme' }).waitFor()
    await inspect(page, 'logs-of-customer', { isBrief: true })
    await page.getByText('By customer').click()
    const callers = page.getByRole('table', { name: 'requests by customer' })
    expect(await callers.getByRole('row').nth(1).innerText()).toMatch(/acme\s+1\s+5\s+100/)
    await page.getByLabel('Clear Customer').click()
    await callers.getByText('Without a customer').waitFor()
    await inspect(page, 'logs-by-customer', { isBrief: true })
    await callers.getByRole('button', { name: 'acme' }).click()
    await page.waitForURL('**/console/logs?customer=acme')
  })

  test('Usage and Logs are filtered and grouped by app, which is shown by its name', async () => {
    const account = await gateway.createAccount()
    const app = await registerApp(gateway)
    const { accessToken } = await authorize(gateway, app, {
      ...{ owner: account, scope: 'contacts:write' },
    })
    const answer = await gateway.live.post(
      '/v1/contacts/reveal',
      { contact_id: 'con_1' },
      accessToken,
    )
    expect(answer.status).toBe(200)
    const { page, open } = await signIn(account.liveKey)
    await open('usage?group=app')
    const parts = page.getByRole('table', { name: 'Usage by app' })
    await parts.getByRole('cell', { name: 'Acme' }).waitFor()
    await page.getByLabel('App', { exact: true }).first().click()
    await page.getByRole('option', { name: 'Acme' }).click()
    await page.waitForURL(`**/console/usage?group=app&app=${app.clientId}`)
    await open('logs?view=app')
    await page
      .getByRole('table', { name: 'requests by app' })
      .getByRole('button', { name: 'Acme' })
      .click()
    await page.waitForURL(`**/console/logs?app=${app.clientId}`)
    await row(page, 'requests', 'contacts/reveal').waitFor()
    expect(await page.getByLabel('App', { exact: true }).first().inputValue()).toBe('Acme')
    await page.getByRole('button', { name: 'contacts/reveal' }).click()
    const drawer = page.getByRole('dialog', { name: 'Request' })
    await drawer.getByRole('link', { name: 'Acme' }).waitFor()
    await inspect(page, 'request-of-app', { isBrief: true })
    await page.keyboard.press('Escape')

    // Whoever comes from another page has the address only.
    await open(`usage?app=${app.clientId}`)
    const chosen = page.getByLabel('App', { exact: true }).first()
    await vi.waitUntil(async () => (await chosen.inputValue()) === 'Acme', patience)
  })

  test('Usage and Logs show the name of a key that its own page leads from', async () => {
    const account = await gateway.createAccount()
    const { id, plaintext } = await issue(account.liveKey, { name: 'Warehouse' })
    await spend(plaintext, 1)
    const { page, open } = await signIn(account.liveKey)
    await open(`keys/${id}`)
    await page.getByRole('link', { name: 'Usage' }).last().click()
    await page.waitForURL(`**/console/usage?key=${id}`)
    const chosen = page.getByLabel('API key').first()
    const label = `Warehouse …${plaintext.slice(-4)}`
    await vi.waitUntil(async () => (await chosen.inputValue()) === label, patience)
    await open(`logs?key=${id}`)
    await vi.waitUntil(async () => (await chosen.inputValue()) === label, patience)
  })

  test('Usage by API key: more than 50 keys have all others as one row, which opens Logs without a key', async () => {
    const account = await gateway.createAccount()
    for (let index = 0; index < 51; index += 1) {
      const { plaintext } = await gateway.createKey(account.id, { name: `Key ${index}` })
      expect((await gateway.live.get('/v1/account', plaintext)).status).toBe(200)
    }
    // So many newer keys that one page of a list does not have those that were used.
    await gateway.database.query(
      `INSERT INTO keys.api_key
        (id, account_id, environment, name, prefix, last4, secret_hash, scopes, created_by, spender_id)
       SELECT id, $1, 'live', 'New', 'svc_live_', 'ABCD', $1 || n, '{*}', 'internal:cli', id
       FROM generate_series(1, 200) AS n, concat('key_7', lpad(n::text, 25, 'z')) AS id`,
      [account.id],
    )
    const { page, open } = await signIn(account.liveKey)
    await open('usage?group=key&show=requests')
    const table = page.getByRole('table', { name: 'Usage by key' })
    await vi.waitUntil(async () => (await table.getByRole('row').count()) === 52, patience)
    await page.getByText('All others').first().waitFor()
    const named = table.getByText(/^(?:Key \d+|First key) …/)
    await vi.waitUntil(async () => (await named.count()) === 20, patience)
    expect(await table.getByText(/^API key …[0-9a-z]{6}$/).count()).toBe(30)
    expect(await table.getByText('key_').count()).toBe(0)
    await table.getByRole('button', { name: 'All others' }).click()
    await page.waitForURL('**/console/logs?span=30d')
    await row(page, 'requests', '/v1/account').first().waitFor()
  })

  test('the scopes of a key are chosen by its purpose, or one by one with endpoints and prices', async () => {
    const account = await gateway.createAccount()
    const { page, open } = await signIn(account.liveKey)
    await open('keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    const form = page.getByRole('dialog', { name: 'Create an API key' })
    await form.getByLabel('Name').fill('Dashboards')
    await form.getByLabel('Read dashboards').check()
    await form.getByText('Choose scopes yourself').click()
    expect(await form.getByLabel('usage:read').isChecked()).toBe(true)
    expect(await form.getByLabel('contacts:read').isChecked()).toBe(false)
    await form.getByText('Endpoints and prices of Contact Finder').click()
    await form.getByText('POST /v1/contacts/search').waitFor()
    await form.getByText(/write, 1 credit per .*\(max\. 25\)/).waitFor()
    await inspect(page, 'key-scopes')
    await form.getByRole('button', { name: 'Create key' }).click()

    await page.getByRole('dialog', { name: 'Your new API key' }).waitFor()
    const [stored] = await gateway.database.query<{ scopes: string[] }>(
      `SELECT scopes FROM keys.api_key WHERE account_id = $1 AND name = 'Dashboards'`,
      [account.id],
    )
    expect(stored?.scopes).toEqual([
      ...['account:read', 'billing:read', 'usage:read', 'audit:read', 'keys:read', 'oauth:read'],
      'webhooks:read',
    ])
  })
})
