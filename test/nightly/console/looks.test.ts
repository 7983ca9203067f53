import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, signIn } from '../../support/console/console-browser.ts'
import { inspect, untilLoaded } from '../../support/console/console-page.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { askForLink } from '../../support/oauth/portal.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'

const longName = 'Production of the european warehouse, which has a rather long name of its own'

/** Every screen is accessible and fits, in both themes and at both widths; its screenshots are kept. */
describe.runIf(browserPath)('how the console looks', () => {
  let gateway: TestGateway
  let browser: Browser
  let busy: TestAccount
  let keyId: string
  beforeAll(async () => {
    await buildConsole()
    gateway = await startTestGateway({ SMTP_URL: 'mailbox:' })
    browser = await launchBrowser()
    busy = await gateway.createAccount({ credits: 123_456_789_012 })
    keyId = await fill(busy)
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  /** Calls that succeed and fail, and a key with everything that a key can have. */
  async function fill({ liveKey }: TestAccount): Promise<string> {
    for (let call = 0; call < 8; call += 1) {
      const path = call % 2 ? '/v1/contacts/search' : '/v1/contacts/reveal'
      const body = call % 2 ? { query: 'x', limit: call } : { contact_id: 'con_1' }
      const { status } = await gateway.live.post(path, body, liveKey)
      expect(status).toBe(200)
    }
    const refused = await gateway.live.post('/v1/contacts/reveal', {}, liveKey)
    expect(refused.status).toBe(422)
    const issued = await gateway.live.post(
      '/v1/account/keys',
      {
        ...{ name: longName, scopes: ['contacts:read', 'contacts:write', 'seo:read'] },
        ip_allowlist: ['203.0.113.0/24', '2001:db8::/32'],
        budgets: [{ period: 'month', limit_credits: 123_456_789_012 }],
        ...{ external_id: 'european-warehouse/production/7', metadata: { team: 'Logistics' } },
      },
      liveKey,
    )
    expect(issued.status).toBe(201)
    return Object(issued.body).id
  }

  const open = () => openBrowser(browser, [gateway.baseUrl, gateway.sandbox.url])

  test('the pages for people who are not signed in', async () => {
    const { link } = await askForLink(gateway, { accountId: busy.id, role: 'BILLING' })
    const { page, context, complaints } = await open()
    await page.goto(`${gateway.baseUrl}/console`)
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    await inspect(page, 'sign-in')
    await page.goto(link?.url ?? '')
    await page.getByText('BILLING').waitFor()
    await inspect(page, 'portal')
    await page.goto(`${gateway.baseUrl}/console/portal`)
    await inspect(page, 'used-link', { isBrief: true })
    expect(complaints).toEqual([])
    await context.close()
  })

  test.each([
    ['overview', ''],
    ['usage', '/usage'],
    ['logs', '/logs'],
    ['errors', '/logs?view=errors'],
    ['keys', '/keys'],
    ['customers', '/customers'],
    ['settings', '/settings'],
  ])('%s, with much and with nothing', async (name, path) => {
    const { page, context, complaints } = await open()
    await page.goto(`${gateway.baseUrl}/console${path}`)
    await signIn(page, busy.liveKey)
    await untilLoaded(page)
    await inspect(page, name)
    await context.clearCookies()
    await page.goto(`${gateway.baseUrl}/console${path}`)
    await signIn(page, (await gateway.createAccount({ credits: 0 })).liveKey)
    await untilLoaded(page)
    await inspect(page, `${name}-empty`, { isBrief: true })
    expect(complaints).toEqual([])
    await context.close()
  })

  test('one key, its form, and one request', async () => {
    const { page, context, complaints } = await open()
    await page.goto(`${gateway.baseUrl}/console/keys/${keyId}`)
    await signIn(page, busy.liveKey)
    await page.getByRole('heading', { level: 1, name: longName }).waitFor()
    await inspect(page, 'key')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('dialog', { name: 'Edit the key' }).waitFor()
    await inspect(page, 'key-form')
    await page.goto(`${gateway.baseUrl}/console/logs`)
    await page
      .getByRole('button', { name: /contacts\/reveal/ })
      .first()
      .click()
    await page.getByRole('dialog', { name: 'Request' }).waitFor()
    await inspect(page, 'request')
    expect(complaints).toEqual([])
    await context.close()
  })
})
