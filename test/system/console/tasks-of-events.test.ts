import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { type ConsolePage, inspect, openConsole } from '../../support/console/console-page.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  approve,
  introspect,
  registerApp,
  withoutMinuteLimits,
} from '../../support/oauth/oauth-flow.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'
import {
  createEndpoint,
  openReceiver,
  webhooksPath,
  webhookVariables,
} from '../../support/stubs/webhook-receiver.ts'
import { patience } from '../../support/time/patience.ts'

/** Tasks that a stranger must be able to do: everything is found by its words, from the menu on. */
describe.runIf(browserPath)('a person who knows only the console', () => {
  let gateway: TestGateway
  let browser: Browser
  beforeAll(async () => {
    await buildConsole()
    gateway = await startTestGateway({
      ...{ ...webhookVariables, ...withoutMinuteLimits },
      ...{ WEBHOOK_RETRY_SECONDS: '0', WEBHOOK_KEEP_LOOPBACK_ANSWERS: 'true' },
    })
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  async function signIn(key: string): Promise<ConsolePage> {
    const opened = await openConsole(browser, gateway.baseUrl, key)
    onTestFinished(async () => {
      await opened.context.close()
      expect(opened.complaints).toEqual([])
    })
    return opened
  }

  const menu = (page: Page, name: string) =>
    page.getByRole('navigation').getByRole('link', { name, exact: true }).first().click()
  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click()

  test('finds out why a webhook fails, and resends it', async () => {
    const { liveKey } = await gateway.createAccount()
    let isMended = false
    const receiver = await openReceiver((_, response) => {
      response.writeHead(isMended ? 204 : 500).end(isMended ? '' : 'no such table: orders')
    })
    onTestFinished(() => receiver.close())
    const { id } = await createEndpoint(gateway, liveKey, receiver.url)
    const sent = await gateway.live.post(`${webhooksPath}/${id}/test`, undefined, liveKey)
    expect(sent.status).toBe(202)
    await receiver.until('webhook.test', 2)
    const { page } = await signIn(liveKey)

    await menu(page, 'Webhooks')
    await page.getByText('failing', { exact: true }).waitFor()
    await page.getByRole('img', { name: /^Arrived by day/ }).waitFor()
    await inspect(page, 'task-webhooks')
    await page.getByRole('link', { name: receiver.url }).click()
    await page.getByRole('combobox', { name: 'Event type' }).click()
    await page.getByRole('option', { name: 'webhook.test' }).click()
    await page.waitForURL('**type=webhook.test')
    await page.getByRole('button', { name: 'webhook.test' }).click()
    const drawer = page.getByRole('dialog')
    await drawer.getByText('Request and answer').first().click()
    await drawer.getByText('no such table: orders').first().waitFor()
    await drawer.getByText('webhook-id: evt_').first().waitFor()
    await inspect(page, 'task-webhook-answer')
    isMended = true
    await drawer.getByRole('button', { name: 'Resend' }).click()

    await receiver.until('webhook.test', 3)
    await drawer.getByText('succeeded').waitFor()
  })

  test('opens an event by its id, also one that many newer ones have followed', async () => {
    const { liveKey } = await gateway.createAccount()
    const receiver = await openReceiver()
    onTestFinished(() => receiver.close())
    const { id } = await createEndpoint(gateway, liveKey, receiver.url)
    for (let sent = 0; sent < 27; sent += 1) {
      const { status } = await gateway.live.post(`${webhooksPath}/${id}/test`, undefined, liveKey)
      expect(status).toBe(202)
    }
    const listed = await gateway.live.get(`${webhooksPath}/${id}/deliveries?limit=200`, liveKey)
    const oldest = Object(listed.body).items.at(-1)
    const { page } = await signIn(liveKey)

    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill(oldest.event_id)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/console/webhooks/${id}?delivery=${oldest.id}`)
    const drawer = page.getByRole('dialog')
    await drawer.getByText(oldest.event_id).first().waitFor()
    await drawer.getByText('succeeded').waitFor()
    await drawer.getByRole('button', { name: 'Resend' }).click()
    await drawer.getByText('Attempts (2)').waitFor()

    await page.goto(`${gateway.baseUrl}/console/webhooks/${id}?delivery=${newId('whd')}`)
    await drawer.getByText('No delivery has this id.').waitFor()
  })

  test("rotates an app's secret, and sees until when the previous one works", async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    await approve(gateway, app, { owner })
    const { page } = await signIn(app.developer.liveKey)

    await menu(page, 'Apps')
    await page.getByRole('link', { name: 'Acme' }).click()
    await page.getByText(owner.id).waitFor()
    await inspect(page, 'task-app')
    await press(page, 'Rotate secret')
    const dialog = page.getByRole('dialog')
    await dialog
      .getByLabel('The current secret keeps working')
      .selectOption({ label: 'for an hour' })
    await inspect(page, 'task-app-rotate', { isBrief: true })
    await dialog.getByRole('button', { name: 'Rotate secret' }).click()
    const secret = await dialog.getByText(/^svc_ocs_/).innerText()
    await press(page, 'I have stored it')

    await page.getByText('two secrets work').waitFor()
    expect(await page.content()).not.toContain(secret)
    const asked = [app, { ...app, secret }].map((one) => introspect(gateway.live, one, 'x'))
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200])
  })

  test('changes what an app may ask for, and is told that people are asked again', async () => {
    const app = await registerApp(gateway)
    const { page } = await signIn(app.developer.liveKey)

    await menu(page, 'Apps')
    await page.getByRole('link', { name: 'Acme' }).click()
    await press(page, 'Edit')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('people are asked again').waitFor()
    await dialog.getByLabel('Redirect URIs').fill('http://app.example/cb')
    await press(page, 'Save')
    await dialog.getByText('must be https').waitFor()
    await inspect(page, 'task-app-edit', { isBrief: true })
    await dialog.getByLabel('Redirect URIs').fill('https://app.example/cb')
    await dialog.getByLabel('billing:read').uncheck()
    await press(page, 'Save')

    await dialog.waitFor({ state: 'hidden' })
    await page.getByText('https://app.example/cb').waitFor()
    const { clientId, developer } = app
    const { body } = await gateway.live.get(`/v1/oauth/apps/${clientId}`, developer.liveKey)
    expect(Object(body).redirect_uris).toEqual(['https://app.example/cb'])
    expect(Object(body).scope.split(' ')).not.toContain('billing:read')
  })

  test('finds out who made a key', async () => {
    const { liveKey } = await gateway.createAccount()
    const made = await gateway.live.post('/v1/account/keys', { name: 'Nightly report' }, liveKey)
    expect(made.status).toBe(201)
    const { page } = await signIn(liveKey)

    await menu(page, 'Audit trail')
    await page.getByRole('combobox', { name: 'To what' }).click()
    await page.getByRole('option', { name: /^Nightly report/ }).click()
    const sentence = page.getByRole('button', {
      name: /^The key “.+” created the key “Nightly report”$/,
    })
    await vi.waitUntil(() => sentence.isVisible(), patience)
    await inspect(page, 'task-audit')
    await sentence.click()

    await page
      .getByRole('dialog')
      .getByText(/^key key_/)
      .waitFor()
    await inspect(page, 'task-audit-event', { isBrief: true })

    // The page of the key says it too, by the name of the key that made it, and leads there.
    const { id, created_by: maker } = Object(made.body)
    await page.goto(`${gateway.baseUrl}/console/keys/${id}`)
    const key = await gateway.live.get(`/v1/account/keys/${maker}`, liveKey)
    const link = page.getByRole('link', { name: Object(key.body).name, exact: true })
    await link.waitFor()
    expect(await link.getAttribute('title')).toBe(maker)
    expect(await page.getByText(maker).count()).toBe(0)
    await link.click()
    await page.waitForURL(`**/console/keys/${maker}`)
  })
})
