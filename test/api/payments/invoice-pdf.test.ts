import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import {
  addCreditNote,
  addInvoice,
} from '../../../subgraphs/account/payments/invoices/invoice-writing.service.ts'
import { priceList } from '../../../subgraphs/account/prices/price-list.ts'
import {
  type AccountDatabase,
  openAccountDatabase,
} from '../../support/database/account-database.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { readPdf } from '../../support/requests/pdf.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
let database: AccountDatabase
beforeAll(async () => {
  gateway = await startTestGateway()
  database = await openAccountDatabase(gateway.database)
})
afterAll(async () => {
  await database.close()
  await gateway.close()
})

const address = { line1: '1 Road', city: 'Berlin', postal_code: '10115' }

async function setDetails({ liveKey }: TestAccount, details: object) {
  const body = { name: 'Acme GmbH', address, country: 'DE', ...details }
  const options = { method: 'PUT', key: liveKey, body }
  expect((await gateway.live.request('/v1/billing/details', options)).status).toBe(200)
}

type Listener = 'live' | 'sandbox'

/** Buys credits; the invoice as the list shows it. */
async function buy(account: TestAccount, listener: Listener = 'live') {
  const key = listener === 'live' ? account.liveKey : account.sandboxKey
  const body = { package_id: 'pack_starter', payment_method: 'simulated' }
  expect((await gateway[listener].post('/v1/billing/checkout', body, key)).status).toBe(201)
  return vi.waitUntil(async () => {
    const { body } = await gateway[listener].get('/v1/billing/invoices', key)
    return Object(body).items[0] ?? null
  }, patience)
}

/** Asks for a file as a browser or a program does. */
async function download(url: string, key: string) {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, headers: response.headers, bytes }
}

async function readInvoice(url: string, key: string) {
  const { status, bytes } = await download(url, key)
  expect(status).toBe(200)
  return readPdf(bytes)
}

/** Another payment of the account, as paid, without an invoice. */
async function addPayment(accountId: string): Promise<string> {
  const id = newId('pay')
  await gateway.database.query(
    `INSERT INTO account.payment SELECT (jsonb_populate_record(p, jsonb_build_object(
       'id', $2::text, 'reference', $2::text, 'provider_reference', $2::text))).*
     FROM account.payment p WHERE account_id = $1 ORDER BY id LIMIT 1`,
    [accountId, id],
  )
  return id
}

const sold = { credits: 1000, currency: 'EUR', description: 'Starter package' }

