import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import { openBrowser, signIn } from '../../support/console/console-browser.ts'
import { inspect } from '../../support/console/console-page.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { buildConsole } from '../../support/processes/program.ts'

describe.runIf(browserPath)('an open console whose gateway goes away', () => {
  let browser: Browser
  beforeAll(async () => {
    await buildConsole()
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  /** A gateway that can be stopped and started again at its address, and a browser that is signed in. */
  async function open() {
    const database: TestDatabase = await createTestDatabase()
    const variables = { PORT: String(await freePort()) }
    const start = () => startTestGateway(variables, { database })
    let gateway: TestGateway | null = await start()
    const account = await gateway.createAccount({ credits: 2468 })
    const { baseUrl } = gateway
    const opened = await openBrowser(browser, [baseUrl])
    onTestFinished(async () => {
      await opened.context.close()
      await gateway?.close()
      await database.drop()
    })
    const documents: string[] = []
    opened.page.on('request', (request) => {
      if (request.isNavigationRequest()) documents.push(request.url())
    })
    await opened.page.goto(`${baseUrl}/console`)
    await signIn(opened.page, account.liveKey)
    await opened.page.getByText('2,468').first().waitFor()
    return {
      ...opened,
      ...{ baseUrl, documents },
      stop: async () => {
        await gateway?.close()
        gateway = null
      },
      start: async () => {
        gateway = await start()
      },
    }
  }

  const link = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name })
  const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

  test('says so in place of a screen that was not opened before, and shows the screen when it is back', async () => {
    const { page, stop, start } = await open()

    await stop()
    await link(page, 'Webhooks').click()
    await title(page, 'The gateway does not answer').waitFor()
    await page.getByText('opens by itself as soon as the gateway is back').waitFor()
    expect(await link(page, 'Overview').isVisible()).toBe(true)
    await inspect(page, 'gateway-away', { isBrief: true })
    await start()

    await title(page, 'Webhooks').waitFor()
    await page.getByText('No endpoint').first().waitFor()
    await page.getByText('The gateway does not answer').first().waitFor({ state: 'detached' })
  })

  test('lets people go on to other screens meanwhile, and shows the one that they chose last', async () => {
    const { page, stop, start } = await open()

    await stop()
    await link(page, 'Audit trail').click()
    await title(page, 'The gateway does not answer').waitFor()
    await link(page, 'Overview').click()
    await title(page, 'Overview').waitFor()
    await link(page, 'Billing').click()
    await title(page, 'The gateway does not answer').waitFor()
    await start()

    await title(page, 'Billing').waitFor()
    await page.getByText('Starter').first().waitFor()
  })

  test('shows a loaded page whose first requests fail, once the gateway is back', async () => {
    const { page, context, baseUrl } = await open()
    await context.route('**/v1/**', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }))

    await page.goto(`${baseUrl}/console/credits`)
    await page.getByText('The gateway does not answer.').waitFor()
    await context.unroute('**/v1/**')

    await title(page, 'Credits').waitFor()
    await page.getByText('2,468').first().waitFor()
  })

  test('reads a list again by itself, if only its own request failed', async () => {
    const { page, context } = await open()
    const isAway = { status: 503, body: 'No server is available' }
    await context.route('**/v1/account/webhooks**', (route) => route.fulfill(isAway))

    await link(page, 'Webhooks').click()
    await page.getByRole('alert').getByText('The gateway does not answer.').first().waitFor()
    await context.unroute('**/v1/account/webhooks**')

    await page.getByText('No endpoint').first().waitFor()
  })

  test('loads the page again, once, if the screen is of an older build', async () => {
    const { page, context, documents } = await open()
    const before = documents.length
    const isMissing = { status: 404, body: '{}' }
    await context.route(/assets\/webhooks-.*\.js/, (route) =>
      documents.length === before ? route.fulfill(isMissing) : route.continue(),
    )

    await link(page, 'Webhooks').click()

    await title(page, 'Webhooks').waitFor()
    expect(documents.length).toBe(before + 1)
  })

  test('says that a screen is missing, and does not load the page in a loop', async () => {
    const { page, context, documents } = await open()
    const before = documents.length
    await context.route(/assets\/webhooks-.*\.js/, (route) =>
      route.fulfill({ status: 404, body: '{}' }),
    )

    await link(page, 'Webhooks').click()

    await title(page, 'This screen cannot be shown').waitFor()
    expect(documents.length).toBe(before + 1)
  })

  test('keeps the secret of a portal link, and goes on with it when the gateway is back', async () => {
    const { page, context, baseUrl } = await open()
    const isAway = { status: 503, body: 'No server is available' }
    await context.route('**/v1/**', (route) => route.fulfill(isAway))

    await page.goto(`${baseUrl}/console/portal#nothing-known`)
    await page.getByText('The gateway does not answer.').waitFor()
    await context.unroute('**/v1/**')

    await page.getByText('It works once, for a short time').waitFor()
  })
})
