import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inspect, openConsole, untilLoaded } from '../../support/console/console-page.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { buyPackage } from '../../support/gateway/payment-returns.ts'
import { approve, registerApp } from '../../support/oauth/oauth-flow.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'

const phone = { width: 390, height: 844 }

/** What all screens share: the time zone, the charts, the tables, the search. */
describe.runIf(browserPath)('the form of the console', () => {
  let gateway: TestGateway
  let browser: Browser
  let busy: TestAccount
  beforeAll(async () => {
    await buildConsole()
    gateway = await startTestGateway()
    browser = await launchBrowser()
    busy = await gateway.createAccount({ credits: 5000 })
    for (let call = 0; call < 6; call += 1) {
      await make(busy, '/v1/contacts/reveal', { contact_id: 'con_1' }, 200)
    }
    await make(busy, '/v1/contacts/search', { query: 'x', limit: 3 }, 200)
    await make(busy, '/v1/contacts/reveal', {}, 422)
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  /** Makes a call that is answered with this status, and returns the body. */
  async function make(account: TestAccount, path: string, body: object, status: number) {
    const answer = await gateway.live.post(path, body, account.liveKey)
    expect(answer.status).toBe(status)
    return Object(answer.body)
  }

  /** Registers an app with an address that has no room beside it on a phone. */
  async function register({ liveKey }: TestAccount): Promise<{ readonly client_id: string }> {
    const app = {
      client_name: 'Acme',
      redirect_uris: [`https://app.example/${'callback/'.repeat(8)}`],
      scope: 'contacts:read',
    }
    const { status, body } = await gateway.live.post('/v1/oauth/apps', app, liveKey)
    expect(status).toBe(201)
    return Object(body)
  }

  const open = (account: TestAccount, options = {}) =>
    openConsole(browser, gateway.baseUrl, account.liveKey, options)

  test('find out why a call failed yesterday: errors, the call, what went wrong, what to do, and the page about it', async () => {
    const account = await gateway.createAccount({ credits: 100 })
    const { error } = await make(account, '/v1/contacts/reveal', { contact: 'con_1' }, 422)
    await make(account, '/v1/contacts/reveal', { contact_id: 'con_1' }, 200)
    const [{ name: keyName } = { name: '' }] = await gateway.database.query<{ name: string }>(
      `SELECT name FROM keys.api_key WHERE account_id = $1 AND environment = 'live'`,
      [account.id],
    )
    const { page, context, complaints } = await open(account)

    // A stranger begins at the overview, and looks for errors.
    await page.getByRole('link', { name: 'Logs' }).click()
    await page.getByText('Errors', { exact: true }).click()
    const errors = page.getByRole('table', { name: 'errors' })
    await errors.getByText('INVALID_REQUEST').waitFor()
    await errors.getByRole('button', { name: /contacts\/reveal/ }).click()

    const drawer = page.getByRole('dialog', { name: 'Request' })
    await drawer.getByText(error.request_id).waitFor()
    const why = drawer.getByRole('region', { name: 'What went wrong' })
    await why.getByText('contact_id').waitFor()
    await why.getByText('is missing').waitFor()
    // The overview has read the credits, but they have nothing to do with this failure.
    expect(await why.getByText('Available now').count()).toBe(0)
    await drawer.getByRole('link', { name: keyName }).waitFor()
    await inspect(page, 'why-it-failed')
    expect(await why.getByRole('paragraph').first().innerText()).toMatch(/\w+.*\.$/)
    const link = why.getByRole('link', { name: 'About INVALID_REQUEST' })
    const about = await fetch((await link.getAttribute('href')) ?? '')
    expect(about.status).toBe(200)
    expect(await drawer.locator('pre').innerText()).toContain('/v1/contacts/reveal')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('times have one format and one time zone, which is shown, switched to UTC, and remembered', async () => {
    const { page, context, complaints, ...opened } = await open(busy, {
      timezoneId: 'Asia/Tokyo',
      locale: 'de-AT',
    })
    const times = page.locator('table.list tbody time')
    await opened.open('logs')
    await times.first().waitFor()
    await page.getByText('Times in Asia/Tokyo (UTC+9)').waitFor()
    const form = /^\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d$/
    const instant = Date.parse((await times.first().getAttribute('datetime')) ?? '')
    const local = await times.first().innerText()
    expect(local).toMatch(form)
    expect(Date.parse(`${local} UTC`) - instant).toBeGreaterThan(8.9 * 3_600_000)

    await page.getByRole('button', { name: 'UTC', exact: true }).click()
    await page.getByText('Times in UTC').waitFor()
    const inUtc = await times.first().innerText()
    expect(inUtc).toMatch(form)
    expect(Math.abs(Date.parse(`${inUtc} UTC`) - instant)).toBeLessThan(60_000)
    expect(await times.first().getAttribute('title')).toMatch(/, \d\d:\d\d:\d\d UTC$/)

    await page.reload()
    await page.getByText('Times in UTC').waitFor()
    await opened.open('usage?span=24h')
    await page.getByText('Hours in UTC').waitFor()
    await page.getByRole('button', { name: 'Local', exact: true }).click()
    await page.getByText('Hours in Asia/Tokyo (UTC+9)').waitFor()
    await opened.open('usage')
    await page.getByText('Days in UTC').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  test('Usage: round ticks, a total in the tooltip, tables that can be sorted, and bars and rows that open Logs', async () => {
    const { page, context, complaints, ...opened } = await open(busy)
    await opened.open('usage')
    const bar = page.locator('.recharts-bar-rectangle path').last()
    await bar.waitFor()
    const texts = await page.locator('.recharts-yAxis-tick-labels text').allTextContents()
    const ticks = texts.map(Number)
    expect(ticks.length).toBeGreaterThan(2)
    const step = (ticks[1] ?? 0) - (ticks[0] ?? 0)
    expect(ticks).toEqual(ticks.map((_, index) => index * step))
    expect(String(step)).toMatch(/^[125]0*$/)
    await page.getByText('Previous period').first().waitFor()
    await bar.hover()
    await page.locator('.tip').getByText('33 credits').waitFor()

    const table = page.getByRole('table', { name: 'Usage by service' })
    const names = () => table.locator('tbody td:first-child').allInnerTexts()
    const before = await names()
    const head = table.getByRole('columnheader', { name: 'Service' })
    await head.getByRole('button').click()
    expect(await head.getAttribute('aria-sort')).toBe('ascending')
    expect(await names()).toEqual([...before].sort())
    await head.getByRole('button').click()
    expect(await names()).toEqual([...before].sort().reverse())
    await inspect(page, 'usage')
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)

    await bar.click()
    await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor()
    const byBar = new URL(page.url()).searchParams
    expect(byBar.get('service')).toBe('contacts')
    expect(Date.parse(byBar.get('to') ?? '') - Date.parse(byBar.get('from') ?? '')).toBe(86_400_000)
    await page.getByRole('table', { name: 'requests' }).waitFor()
    await page.goBack()
    await table.getByRole('button', { name: 'Contact Finder' }).click()
    await page.getByRole('table', { name: 'requests' }).waitFor()
    expect(new URL(page.url()).search).toBe('?service=contacts&span=30d')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('Overview and Usage: a bar or an endpoint opens Logs with its filter', async () => {
    const { page, context, complaints, ...opened } = await open(busy)
    await opened.open('')
    await page.locator('.recharts-bar-rectangle path').last().click()
    await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor()
    const byBar = new URL(page.url()).searchParams
    expect(byBar.get('service')).toBe('contacts')
    expect(Date.parse(byBar.get('to') ?? '') - Date.parse(byBar.get('from') ?? '')).toBe(86_400_000)

    await opened.open('usage?group=endpoint')
    await page.getByRole('button', { name: 'POST /v1/contacts/reveal' }).click()
    await page.getByRole('table', { name: 'requests' }).waitFor()
    expect(new URL(page.url()).searchParams.get('endpoint')).toBe('POST /v1/contacts/reveal')
    await untilLoaded(page)
    const requests = await page.getByRole('table', { name: 'requests' }).getByRole('button').all()
    const shown = await Promise.all(requests.map((request) => request.innerText()))
    expect(new Set(shown)).toEqual(new Set(['POST /v1/contacts/reveal']))
    expect(complaints).toEqual([])
    await context.close()
  })

  test('rows of every list have two lines on a phone, below 76 px, and show states', async () => {
    await register(busy)
    const { page, context, complaints, ...opened } = await open(busy, { viewport: phone })
    for (const path of [
      'logs',
      'logs?view=errors',
      'usage',
      'keys',
      'credits',
      'settings',
      'audit',
      'apps',
    ]) {
      await opened.open(path)
      await page.locator('table.list tbody tr').first().waitFor()
      expect([path, await tallRows(page)]).toEqual([path, []])
      expect([path, await cutStates(page)]).toEqual([path, []])
    }
    await page.getByRole('table', { name: 'apps' }).getByText('active').waitFor()
    await inspect(page, 'apps')
    await opened.open('logs')
    await inspect(page, 'logs')
    await opened.open('keys')
    await inspect(page, 'keys')
    await opened.open('credits')
    await inspect(page, 'credits')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('Ctrl-K takes what is typed at once, also before the search is loaded, and Escape gives it up', async () => {
    const account = await gateway.createAccount()
    const { page, context, complaints } = await open(account)
    const search = page.getByRole('combobox', { name: 'Search' })
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await page.route(/\/palette-[^/]+\.js$/, async (route) => {
      await held
      await route.continue()
    })
    await page.reload()
    await page.getByRole('link', { name: 'Logs' }).focus()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('keys')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('audix')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Enter')
    expect(await search.count()).toBe(0)
    letGo()
    await page.keyboard.type('t tr')
    await page.getByRole('option', { name: 'Audit trail' }).waitFor()
    expect([await search.inputValue(), new URL(page.url()).pathname]).toEqual([
      'audit tr',
      '/console',
    ])
    await page.keyboard.type('ail')
    expect(await search.inputValue()).toBe('audit trail')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('Ctrl-K finds screens and keys, and opens what a pasted id names; ? lists the shortcuts', async () => {
    const account = await gateway.createAccount()
    const { error } = await make(account, '/v1/contacts/reveal', {}, 422)
    const key = await gateway.createKey(account.id, { name: 'Warehouse of Graz' })
    const { page, context, complaints, ...opened } = await open(account)
    const search = page.getByRole('combobox', { name: 'Search' })
    const result = (name: string) => page.getByRole('option', { name })
    const paste = async (id: string) => {
      await page.keyboard.press('Control+k')
      await search.fill(id)
      await result(id).waitFor()
      await page.keyboard.press('Enter')
      await search.waitFor({ state: 'detached' })
    }

    await page.keyboard.press('Control+k')
    await page.keyboard.type('audit')
    await result('Audit trail').waitFor()
    expect(await search.inputValue()).toBe('audit')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Audit trail' }).waitFor()

    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await search.fill('graz')
    await result('Warehouse of Graz').waitFor()
    await inspect(page, 'search')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Warehouse of Graz' }).waitFor()

    await paste(error.request_id)
    await page.getByRole('dialog', { name: 'Request' }).getByText(error.request_id).waitFor()
    await page.keyboard.press('Escape')
    await paste(key.id)
    await page.waitForURL(`**/console/keys/${key.id}`)
    await paste(await buyPackage(gateway, account))
    await page.getByRole('dialog', { name: 'Payment' }).getByText('Starter package').waitFor()
    await inspect(page, 'payment', { isBrief: true })
    await page.keyboard.press('Escape')
    await paste(account.id)
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    const { client_id: own } = await register(account)
    await paste(own)
    await page.waitForURL(`**/console/apps/${own}`)
    const foreign = await registerApp(gateway)
    await approve(gateway, foreign, { owner: account })
    await paste(foreign.clientId)
    await page.waitForURL('**/console/apps')
    await page
      .getByRole('table', { name: 'granted consents' })
      .getByText(foreign.clientId)
      .waitFor()
    await paste('aud_01kb0000000000000000000000')
    await page.waitForURL((url) => url.pathname === '/console/audit')
    await page.getByText('The event aud_01kb0000000000000000000000 is not on this page.').waitFor()
    await page.keyboard.press('Control+k')
    await search.fill('app_01kb0000000000000000000000')
    await page.keyboard.press('Enter')
    await page
      .getByText('No app of this account has this ID, and none with it has access.')
      .waitFor()
    await search.fill('evt_01kb0000000000000000000000')
    await page.keyboard.press('Enter')
    await page.getByText('No event has this id.').waitFor()
    await search.fill(busy.id)
    await page.keyboard.press('Enter')
    await page.getByText('This is another account.').waitFor()
    await page.keyboard.press('Escape')
    await search.waitFor({ state: 'detached' })

    await opened.open('')
    await untilLoaded(page)
    await page.keyboard.press('?')
    await page
      .getByRole('dialog', { name: 'Keyboard shortcuts' })
      .getByText('K', { exact: true })
      .waitFor()
    await inspect(page, 'shortcuts')
    expect(complaints).toEqual([])
    await context.close()
  })
})

/** The rows of lists that are 76 px or higher. */
function tallRows(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('table.list tbody tr')]
      .filter((row) => row.getBoundingClientRect().height >= 76)
      .map((row) => `${row.getBoundingClientRect().height} ${row.textContent}`),
  )
}

/** The states of rows that are below what the row shows. */
function cutStates(page: Page): Promise<readonly (string | null)[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('table.list tbody .mantine-Badge-root')]
      .filter((state) => {
        const row = state.closest('tr')?.getBoundingClientRect()
        return row && state.getBoundingClientRect().bottom > row.bottom
      })
      .map((state) => state.textContent),
  )
}
