import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { patience } from '../../support/time/patience.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const screenshots = join(projectRoot, '.artifacts/docs')

const violations = z.array(
  z.object({ id: z.string(), impact: z.nullable(z.string()), nodes: z.array(z.unknown()) }),
)

let gateway: TestGateway
let browser: Browser
/** The context of all pages with scripts: what one has loaded, the next need not load and compile again. */
let context: BrowserContext
beforeAll(async () => {
  if (!browserPath) return
  mkdirSync(screenshots, { recursive: true })
  gateway = await startTestGateway()
  browser = await launchBrowser()
  context = await browser.newContext()
  context.setDefaultTimeout(patience.timeout)
})
afterAll(async () => {
  await browser?.close()
  await gateway?.close()
})

const widths = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }

interface Visit {
  readonly page: Page
  /** Requests of the browser to other hosts, its refusals and its warnings. */
  readonly complaints: readonly string[]
}

async function visit(path: string): Promise<Visit> {
  const page = await context.newPage()
  const complaints: string[] = []
  const own = [gateway.baseUrl, gateway.sandbox.url]
  page.on('request', (request) => {
    const url = request.url()
    const isOwn = own.some((origin) => url.startsWith(`${origin}/`)) || /^(data|blob):/.test(url)
    if (!isOwn) complaints.push(`asked ${url}`)
  })
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  const response = await page.goto(gateway.baseUrl + path)
  expect(response?.status()).toBe(200)
  return { page, complaints }
}

