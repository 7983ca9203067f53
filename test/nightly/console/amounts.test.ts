import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ConsolePage, inspect, openConsole } from '../../support/console/console-page.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { approve, registerApp } from '../../support/oauth/oauth-flow.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'

describe.runIf(browserPath)('amounts that people type into the console', () => {
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

  async function signIn(key: string, locale: string): Promise<ConsolePage> {
    const opened = await openConsole(browser, gateway.baseUrl, key, { locale })
    onTestFinished(async () => {
      await opened.context.close()
      expect(opened.complaints).toEqual([])
    })
    return opened
  }

  async function read(path: string, key: string) {
    const { status, body } = await gateway.live.get(path, key)
    expect([path, status]).toEqual([path, 200])
    return Object(body)
  }

  /** Types an amount that must be refused: presses the button, and sees the message. */
  async function expectRefused(input: Locator, text: string, message: RegExp, button: Locator) {
    await input.fill(text)
    await button.click()
    const describing = (await input.getAttribute('aria-describedby')) ?? ''
    const id = describing.split(' ').find((one) => one.endsWith('-error'))
    const said = input.page().locator(`[id="${id}"]`)
    await said.filter({ hasText: message }).waitFor()
  }

  async function openRecharge(locale: string) {
    const account = await gateway.createAccount({ credits: 50_000 })
    const bought = await gateway.live.post(
      '/v1/billing/checkout',
      { package_id: 'pack_starter', payment_method: 'simulated' },
      account.liveKey,
    )
    expect(bought.status).toBe(201)
    const opened = await signIn(account.liveKey, locale)
    await opened.open('billing/payment')
    await opened.page.getByRole('button', { name: 'Turn on' }).click()
    const dialog = opened.page.getByRole('dialog')
    const changes = () => opened.calls.filter(({ method }) => method !== 'GET')
    return { ...opened, account, dialog, changes, sent: changes().length }
  }

  test.each([
    ['en-US', '1,000', '200.50', '= 1,000 credits', '= $200.50'],
    ['de-DE', '1.000', '200,50', '= 1.000 credits', '= 200,50\u00a0$'],
    ['fr-FR', '1 000', '200,50', '= 1\u202f000 credits', '= 200,50\u00a0$US'],
    ['en-IN', '1,000', '$200.50', '= 1,000 credits', '= $200.50'],
    ['ar-EG', '١٬٠٠٠', '٢٠٠٫٥٠', '= ١٬٠٠٠ credits', /٢٠٠٫٥٠/],
  ])(
    'auto-recharge in %s: %s credits and a cap of %s are shown as understood, and set',
    async (locale, credits, cap, shownCredits, shownCap) => {
      const { page, dialog, account } = await openRecharge(locale)
      await dialog.getByLabel(/fewer credits/).fill(credits)
      await dialog.getByLabel(/At most in a month/).fill(cap)
      await dialog.getByText(shownCredits).waitFor()
      await dialog.getByText(shownCap).waitFor()
      if (locale === 'en-US') await inspect(page, 'amounts-understood', { isBrief: true })
      await dialog.getByRole('button', { name: 'Turn on' }).click()
      await dialog.waitFor({ state: 'hidden' })

      const { auto_recharge } = await read('/v1/account/billing', account.liveKey)
      const set = { enabled: true, threshold_credits: 1000, monthly_cap_cents: 20_050 }
      expect(auto_recharge).toMatchObject(set)

      await page.getByRole('button', { name: 'Change', exact: true }).click()
      await dialog.getByText(shownCap).waitFor()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'hidden' })
      const kept = await read('/v1/account/billing', account.liveKey)
      expect(kept.auto_recharge).toMatchObject(set)
    },
  )

  test.each([
    ['en-US', '1,000', ['200,50', '1.000', '1,00', '1e3', '0x10', '-5', '€5', '1.2345']],
    ['de-DE', '1.000', ['200.50', '1,000', '1.00', '1e3', '0x10', '-5', '£5', '1,2345']],
  ])(
    'auto-recharge in %s: an unclear cap is refused with how to write it, and nothing is sent',
    async (locale, credits, unclear) => {
      const { page, dialog, account, changes, sent } = await openRecharge(locale)
      const button = dialog.getByRole('button', { name: 'Turn on' })
      await dialog.getByLabel(/fewer credits/).fill(credits)
      for (const text of unclear) {
        const message = /Write |such as |negative/
        await expectRefused(dialog.getByLabel(/At most in a month/), text, message, button)
      }
      if (locale === 'en-US') await inspect(page, 'amounts-unclear', { isBrief: true })
      await dialog.getByLabel(/At most in a month/).fill('')
      for (const text of ['1e3', '0x10', '1.5', '12,00', '-1']) {
        await expectRefused(
          dialog.getByLabel(/fewer credits/),
          text,
          /such as |Write |negative/,
          button,
        )
      }

      expect(changes().slice(sent)).toEqual([])
      const { auto_recharge } = await read('/v1/account/billing', account.liveKey)
      expect(auto_recharge).toMatchObject({ enabled: false, monthly_cap_cents: null })
    },
  )

  test('budgets of an app and of a key: an unclear amount is refused, and nothing is sent', async () => {
    const account = await gateway.createAccount()
    await approve(gateway, await registerApp(gateway), { owner: account })
    const { page, open, calls } = await signIn(account.liveKey, 'en-US')
    const changes = () => calls.filter(({ method }) => method !== 'GET')
    const [signingIn] = [changes().length]
    await open('apps')
    await page.getByRole('button', { name: 'Budget of Acme' }).click()
    const saveBudget = page.getByRole('button', { name: 'Save budget' })
    for (const text of ['1.000', '1e3', '0x10', '1,00', '2.5']) {
      await expectRefused(page.getByLabel('A month'), text, /Write |such as /, saveBudget)
    }
    await open('keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('Nightly job')
    await page.getByLabel('contacts:read').check()
    await page.getByRole('button', { name: 'Add a budget' }).click()
    const create = page.getByRole('button', { name: 'Create key' }).last()
    for (const text of ['1.000', '1e3', '0x10', '1,00', '2.5']) {
      await expectRefused(page.getByLabel('Credits of the budget'), text, /Write |such as /, create)
    }
    await inspect(page, 'amounts-key-budget', { isBrief: true })
    expect(changes().slice(signingIn)).toEqual([])

    await page.getByLabel('Credits of the budget').fill('25,000')
    await page.getByText('= 25,000 credits').waitFor()
    await create.click()
    await page.getByRole('dialog', { name: 'Your new API key' }).waitFor()
    const { items } = await read('/v1/account/keys?q=Nightly', account.liveKey)
    expect(items).toMatchObject([{ budgets: [{ period: 'day', limit_credits: 25_000 }] }])
  })
})