describe('GET /v1/billing/invoices/{invoice_id}.pdf', () => {
  test('is a PDF with seller, buyer, lines, tax and total, which a reader opens', async () => {
    const account = await gateway.createAccount()
    await setDetails(account, { tax_id: 'DE123456789', purchase_order: 'PO-4711' })
    const invoice = await buy(account)

    const { status, headers, bytes } = await download(invoice.pdf_url, account.liveKey)

    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="${invoice.number}.pdf"`,
      'content-length': String(bytes.length),
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=3600',
    })
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
    const { text, pages, title, author } = await readPdf(bytes)
    expect({ pages, title, author }).toEqual({
      pages: 1,
      title: `Invoice ${invoice.number}`,
      author: 'Example Gateway Operator',
    })
    for (const part of [
      ...['Invoice', invoice.number, new Date(invoice.created_at).toISOString().slice(0, 10)],
      ...['Status Paid', 'PO-4711', 'Example Gateway Operator', 'Luxembourg (LU)', 'Acme GmbH'],
      ...['1 Road', '10115 Berlin', 'Germany (DE)', 'VAT id: DE123456789', 'Starter package'],
      ...['1,000 credits', 'Net amount 10.00 USD', 'Total 10.00 USD', 'Paid 10.00 USD'],
    ]) {
      expect(text).toContain(part)
    }
    expect(text).not.toContain('TEST')
  })

  test('is tagged: a reader speaks headings, paragraphs and tables with their header cells in order', async () => {
    const account = await gateway.createAccount()
    const line1 = 'word '.repeat(30).trim()
    await setDetails(account, { tax_id: 'DE123456789', address: { ...address, line1 } })
    const invoice = await buy(account)

    const { spoken } = await readInvoice(invoice.pdf_url, account.liveKey)

    const row = (head: string, cell: string) => [
      { tags: 'Document Table TR TH P', text: head },
      { tags: 'Document Table TR TD P', text: cell },
    ]
    const party = (name: string, ...lines: readonly string[]) => [
      { tags: 'Document Sect H2', text: name },
      ...lines.map((text) => ({ tags: 'Document Sect P', text })),
    ]
    const day = new Date(invoice.created_at).toISOString().slice(0, 10)
    expect(spoken).toEqual([
      { tags: 'Document H1', text: 'Invoice' },
      ...row('Number', invoice.number),
      ...row('Date', day),
      ...row('Date of supply', day),
      ...row('Status', 'Paid'),
      ...row('Payment method', expect.stringMatching(/^Visa ending in \d{4}$/)),
      ...party('Seller', 'Example Gateway Operator', '1 Example Street', 'L-1111 Luxembourg'),
      { tags: 'Document Sect P', text: 'Luxembourg (LU)' },
      ...party('Buyer', 'Acme GmbH', line1, '10115 Berlin', 'Germany (DE)'),
      { tags: 'Document Sect P', text: 'VAT id: DE123456789' },
      { tags: 'Document Sect P', text: expect.stringContaining('@') },
      { tags: 'Document Table TR TH P', text: 'Description' },
      { tags: 'Document Table TR TH P', text: 'Net amount' },
      { tags: 'Document Table TR TD P', text: 'Starter package' },
      { tags: 'Document Table TR TD P', text: '1,000 credits' },
      { tags: 'Document Table TR TD P', text: '10.00 USD' },
      ...row('Net amount', '10.00 USD'),
      ...row('Tax', '0.00 USD'),
      ...row('Total', '10.00 USD'),
      ...row('Paid', '10.00 USD'),
    ])
  })

  test('is rendered once: the same bytes in parallel and afterwards, whatever changes', async () => {
    const account = await gateway.createAccount()
    await setDetails(account, {})
    const { id, pdf_url } = await buy(account)

    const several = await Promise.all(
      Array.from({ length: 5 }, () => download(pdf_url, account.liveKey)),
    )
    await setDetails(account, { name: 'Another name' })
    const later = await download(pdf_url, account.liveKey)

    for (const { status, bytes } of [...several, later]) {
      expect([status, bytes.equals(later.bytes)]).toEqual([200, true])
    }
    const kept = await gateway.database.query(
      'SELECT status, pdf FROM account.invoice_document WHERE invoice_id = $1',
      [id],
    )
    expect(kept).toEqual([{ status: 'paid', pdf: later.bytes }])
  })

  test('names the buyer of the moment of the sale, also when it is first asked for later', async () => {
    const account = await gateway.createAccount()
    await setDetails(account, { name: 'Before Ltd' })
    const { pdf_url } = await buy(account)
    await setDetails(account, { name: 'Afterwards Ltd' })

    const { text } = await readInvoice(pdf_url, account.liveKey)

    expect(text).toContain('Before Ltd')
    expect(text).not.toContain('Afterwards Ltd')
  })

  test('shows the letters of all languages of the EU', async () => {
    const account = await gateway.createAccount()
    const names = [
      ...[
        'Българско дружество',
        'České účetnictví Žďár',
        'Højskolen Ærø Å',
        'Größe ẞ',
        'Ελληνική εταιρεία',
      ],
      ...['Compañía', 'Õigusbüroo Žürii', 'Sähköyhtiö', 'Œuvre française ÿ', 'Comhlacht Ó hÉ'],
      ...['Đorđe Čćšž', 'Őrült Űrhajó', 'Società perché', 'Ąžuolų Ėę Įšų', 'Ģērmaņi Ķļņ Ūš'],
      ...['Kumpanija Ħġ Żċ', 'Ĳsselmeer één', 'Zażółć gęślą jaźń', 'Coração ãõ', 'Înființat Șț'],
      ...['Ľubomír ŕĺ Ô', 'Škofja Loka', 'Företag Å Ö'],
    ]
    const shown: string[] = []
    for (let from = 0; from < names.length; from += 4) {
      const [name, line1 = name, line2, city = name] = names.slice(from, from + 4)
      await setDetails(account, { name, address: { ...address, line1, line2, city } })
      const { text } = await readInvoice((await buy(account)).pdf_url, account.liveKey)
      shown.push(text)
    }

    for (const [index, name] of names.entries()) {
      expect(shown[Math.floor(index / 4)]).toContain(name)
    }
  })

  test('shows ? for letters of the name of the holder that the font lacks', async () => {
    const account = await gateway.createAccount()
    const name = 'Tokyo 東京 😀 end'
    await gateway.database.query('UPDATE account.account SET name = $2 WHERE id = $1', [
      ...[account.id, name],
    ])

    const { text } = await readInvoice((await buy(account)).pdf_url, account.liveKey)

    expect(text).toContain('Tokyo ?? ? end')
  })

  test('wraps long texts, on as many pages as needed', async () => {
    const account = await gateway.createAccount()
    const long = 'Ω'.repeat(200)
    await setDetails(account, {
      ...{ name: 'word '.repeat(39).concat('last!'), country: 'US', tax_id: long },
      address: { line1: long, line2: long, city: long, postal_code: long, state: long },
      purchase_order: long,
    })
    const { pdf_url } = await buy(account)

    const { text, pages } = await readInvoice(pdf_url, account.liveKey)

    expect(pages).toBeGreaterThan(1)
    expect(text).toContain('last!')
    expect(text.match(/Ω/g)?.length).toBe(7 * 200)
    expect(text).toContain('Total 10.00 USD')
  })

  test('keeps the lines of the seller together beside a long address of the buyer', async () => {
    const account = await gateway.createAccount()
    const long = 'a word and '.repeat(18)
    await setDetails(account, { name: long, address: { ...address, line1: long, line2: long } })

    const { items, text } = await readInvoice((await buy(account)).pdf_url, account.liveKey)

    const seller = ['Example Gateway Operator', '1 Example Street', 'L-1111 Luxembourg']
    const first = items.findIndex(({ text }) => text === seller[0])
    const lines = items.slice(first, first + 4)
    expect(lines.map(({ text }) => text)).toEqual([...seller, 'Luxembourg (LU)'])
    const gaps = lines.slice(1).map(({ y }, index) => (lines[index]?.y ?? 0) - y)
    for (const gap of gaps) expect(gap).toBeCloseTo(gaps[0] ?? 0)
    expect(gaps[0]).toBeLessThan(15)
    expect(text.match(/word/g)?.length).toBe(3 * 18)
  })

  test('writes an address in the United States as its post does, and the tax id as no VAT id', async () => {
    const account = await gateway.createAccount()
    await setDetails(account, {
      ...{ name: 'Acme Inc.', country: 'US', tax_id: '12-3456789' },
      address: { line1: '1 Main St', city: 'Springfield', state: 'IL', postal_code: '62701' },
    })

    const { items } = await readInvoice((await buy(account)).pdf_url, account.liveKey)

    const texts = items.map(({ text }) => text)
    const first = texts.indexOf('Acme Inc.')
    expect(texts.slice(first, first + 5)).toEqual([
      ...['Acme Inc.', '1 Main St', 'Springfield, IL 62701', 'United States (US)'],
      'Tax id: 12-3456789',
    ])
  })

  test.each([
    { seller: 'with a VAT id', details: { tax_id: 'LU12345678' }, isSaid: true },
    { seller: 'without a VAT id', details: {}, isSaid: false },
    { seller: 'outside the EU', details: { country: 'US', tax_id: '12-3456789' }, isSaid: false },
  ] as const)('of a seller $seller has its id, and its words of reverse charge', async (given) => {
    const account = await gateway.createAccount()
    await setDetails(account, { tax_id: 'DE123456789' })
    await buy(account)
    const owner = { accountId: account.id, environment: 'live' } as const
    const paymentId = await addPayment(account.id)
    const tax = { country: 'DE', ratePercent: 0, isReverseCharge: true, taxId: 'DE123456789' }
    const amounts = { priceCents: 1000, taxCents: 0, totalCents: 1000 }
    const { seller } = priceList
    if (!seller) throw new Error('The price list has no seller.')
    const before = { country: seller.country, tax_id: seller.tax_id }
    Object.assign(seller, given.details)
    const { id } = await database
      .transaction(account.id, (tx) =>
        addInvoice(tx, owner, { paymentId, status: 'paid', ...sold, ...amounts, tax }),
      )
      .finally(() => Object.assign(seller, before))

    const url = `${gateway.baseUrl}/v1/billing/invoices/${id}.pdf`
    const { text } = await readInvoice(url, account.liveKey)

    if (given.isSaid) {
      expect(text).toContain('VAT id: LU12345678')
      expect(text).toContain('Tax (reverse charge) 0.00 EUR')
      expect(text).toContain(
        'Reverse charge: the recipient owes the VAT (Article 196 of Directive 2006/112/EC). VAT id of the recipient: DE123456789',
      )
    } else {
      expect(text).toContain('Tax 0.00 EUR')
      expect(text).not.toMatch(/reverse charge|VAT id: LU/i)
    }
    if (given.seller === 'outside the EU') expect(text).toContain('Tax id: 12-3456789')
  })

  test('names the card that paid, also when its holder has removed it, and the date of supply', async () => {
    const account = await gateway.createAccount()
    const { key, paths } = { key: account.liveKey, paths: '/v1/billing/payment-methods' }
    const cancel = '/v1/account/subscription/cancel'
    expect((await gateway.live.post(cancel, undefined, key)).status).toBe(200)
    const invoice = await buy(account)
    const { body } = await gateway.live.get(paths, key)
    const [{ id: card, last4 }] = Object(body).items
    const removed = await gateway.live.request(`${paths}/${card}`, { method: 'DELETE', key })
    expect(removed.status).toBe(200)
    await gateway.database.query(
      `UPDATE account.payment SET settled_at = '2026-03-04T23:59:59Z' WHERE account_id = $1`,
      [account.id],
    )

    const { text } = await readInvoice(invoice.pdf_url, key)

    expect(text).toContain('Date of supply 2026-03-04')
    expect(text).toContain(`Payment method Visa ending in ${last4}`)
    expect(text).not.toContain('Period of supply')
  })

  test('of a subscription names the period, and the card once it is paid', async () => {
    const account = await gateway.createAccount({ subscriptionTier: 'pro_sub' })
    // The period of the subscription is moved, as if it had just ended.
    await gateway.database.query(
      `UPDATE account.subscription SET anchor_at = now() - period,
         current_period_start = now() - period, current_period_end = now()
       WHERE account_id = $1 AND environment = 'live'`,
      [account.id],
    )
    const invoice = await vi.waitUntil(async () => {
      const { body } = await gateway.live.get('/v1/billing/invoices', account.liveKey)
      const [newest] = Object(body).items
      return newest?.status === 'paid' ? newest : null
    }, patience)
    const [period] = await gateway.database.query<{ start: Date; end: Date }>(
      `SELECT p.period_start AS start, p.period_end AS "end" FROM account.payment p
       JOIN account.invoice i ON i.payment_id = p.id WHERE i.id = $1`,
      [invoice.id],
    )
    const day = (instant: Date | undefined) => instant?.toISOString().slice(0, 10)

    const paid = await readInvoice(invoice.pdf_url, account.liveKey)
    await gateway.database.query(`UPDATE account.invoice SET status = 'open' WHERE id = $1`, [
      invoice.id,
    ])
    const open = await readInvoice(invoice.pdf_url, account.liveKey)

    const supply = `Period of supply ${day(period?.start)} to ${day(period?.end)}`
    for (const { text } of [paid, open]) {
      expect(text).toContain(supply)
      expect(text).not.toContain('Date of supply')
    }
    expect(paid.text).toMatch(/Payment method Visa ending in \d{4}\n/)
    expect(open.text).not.toContain('Payment method')
  })

  test('of the sandbox has the mark TEST, and no key of the other environment opens it', async () => {
    const account = await gateway.createAccount()
    const invoice = await buy(account, 'sandbox')

    const { text, title } = await readInvoice(invoice.pdf_url, account.sandboxKey)

    expect(invoice.number).toMatch(/^TEST-/)
    expect(title).toBe(`Invoice ${invoice.number}`)
    expect(text).toMatch(/^TEST/)
    const livePath = `/v1/billing/invoices/${invoice.id}.pdf`
    const missing = { status: 404, code: 'NOT_FOUND', message: 'No invoice has this id.' } as const
    expectError(gateway, await gateway.live.get(livePath, account.liveKey), missing)
  })

  test('is NOT_FOUND for another account, as for a random id, and for a path of no invoice', async () => {
    const [owner, stranger] = [await gateway.createAccount(), await gateway.createAccount()]
    const { id } = await buy(owner)

    for (const name of [id, newId('inv'), 'inv_x', '.pdf', '']) {
      const response = await gateway.live.get(`/v1/billing/invoices/${name}.pdf`, stranger.liveKey)
      const message = 'No invoice has this id.'
      expectError(gateway, response, { status: 404, code: 'NOT_FOUND', message })
    }
    const posted = await gateway.live.post(`/v1/billing/invoices/${id}.pdf`, {}, owner.liveKey)
    expectError(gateway, posted, { status: 405, code: 'METHOD_NOT_ALLOWED' })
  })

  test('needs billing:read', async () => {
    const account = await gateway.createAccount()
    const { id } = await buy(account)
    const { plaintext } = await gateway.createKey(account.id, { scopes: ['account:read'] })

    const response = await gateway.live.get(`/v1/billing/invoices/${id}.pdf`, plaintext)

    expectError(gateway, response, { status: 403, code: 'FORBIDDEN' })
  })

  test('shows the rate of the tax, and is printed anew once an open invoice is paid', async () => {
    const account = await gateway.createAccount()
    await setDetails(account, {})
    await buy(account)
    const owner = { accountId: account.id, environment: 'live' } as const
    const paymentId = await addPayment(account.id)
    const tax = { country: 'DE', ratePercent: 19, isReverseCharge: false, taxId: null }
    const amounts = { priceCents: 123_400, taxCents: 23_446, totalCents: 146_846 }
    const { id } = await database.transaction(account.id, (tx) =>
      addInvoice(tx, owner, { paymentId, status: 'open', ...sold, ...amounts, tax }),
    )
    const url = `${gateway.baseUrl}/v1/billing/invoices/${id}.pdf`

    const open = await download(url, account.liveKey)
    await gateway.database.query(`UPDATE account.invoice SET status = 'paid' WHERE id = $1`, [id])
    const paid = await readInvoice(url, account.liveKey)

    expect(open.headers.get('cache-control')).toBe('private, no-cache')
    const { text } = await readPdf(open.bytes)
    for (const part of [
      ...['Status Open', 'Net amount 1,234.00 EUR', 'Tax 19% (DE) 234.46 EUR'],
      ...['Total 1,468.46 EUR', 'Amount due 1,468.46 EUR'],
    ]) {
      expect(text).toContain(part)
    }
    expect(paid.text).toContain('Paid 1,468.46 EUR')
    expect(paid.text).not.toContain('Amount due')
  })

  test('of a credit note names the invoice', async () => {
    const account = await gateway.createAccount()
    await setDetails(account, { tax_id: 'DE123456789' })
    await buy(account)
    const owner = { accountId: account.id, environment: 'live' } as const
    const paymentId = await addPayment(account.id)
    const tax = { country: 'DE', ratePercent: 0, isReverseCharge: true, taxId: 'DE123456789' }
    const amounts = { priceCents: 1000, taxCents: 0, totalCents: 1000 }
    const { original, note } = await database.transaction(account.id, async (tx) => ({
      original: await addInvoice(tx, owner, {
        paymentId,
        status: 'paid',
        ...sold,
        ...amounts,
        tax,
      }),
      note: await addCreditNote(tx, owner, {
        ...{ paymentId, refundId: newId('pay'), amountCents: 250, description: 'Refund' },
      }),
    }))

    const url = `${gateway.baseUrl}/v1/billing/invoices/${note.id}.pdf`
    const { text, title } = await readInvoice(url, account.liveKey)

    expect(title).toBe(`Credit note ${note.number}`)
    for (const part of [
      ...['Credit note', `Number ${note.number}`, `Corrects invoice ${original.number}`],
      ...['Total 2.50 EUR', 'Paid back 2.50 EUR', 'VAT id: DE123456789'],
    ]) {
      expect(text).toContain(part)
    }
    expect(text).toMatch(/Date of supply \d{4}-\d\d-\d\d\n/)
    expect(text).not.toContain('Payment method')
  })
})

test('the service cannot change what an invoice says', async () => {
  const rights = await gateway.database.query(
    `SELECT attname::text AS name FROM pg_attribute
     WHERE attrelid = 'account.invoice'::regclass AND attnum > 0 AND NOT attisdropped
       AND has_column_privilege('gateway_service', attrelid, attnum, 'UPDATE')
     UNION ALL
     SELECT 'document' WHERE has_table_privilege('gateway_service', 'account.invoice_document',
       'UPDATE, DELETE, TRUNCATE')
     ORDER BY 1`,
  )

  expect(rights).toEqual([{ name: 'payment_id' }, { name: 'status' }])
})