/** The serious or critical accessibility problems. */
async function obstacles(page: Page): Promise<string[]> {
  const found = await page.evaluate(`axe.run({ resultTypes: ['violations'] })
    .then(({ violations }) => violations)`)
  return violations
    .parse(found)
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${JSON.stringify(nodes[0])}`)
}

/** Colours do not depend on the width, nor does what fits on the colours: two looks show all. */
const looks = [
  { colorScheme: 'light', width: 'wide' },
  { colorScheme: 'dark', width: 'phone' },
] as const

/** Looks at a page as people do, and takes a picture of each look. */
async function inspect(page: Page, path: string): Promise<void> {
  // The program does not run by a script element, which the policy of the page would refuse.
  await page.evaluate(axe)
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(widths[width])
    const seen = `${path} ${colorScheme} ${width}`
    expect([seen, await obstacles(page)]).toEqual([seen, []])
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect([seen, overflow]).toEqual([seen, 0])
    const name = `${path.slice(1).replaceAll('/', '-')}-${colorScheme}-${width}.png`
    await page.screenshot({ path: join(screenshots, name) })
  }
}

describe.skipIf(!browserPath)('the documentation in a browser', () => {
  test.each([
    ...['/docs', '/docs/errors/INVALID_API_KEY', '/docs/rate-limits', '/docs/webhooks'],
    ...['/docs/sdks', '/docs/run', '/docs/configuration', '/docs/modules', '/docs/changelog'],
    '/status',
  ])('%s is accessible in light and dark, on a desktop and on a phone', async (path) => {
    const { page, complaints } = await visit(path)
    await inspect(page, path)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('can be searched by keyboard alone: skip link, search, results', async () => {
    const { page, complaints } = await visit('/docs')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the text')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('content')
    await page.keyboard.press('/')
    await page.keyboard.type('rotate')
    await page.getByRole('link', { name: /^Rotate and revoke/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/authentication#rotate-and-revoke')
    expect(complaints).toEqual([])
    await page.close()
  })

  test('shows one language at a time, and the chosen one everywhere', async () => {
    const { page, complaints } = await visit('/docs/webhooks')
    await page.getByRole('tab', { name: 'TypeScript' }).first().focus()
    await page.keyboard.press('ArrowRight')
    const chosen = () => page.getByRole('tab', { selected: true }).allTextContents()
    expect(new Set(await chosen())).toEqual(new Set(['Python']))
    expect(await page.getByText('hmac.compare_digest').isVisible()).toBe(true)
    expect(await page.getByText('new Webhook(secret)').isVisible()).toBe(false)
    await page.goto(`${gateway.baseUrl}/docs/credits`)
    expect(new Set(await chosen())).toEqual(new Set(['Python']))
    await page.getByRole('tab', { name: 'curl' }).first().click()
    expect(await page.getByText('curl "$GATEWAY_URL/v1/account/credits"').first().isVisible()).toBe(
      true,
    )
    expect(complaints).toEqual([])
    await page.close()
  })

  test.each([
    ['invite', 'Portal links'],
    ['plan', 'Packages and subscriptions'],
    ['refund', 'When money comes back'],
    ['customer', 'external_id'],
  ])('finds %s by its other names, with the words around it', async (query, found) => {
    const { page, complaints } = await visit('/docs/errors')
    await page.keyboard.press('Control+k')
    await page.keyboard.type(query)
    const results = page.locator('.results li')
    await results.filter({ hasText: found }).first().waitFor()
    expect(await results.first().locator('.snippet mark').count()).toBeGreaterThan(0)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('leads each reader to pages of their own, and to the console', async () => {
    const { page, complaints } = await visit('/docs/credits')
    const readers = page.getByRole('navigation', { name: 'Readers' })
    expect(await readers.locator('[aria-current]').allTextContents()).toEqual(['Use the API'])
    await readers.getByRole('link', { name: 'Run the gateway' }).click()
    await page.waitForURL('**/docs/run')
    expect(await readers.locator('[aria-current]').allTextContents()).toEqual(['Run the gateway'])
    const pages = page.getByRole('navigation', { name: 'Documentation' })
    expect(await pages.getByRole('link').allTextContents()).toContain('Reliability')
    expect(await pages.getByRole('link').allTextContents()).not.toContain('Pagination')
    expect(await page.getByRole('link', { name: 'Console' }).getAttribute('href')).toBe('/console')
    expect(complaints).toEqual([])
    await page.close()
  })

  test('opens the navigation on a phone, and is readable without scripts', async () => {
    const page = await browser.newPage({ viewport: widths.phone, javaScriptEnabled: false })
    page.setDefaultTimeout(patience.timeout)
    await page.goto(`${gateway.baseUrl}/docs/errors`)
    const link = page.getByRole('link', { name: 'Pagination' })
    expect(await link.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Menu' }).click()
    await link.click()
    await page.waitForURL('**/docs/pagination')
    expect(await page.getByText('next_cursor: null').first().isVisible()).toBe(true)
    await page.close()
  })
})

describe.skipIf(!browserPath)('/docs/reference in a browser', () => {
  // The reference takes seconds to draw itself, so one visit serves all tests.
  let reference: Visit
  beforeAll(async () => {
    reference = await visit('/docs/reference')
    await reference.page.getByText('Download OpenAPI Document').waitFor()
  })
  afterAll(() => reference.page.close())

  test('sends no request to another host, and is accessible', async () => {
    const { page, complaints } = reference
    await inspect(page, '/docs/reference')
    await page.waitForLoadState('networkidle')
    expect(complaints).toEqual([])
  })

  test('has a console that calls the sandbox', async () => {
    const account = await gateway.createAccount()
    const { page, complaints } = reference
    await page.setViewportSize(widths.wide)
    await page.getByPlaceholder('Token').first().fill(account.sandboxKey)
    await page.goto(`${gateway.baseUrl}/docs/reference#tag/account/GET/v1/account/credits`)
    const section = page.locator('[id*="/v1/account/credits"]').first()
    await section.getByRole('button', { name: /Test Request/ }).click()
    const asked = page.waitForResponse(`${gateway.sandbox.url}/v1/account/credits`)
    await page.getByRole('button', { name: /^Send/ }).last().click()
    expect((await asked).status()).toBe(200)
    expect(complaints).toEqual([])
  })

  test('sends no cookie of a browser that is signed in', async () => {
    const { liveKey } = await gateway.createAccount()
    const { page } = reference
    const elsewhere = await page.context().newPage()
    await elsewhere.goto(`${gateway.baseUrl}/docs`)
    const signedIn = await elsewhere.evaluate(
      `fetch('/v1/oauth/session', { method: 'POST', headers: { authorization: 'Bearer ${liveKey}' } })
         .then(() => fetch('/v1/account')).then(({ status }) => status)`,
    )
    expect(signedIn).toBe(200)

    const sent = await page.evaluate(
      `Promise.all([fetch('/v1/account'), fetch(new Request('/v1/account', { credentials: 'include' }))])
         .then((all) => all.map(({ status }) => status))`,
    )

    expect(sent).toEqual([401, 401])
    await elsewhere.close()
    await page.context().clearCookies()
  })
})
