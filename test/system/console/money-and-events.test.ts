import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type ConsolePage, inspect, openConsole } from '../../support/console/console-page.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { approve, registerApp } from '../../support/oauth/oauth-flow.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'
import {
  answering,
  createEndpoint,
  openReceiver,
  webhooksPath,
  webhookVariables,
} from '../../support/stubs/webhook-receiver.ts'
import { patience } from '../../support/time/patience.ts'

describe.runIf(browserPath)('the console', () => {
  let gateway: TestGateway
  let browser: Browser
  beforeAll(async () => {
    await buildConsole()
    gateway = await startTestGateway({ ...webhookVariables, WEBHOOK_RETRY_SECONDS: '0' })
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

  async function ok(answer: Promise<{ readonly status: number; readonly body: unknown }>) {
    const { status, body } = await answer
    expect([status, body]).toEqual([expect.toBeOneOf([200, 201, 202]), expect.anything()])
    return Object(body)
  }

  /** A reveal, which costs 5 credits. Returns the id of the request. */
  async function spend(key: string): Promise<string> {
    const answer = await gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, key)
    expect(answer.status).toBe(200)
    return String(answer.headers.get('x-request-id'))
  }

  /** A key of the account that can do no more than this. */
  async function keyWith(account: TestAccount, scopes: readonly string[]): Promise<string> {
    const { plaintext } = await ok(
      gateway.live.post('/v1/account/keys', { name: 'Reader', scopes }, account.liveKey),
    )
    return plaintext
  }

  const isDefault = (method: { default: boolean }) => method.default
  const row = (page: Page, table: string, text: string) =>
    page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: text })
  const press = (page: Page, name: string | RegExp) =>
    page.getByRole('button', { name, exact: typeof name === 'string' }).click()

  describe('Credits', () => {
    test('shows balance, lots and ledger, and a charge leads to its request', async () => {
      const account = await gateway.createAccount({ credits: 999_999_999_999 })
      const requestId = await spend(account.liveKey)
      const { page, open } = await signIn(account.liveKey)

      await open('credits')

      await page.getByText('999,999,999,994').first().waitFor()
      const charge = row(page, 'ledger entries', requestId)
      expect(await charge.getByRole('cell').allInnerTexts()).toEqual(
        [
          expect.any(String),
          ...['CHARGE', expect.stringContaining('reveal'), requestId, '-5', '999,999,999,994'],
        ].map((text) => (text === 'CHARGE' ? 'charge' : text)),
      )
      expect(
        await row(page, 'credits by expiry', 'never').getByRole('cell').allInnerTexts(),
      ).toEqual([...['grant', 'never', expect.any(String), '999,999,999,994', '999,999,999,999']])
      await inspect(page, 'credits')
      await charge.getByRole('link', { name: requestId }).click()
      await page.waitForURL(`**/console/logs?request=${requestId}`)
    })

    test('filters the ledger by kind, in the address, and back restores the page', async () => {
      const account = await gateway.createAccount({ credits: 100_000 })
      for (let spent = 0; spent < 27; spent += 1) await spend(account.liveKey)
      const { page, open } = await signIn(account.liveKey)
      const entries = page.getByRole('table', { name: 'ledger entries' }).getByRole('row')

      await open('credits?kind=grant')
      await vi.waitUntil(async () => (await entries.count()) === 2, patience)
      await open('credits?kind=charge')
      await vi.waitUntil(async () => (await entries.count()) === 26, patience)
      await page
        .getByRole('navigation', { name: /ledger/ })
        .getByRole('button', { name: 'Next' })
        .click()
      await vi.waitUntil(async () => (await entries.count()) === 3, patience)
      expect(page.url()).toContain('cursor=')
      await page.reload()
      await vi.waitUntil(async () => (await entries.count()) === 3, patience)
      await page.goBack()
      await vi.waitUntil(async () => (await entries.count()) === 26, patience)
    })

    // The page asks every 3.5 seconds. A browser that stands still meanwhile is tried again.
    test('shows a charge within five seconds while it is open', { retry: 2 }, async () => {
      const account = await gateway.createAccount({ credits: 500 })
      const { page, open } = await signIn(account.liveKey)
      await open('credits')
      await page.getByText('500').first().waitFor()

      const requestId = await spend(account.liveKey)

      await row(page, 'ledger entries', requestId).waitFor({ timeout: 5000 })
      await page.locator('.stat', { hasText: 'Available' }).getByText('495').first().waitFor()
    })

    test('says which scope is missing', async () => {
      const account = await gateway.createAccount()
      const { page, open } = await signIn(await keyWith(account, ['keys:read']))

      await open('credits')

      await page.getByText('lacks the scope account:read').first().waitFor()
      await inspect(page, 'credits-no-permission', { isBrief: true })
    })
  })

  describe('Billing', () => {
    test('leads a purchase to the page of the provider and back, and then shows credits, card and invoice', async () => {
      const account = await gateway.createAccount({ credits: 0 })
      const { page, open } = await signIn(account.liveKey)
      await open('billing')

      await press(page, /^Buy Starter/)
      await press(page, 'Continue to payment')
      await page.waitForURL('**/billing/simulated?**')
      await page.getByRole('button', { name: /^Pay/ }).click()
      await page.waitForURL('**/console/billing?checkout_id=pay_**')

      await page.getByText(/The payment has arrived: [\d,]+ credits are yours/).waitFor()
      await open('billing/payment')
      await page.getByText('••').first().waitFor()
      await row(page, 'payments', 'Starter package').getByText('purchase').waitFor()
      await inspect(page, 'billing-payment')
      await open('billing/invoices')
      const pdf = page.getByRole('link', { name: /^PDF of/ })
      const answer = page.context().waitForEvent('response', {
        predicate: (response) => response.url().endsWith('.pdf'),
      })
      const opened = page.context().waitForEvent('page')
      await pdf.click()
      expect([(await answer).status(), (await answer).headers()['content-type']]).toEqual([
        ...[200, 'application/pdf'],
      ])
      const { items } = await ok(gateway.live.get('/v1/billing/invoices', account.liveKey))
      expect(items).toHaveLength(1)
      expect(await pdf.getAttribute('href')).toBe(
        `${gateway.baseUrl}/v1/billing/invoices/${items[0].id}.pdf`,
      )
      await (await opened).close()
      await inspect(page, 'billing-invoices')
    })

    test('buys with the stored card, whose button names the total and the card before', async () => {
      const account = await gateway.createAccount({ credits: 0 })
      await ok(
        gateway.live.post(
          '/v1/billing/checkout',
          { package_id: 'pack_starter', payment_method: 'simulated' },
          account.liveKey,
        ),
      )
      const { page, open } = await signIn(account.liveKey)
      await open('billing')

      await press(page, /^Buy Growth/)
      const dialog = page.getByRole('dialog')
      await dialog.getByText('$45.00').first().waitFor()
      await inspect(page, 'billing-buy', { isBrief: true })
      await dialog.getByRole('button', { name: 'Pay $45.00 with Visa ••4242' }).click()
      await dialog.waitFor({ state: 'hidden' })

      await page.getByText('5,000 credits were added.').waitFor()
      const { available } = await ok(gateway.live.get('/v1/account/credits', account.liveKey))
      expect(available).toBe(6000)
    })

    test('changes the plan: up for the amount that the button names, down with the next period, and keeps it', async () => {
      const account = await gateway.createAccount({ subscriptionTier: 'pro_sub', credits: 7 })
      await ok(
        gateway.live.post(
          '/v1/billing/checkout',
          { package_id: 'pack_starter', payment_method: 'simulated' },
          account.liveKey,
        ),
      )
      const plans = () => ok(gateway.live.get('/v1/billing/plans', account.liveKey))
      const { page, open } = await signIn(account.liveKey)
      await open('billing')
      await inspect(page, 'billing')

      await press(page, 'Upgrade to Business')
      const dialog = page.getByRole('dialog')
      const pay = dialog.getByRole('button', { name: /^Pay \$1\d\d\.\d\d with Visa ••4242$/ })
      await pay.waitFor()
      await inspect(page, 'billing-upgrade', { isBrief: true })
      await pay.click()
      await dialog.waitFor({ state: 'hidden' })
      await page.getByText('You are on Business now.').waitFor()
      expect((await plans()).subscription.tier).toBe('business_sub')

      await press(page, 'Switch to Pro')
      await dialog.getByText('You pay nothing now.').waitFor()
      await dialog.getByRole('button', { name: 'Switch plan' }).click()
      await page.getByRole('button', { name: 'Keep Business' }).waitFor()
      expect((await plans()).pending_change.tier).toBe('pro_sub')
      await inspect(page, 'billing-scheduled', { isBrief: true })
      await press(page, 'Keep Business')
      await dialog.getByRole('button', { name: 'Keep plan' }).click()
      await dialog.waitFor({ state: 'hidden' })
      await vi.waitUntil(async () => (await plans()).pending_change === null, patience)

      await open('billing/payment')
      await row(page, 'payments', 'Upgrade to Business').getByText('plan change').waitFor()
    })

    test('makes another stored card the default, and deletes one', async () => {
      const account = await gateway.createAccount({ credits: 0 })
      const buy = (payment_method: string) =>
        ok(
          gateway.live.post(
            '/v1/billing/checkout',
            { package_id: 'pack_starter', payment_method },
            account.liveKey,
          ),
        )
      const cards = async () =>
        (await ok(gateway.live.get('/v1/billing/payment-methods', account.liveKey))).items
      await buy('simulated')
      await buy('simulated_slow')
      await vi.waitUntil(async () => (await cards()).length === 2, patience)
      const { page, open } = await signIn(account.liveKey)
      await open('billing/payment')

      const [former] = (await cards()).filter(isDefault)
      await press(page, /^Make .* the default$/)
      await vi.waitUntil(async () => (await cards()).find(isDefault).id !== former.id, patience)
      await press(page, `Delete Visa ••${former.last4}`)
      await page.getByText('is no longer charged').waitFor()
      await press(page, 'Delete card')

      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      expect(await cards()).toMatchObject([{ default: true }])
    })

    test('turns auto-recharge on with a cap, and shows the message of the API beside the input', async () => {
      const account = await gateway.createAccount({ credits: 50_000 })
      await ok(
        gateway.live.post(
          '/v1/billing/checkout',
          { package_id: 'pack_starter', payment_method: 'simulated' },
          account.liveKey,
        ),
      )
      const { page, open } = await signIn(account.liveKey)
      await open('billing/payment')

      await press(page, 'Turn on')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(/fewer credits/).fill('0')
      await dialog.getByRole('button', { name: 'Turn on' }).click()
      await dialog.getByText('must be at least 1').waitFor()
      await inspect(page, 'billing-auto-recharge', { isBrief: true })
      await dialog.getByLabel(/fewer credits/).fill('1,000')
      await dialog.getByLabel(/At most in a month/).fill('250.50')
      await dialog.getByRole('button', { name: 'Turn on' }).click()
      await dialog.waitFor({ state: 'hidden' })

      await page.getByText('$250.50').waitFor()
      await page.getByText(/Below 1,000 credits, you will pay \$10\.00 with Visa ••4242/).waitFor()
      const { auto_recharge } = await ok(gateway.live.get('/v1/account/billing', account.liveKey))
      expect(auto_recharge).toMatchObject({
        ...{ enabled: true, threshold_credits: 1000, monthly_cap_cents: 25_050 },
      })
    })

    test('says before which time auto-recharge buys nothing, and that a negative balance stops it', async () => {
      const account = await gateway.createAccount({ credits: 50_000 })
      const body = { enabled: true, threshold_credits: 100, package_id: 'pack_starter' }
      const options = { method: 'PATCH', body, key: account.liveKey }
      await ok(gateway.live.request('/v1/account/auto-recharge', options))
      await gateway.database.query(
        `UPDATE account.auto_recharge SET try_at = now() + interval '4 h' WHERE account_id = $1`,
        [account.id],
      )
      const { page, open } = await signIn(account.liveKey)
      await open('billing/payment')

      await page
        .getByText(/for 1,000 credits, not before \d+ \w+ \d{4}, \d\d:\d\d\. You have spent/)
        .waitFor()
      const input = { accountId: account.id, credits: -50_001, reason: 'Taken back' }
      await gateway.graphql(
        'mutation ($input: AdjustCreditsInput!) { adjustCredits(input: $input) { id } }',
        { input: { ...input, idempotencyKey: 'back', allowNegative: true } },
      )
      await page.reload()

      await page.getByText(/^Your balance is negative, so it buys nothing\./).waitFor()
    })

    test('cancels the subscription after it has named the consequences, and resumes it', async () => {
      const account = await gateway.createAccount()
      const { page, open } = await signIn(account.liveKey)
      const isCanceled = async () => {
        const { subscription } = await ok(gateway.live.get('/v1/account/overview', account.liveKey))
        return subscription.cancel_at_period_end
      }
      await open('billing')

      await press(page, 'Cancel plan')
      await page.getByRole('dialog').getByText('monthly credits').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Keep plan' }).waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel plan' }).click()
      await page.getByText('ends with the period').waitFor()
      expect(await isCanceled()).toBe(true)
      await press(page, 'Resume plan')
      await page.getByRole('button', { name: 'Cancel plan' }).waitFor()
      expect(await isCanceled()).toBe(false)
    })

    test('tracks a keyword and stops, and keeps billing details', async () => {
      const account = await gateway.createAccount()
      const { page, open } = await signIn(account.liveKey)
      await open('keywords')

      await press(page, 'Track a keyword')
      await page.getByRole('textbox', { name: 'Keyword' }).fill('running shoes')
      await page.getByRole('textbox', { name: 'Domain' }).fill('example.com')
      await press(page, 'Track keyword')
      await row(page, 'tracked keywords', 'running shoes').waitFor()
      await press(page, 'Stop tracking running shoes')
      await page.getByRole('dialog').getByRole('button', { name: 'Stop tracking' }).click()
      await page.getByText('No keyword is tracked').waitFor()

      await inspect(page, 'keywords', { isBrief: true })

      await open('billing/invoices')
      await press(page, 'Change the billing details')
      await page.getByLabel('Name').fill('Acme GmbH')
      await page.getByLabel('Street and number').fill('1 Road')
      await page.getByLabel('Postal code').fill('10115')
      await page.getByLabel('City').fill('Berlin')
      await page.getByLabel('Country').last().selectOption('DE')
      await page.getByLabel('Tax id').fill('nonsense')
      await press(page, 'Save')
      await page.getByRole('dialog').getByText(/VAT/).waitFor()
      await page.getByLabel('Tax id').fill('DE123456789')
      await press(page, 'Save')
      await page.getByText('1 Road, 10115 Berlin').waitFor()
      const details = await ok(gateway.live.get('/v1/billing/details', account.liveKey))
      expect(details).toMatchObject({ name: 'Acme GmbH', country: 'DE', tax_id: 'DE123456789' })
    })
  })

  describe('Webhooks', () => {
    test('adds an endpoint, shows its secret once and nowhere else, and sends a test', async () => {
      const account = await gateway.createAccount()
      const receiver = await openReceiver()
      onTestFinished(() => receiver.close())
      const { page, open } = await signIn(account.liveKey)
      await open('webhooks')
      await inspect(page, 'webhooks-empty', { isBrief: true })

      await press(page, 'Add endpoint')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Address').fill('ftp://example.com')
      await dialog.getByRole('button', { name: 'Add endpoint' }).click()
      await dialog.getByText(/https/).waitFor()
      await dialog.getByLabel('Address').fill(receiver.url)
      await dialog.getByLabel('Description').fill('Books')
      await dialog.getByRole('button', { name: 'Add endpoint' }).click()
      const secret = await dialog.getByText(/^whsec_/).innerText()
      await inspect(page, 'webhooks-secret', { isBrief: true })
      await press(page, 'I have stored it')

      expect(await page.content()).not.toContain(secret)
      const kept = await page.evaluate(() =>
        JSON.stringify([localStorage, sessionStorage, history.state]),
      )
      expect(kept).not.toContain(secret)
      await page.getByRole('link', { name: receiver.url }).click()
      await press(page, 'Send test event')
      await receiver.until('webhook.test')
      await row(page, 'deliveries', 'succeeded').waitFor()
    })

    test('shows attempts and payload, never the answer of the receiver, and resends one message and a time range', async () => {
      const account = await gateway.createAccount()
      const receiver = await openReceiver(answering(500, 500, 500, 500))
      onTestFinished(() => receiver.close())
      const endpoint = await createEndpoint(gateway, account.liveKey, receiver.url)
      for (let sent = 0; sent < 2; sent += 1) {
        await ok(
          gateway.live.post(`${webhooksPath}/${endpoint.id}/test`, undefined, account.liveKey),
        )
        await receiver.until('webhook.test', (sent + 1) * 2)
      }
      const { page, open } = await signIn(account.liveKey)
      await open(`webhooks/${endpoint.id}?status=failed`)
      const failed = row(page, 'deliveries', 'failed')
      await vi.waitUntil(async () => (await failed.count()) === 2, patience)
      await inspect(page, 'webhook-endpoint')

      await failed.first().getByRole('button', { name: 'webhook.test' }).click()
      const drawer = page.getByRole('dialog')
      await drawer.getByText('http 500').first().waitFor()
      await drawer.getByText(endpoint.id).waitFor()
      await inspect(page, 'webhook-delivery')
      await drawer.getByRole('button', { name: 'Resend' }).click()
      await receiver.until('webhook.test', 5)
      await drawer.getByRole('button', { name: 'Close' }).click()
      await vi.waitUntil(async () => (await failed.count()) === 1, patience)

      await press(page, 'Resend a time range')
      await page.getByRole('dialog').getByRole('button', { name: 'Resend' }).click()
      await page.getByText('1 message is sent again.').waitFor()
      await receiver.until('webhook.test', 6)
      await press(page, 'Done')
      await page.getByText('No delivery fits these filters.').waitFor()
    })

    test('rotates the secret, disables, and deletes only after its host was typed', async () => {
      const account = await gateway.createAccount()
      const { id, secret } = await createEndpoint(
        gateway,
        account.liveKey,
        'https://hooks.example.com/in',
      )
      const { page, open } = await signIn(account.liveKey)
      await open(`webhooks/${id}`)

      await press(page, 'Rotate secret')
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
      const rotated = await page.getByText(/^whsec_/).innerText()
      expect(rotated).not.toBe(secret)
      await press(page, 'I have stored it')
      await press(page, 'Disable')
      await page.getByText('never arrive there').waitFor()
      await press(page, 'Disable endpoint')
      await page.getByText('disabled', { exact: true }).waitFor()
      await press(page, 'Delete')
      const remove = page.getByRole('button', { name: 'Delete endpoint' })
      expect(await remove.isDisabled()).toBe(true)
      await page.getByLabel('To confirm').fill('hooks.example.com')
      await remove.click()

      await page.waitForURL('**/console/webhooks')
      await page.getByText('No endpoint yet').waitFor()
      const { items } = await ok(gateway.live.get(webhooksPath, account.liveKey))
      expect(items).toEqual([])
    })

    test('shows an example of each type of event', async () => {
      const account = await gateway.createAccount()
      const { page, open } = await signIn(account.liveKey)
      await open('webhooks')

      await press(page, /^credits\.low/)

      await page
        .getByLabel('Example of credits.low')
        .getByText('"threshold_credits": 1000')
        .waitFor()
    })
  })

  describe('Apps', () => {
    test('registers an app, shows its secret once, and suspends it after its name was typed', async () => {
      const account = await gateway.createAccount()
      const { page, open } = await signIn(account.liveKey)
      await open('apps')
      await inspect(page, 'apps-empty', { isBrief: true })

      await press(page, 'Register app')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Photo Box')
      await dialog.getByLabel('Redirect URIs').fill('http://photos.example/cb')
      await dialog.getByRole('button', { name: 'Register app' }).click()
      await dialog.getByText(/entry 1/i).waitFor()
      await dialog.getByLabel('Redirect URIs').fill('https://photos.example/cb')
      await dialog.getByRole('button', { name: 'Register app' }).click()
      await dialog.getByText('Client secret').waitFor()
      const [clientId = '', secret = ''] = await dialog.locator('code').allInnerTexts()
      expect(clientId).toMatch(/^app_/)
      await press(page, 'I have stored it')
      expect(await page.content()).not.toContain(secret)
      await row(page, 'apps', clientId).getByText('active').waitFor()
      await press(page, 'Suspend Photo Box')
      await page.getByLabel('To confirm').fill('Photo Box')
      await press(page, 'Suspend app')

      await row(page, 'apps', clientId).getByText('suspended').waitFor()
      const { items } = await ok(gateway.live.get('/v1/oauth/apps', account.liveKey))
      expect(items).toMatchObject([{ client_id: clientId, status: 'suspended' }])
    })

    test('gives a granted app a budget, and withdraws its access', async () => {
      const account = await gateway.createAccount()
      const app = await registerApp(gateway)
      await approve(gateway, app, { owner: account })
      const { page, open } = await signIn(account.liveKey)
      await open('apps')

      await press(page, 'Budget of Acme')
      await page.getByLabel('A month').fill('0')
      await press(page, 'Save budget')
      await page
        .getByRole('dialog')
        .getByText(/limit_credits|must be/)
        .first()
        .waitFor()
      await page.getByLabel('A month').fill('12,500')
      await press(page, 'Save budget')
      await page.getByText('12,500').waitFor()
      await inspect(page, 'apps')
      const list = () => ok(gateway.live.get('/v1/oauth/consents', account.liveKey))
      expect((await list()).items).toMatchObject([
        { client_id: app.clientId, budgets: [{ period: 'month', limit_credits: 12_500 }] },
      ])
      await press(page, 'Withdraw access of Acme')
      await page.getByText('stop working at once').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Withdraw access' }).click()
      await page.getByText('No app may act for this account').waitFor()
      expect((await list()).items).toEqual([])
    })
  })

  describe('Audit trail', () => {
    test('shows who changed what, filtered in the address, with its request', async () => {
      const account = await gateway.createAccount()
      await keyWith(account, ['account:read'])
      const { page, open } = await signIn(account.liveKey)
      await open('audit')

      await page.getByRole('combobox', { name: 'Action' }).click()
      await page.getByRole('option', { name: 'Create the key' }).click()
      await page.waitForURL('**action=key.create')
      const sentence = /created the key “Reader”$/
      const line = row(page, 'audit events', 'created the key “Reader”').first()
      await line.getByText('done').waitFor()
      await inspect(page, 'audit')
      await line.getByRole('button', { name: sentence }).click()
      await page.getByRole('dialog').getByRole('link', { name: /^req_/ }).waitFor()
      await inspect(page, 'audit-event', { isBrief: true })
    })

    test('exports the trail with its progress, and the file can be fetched', async () => {
      const account = await gateway.createAccount()
      const { page, open } = await signIn(account.liveKey)
      await open('audit')

      await press(page, 'Export')
      await press(page, 'Begin export')
      await row(page, 'exports', 'Audit trail').getByText('completed').waitFor()
      const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')])

      expect(file.suggestedFilename()).toMatch(/\.csv$/)
      const { 0: job } = await ok(gateway.live.get('/v1/account/audit/export', account.liveKey))
      expect(job).toMatchObject({ status: 'completed', filters: { kind: 'activity' } })
    })
  })
})
