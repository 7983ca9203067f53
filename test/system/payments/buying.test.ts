import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectExactBooks } from '../../support/gateway/books.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { browserPath, launchBrowser } from '../../support/processes/browser.ts'
import { readPdf } from '../../support/requests/pdf.ts'
import { patience } from '../../support/time/patience.ts'

describe.runIf(browserPath)('buying in a browser', () => {
  let gateway: TestGateway
  let browser: Browser
  beforeAll(async () => {
    gateway = await startTestGateway()
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    if (gateway) await expectExactBooks(gateway)
    await gateway?.close()
  })

  async function begin({ liveKey }: TestAccount): Promise<{ id: string; action_url: string }> {
    const order = { package_id: 'pack_growth' }
    const { status, body } = await gateway.live.post('/v1/billing/checkout', order, liveKey)
    expect(status).toBe(201)
    return Object(body)
  }

  async function read({ liveKey }: TestAccount, path: string) {
    const { status, body } = await gateway.live.get(path, liveKey)
    expect(status).toBe(200)
    return Object(body)
  }

  /** A browser of the test's own, and what its console says against the pages. */
  async function openPage(javaScriptEnabled = true) {
    const context = await browser.newContext({ javaScriptEnabled })
    context.setDefaultTimeout(patience.timeout)
    const complaints: string[] = []
    context.on('console', (message) => complaints.push(message.text()))
    context.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`))
    return { context, page: await context.newPage(), complaints }
  }

  function press(page: Page, name: string): Promise<void> {
    return page.getByRole('button', { name, exact: true }).click()
  }

  test.each([
    ['with scripts', true],
    ['without scripts', false],
  ])(
    '%s: a card is declined, another is confirmed, the payer comes back, and the invoice is a PDF',
    async (_, hasScripts) => {
      const account = await gateway.createAccount({ credits: 0 })
      const details = {
        ...{ name: 'Łódź Widgets sp. z o.o.', country: 'PL', tax_id: 'PL5260250274' },
        address: { line1: 'ul. Piotrkowska 1', city: 'Łódź', postal_code: '90-001' },
      }
      const put = { method: 'PUT', body: details, key: account.liveKey }
      expect((await gateway.live.request('/v1/billing/details', put)).status).toBe(200)
      const { id, action_url } = await begin(account)
      const { context, page, complaints } = await openPage(hasScripts)

      await page.goto(action_url)
      await press(page, 'Decline')
      await page.getByRole('alert').getByText('The card was declined.').waitFor()
      expect(await read(account, `/v1/billing/checkouts/${id}`)).toMatchObject({
        ...{ status: 'requires_action', action_url },
      })
      await page.getByLabel('Card').selectOption('simulated_authenticate')
      await press(page, 'Pay')
      await page.getByText('The bank wants the holder of the card to confirm').waitFor()
      expect((await read(account, '/v1/account/credits')).balance).toBe(0)
      await press(page, 'Confirm')
      await page.getByRole('heading', { name: 'Thank you' }).waitFor()

      expect(new URL(page.url()).pathname).toBe('/billing/return')
      const checkout = await read(account, `/v1/billing/checkouts/${id}`)
      expect(checkout).toMatchObject({ status: 'paid', credits: 5000, total_cents: 4500 })
      expect((await read(account, '/v1/account/credits')).balance).toBe(5000)
      expect(complaints).toEqual([])
      await context.close()

      const invoice = await read(account, `/v1/billing/invoices/${checkout.invoice_id}`)
      const text = await downloadedText(account, invoice.pdf_url)
      const [issued] = invoice.created_at.split('T')
      for (const words of [
        ...[invoice.number, 'Growth package', '45.00', 'USD', 'paid', issued],
        ...['Łódź Widgets sp. z o.o.', 'ul. Piotrkowska 1', 'PL5260250274'],
        'Example Gateway Operator',
      ]) {
        expect(text.toLowerCase()).toContain(words.toLowerCase())
      }
    },
  )

  /** The text of a PDF that the browser has saved. */
  async function downloadedText({ liveKey }: TestAccount, url: string): Promise<string> {
    const context = await browser.newContext({
      extraHTTPHeaders: { authorization: `Bearer ${liveKey}` },
    })
    context.setDefaultTimeout(patience.timeout)
    const page = await context.newPage()
    const downloading = page.waitForEvent('download')
    // The address is a file, so the page stays empty.
    await page.goto(url).catch((error: Error) => expect(error.message).toContain('Download'))
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/\.pdf$/)
    const { text } = await readPdf(await readFile(await download.path()))
    await context.close()
    return text
  }

  test('the money of a paid payment comes back by its page, and the credit note is a PDF', async () => {
    const account = await gateway.createAccount({ credits: 0 })
    const { id, action_url } = await begin(account)
    const { context, page, complaints } = await openPage()
    await page.goto(action_url)
    await press(page, 'Pay')
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()

    await page.goto(action_url)
    await press(page, 'Refund a part')
    await page.getByRole('alert').getByText('returned a part of the money').waitFor()
    await press(page, 'Dispute')
    await page.getByRole('alert').getByText('has taken the money back').waitFor()
    await press(page, 'Win the dispute')
    await page.getByRole('alert').getByText('The dispute is won').waitFor()

    expect(complaints).toEqual([])
    await context.close()
    expect((await read(account, '/v1/account/credits')).balance).toBe(2500)
    expect(await read(account, `/v1/billing/checkouts/${id}`)).toMatchObject({
      ...{ status: 'paid', refunded_cents: 2250 },
    })
    const { items } = await read(account, '/v1/billing/invoices')
    expect(items).toMatchObject([{ type: 'credit_note' }, { type: 'invoice' }])
    const text = await downloadedText(account, items[0].pdf_url)
    for (const words of [items[0].number, items[1].number, '22.50']) expect(text).toContain(words)
  })

  test('a payer who returns from an expired page learns that it has expired', async () => {
    const account = await gateway.createAccount({ credits: 0 })
    const { id, action_url } = await begin(account)
    const { context, page } = await openPage()

    await page.goto(action_url)
    await press(page, 'Let the page expire')
    await page.waitForURL(/\/billing\/return\?/)

    expect(await page.getByRole('heading', { name: 'Thank you' }).count()).toBe(0)
    expect(await read(account, `/v1/billing/checkouts/${id}`)).toMatchObject({ status: 'expired' })
    await page.goto(action_url)
    await page.getByText('This page is closed: nothing was paid.').waitFor()
    expect(await page.getByRole('button').count()).toBe(0)
    await context.close()
  })
})
