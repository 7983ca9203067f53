import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { makeFont } from '../../support/fonts/made-font.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { readPdf } from '../../support/requests/pdf.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
const folder = mkdtempSync(join(tmpdir(), 'invoice-fonts-'))
beforeAll(async () => {
  writeFileSync(join(folder, 'han.ttf'), makeFont('東京都大阪東', { name: 'MadeHan' }))
  const bold = makeFont('東京', { name: 'MadeHanBold', isBold: true })
  writeFileSync(join(folder, 'han-bold.ttf'), bold)
  writeFileSync(join(folder, 'others.ttf'), makeFont('กขค😀שלום', { name: 'MadeOthers' }))
  gateway = await startTestGateway({ INVOICE_FONTS: folder })
})
afterAll(async () => {
  await gateway.close()
  rmSync(folder, { recursive: true })
})

const address = { line1: '1 Road', line2: null, city: 'Tokyo', postal_code: '100', state: null }
const details = { name: 'Acme', address, country: 'JP', tax_id: null, purchase_order: null }

function put(key: string, body: object) {
  return gateway.live.request('/v1/billing/details', { method: 'PUT', key, body })
}

async function readInvoice(key: string) {
  const purchase = { package_id: 'pack_starter', payment_method: 'simulated' }
  expect((await gateway.live.post('/v1/billing/checkout', purchase, key)).status).toBe(201)
  const invoice = await vi.waitUntil(async () => {
    const { body } = await gateway.live.get('/v1/billing/invoices', key)
    return Object(body).items[0] ?? null
  }, patience)
  const response = await fetch(invoice.pdf_url, { headers: { authorization: `Bearer ${key}` } })
  expect(response.status).toBe(200)
  const bytes = Buffer.from(await response.arrayBuffer())
  return { ...(await readPdf(bytes)), fonts: bytes.toString('latin1').match(/\+Made\w+/g) ?? [] }
}

describe('GET /v1/billing/invoices/{invoice_id}.pdf with INVOICE_FONTS', () => {
  test('sets the letters that the built-in font lacks with these fonts, a bold one in bold text', async () => {
    const { liveKey } = await gateway.createAccount()
    const mixed = {
      ...{ ...details, name: 'Bräu 東京 GmbH', purchase_order: 'ก-東-Ω-😀' },
      address: { ...address, line1: '大阪ก1', city: '東京都' },
    }
    expect((await put(liveKey, mixed)).status).toBe(200)

    const { text, fonts } = await readInvoice(liveKey)

    for (const part of ['Bräu 東京 GmbH', 'ก-東-Ω-😀', '大阪ก1', '東京都', 'Total 10.00 USD']) {
      expect(text).toContain(part)
    }
    expect(text).not.toContain('?')
    expect(new Set(fonts)).toEqual(new Set(['+MadeHan', '+MadeHanBold', '+MadeOthers']))
  })

  test('wraps long text without spaces between its letters', async () => {
    const { liveKey } = await gateway.createAccount()
    const long = '東a'.repeat(100)
    expect((await put(liveKey, { ...details, purchase_order: long })).status).toBe(200)

    const { text } = await readInvoice(liveKey)

    expect(text.match(/東/g)?.length).toBe(100)
    expect(text.replaceAll(/\s/g, '')).toContain(long)
  })
})

describe('PUT /v1/billing/details with INVOICE_FONTS', () => {
  test('names the fields and letters that no font has, and text from right to left although a font has it', async () => {
    const { liveKey } = await gateway.createAccount()
    expect((await put(liveKey, details)).status).toBe(200)

    const response = await put(liveKey, {
      ...{ ...details, name: '東京 株', tax_id: 'שלום 1', purchase_order: '😀' },
      address: { ...address, city: '大阪', line2: 'e\u0301 q\u0308 \u{e000}' },
    })

    expect(response.status).toBe(422)
    const { error } = Object(response.body)
    expect(error.code).toBe('INVALID_REQUEST')
    const cannot = 'has letters that cannot be printed: '
    expect(error.details).toEqual([
      { field: 'name', in: 'body', message: `${cannot}株 (U+682A)` },
      { field: 'address.line2', in: 'body', message: `${cannot}\u{e000} (U+E000)` },
      {
        ...{ field: 'tax_id', in: 'body' },
        message: `${cannot}ש (U+05E9), ל (U+05DC), ו (U+05D5), ם (U+05DD). Text is printed from left to right only`,
      },
    ])
    for (const { field, message } of error.details) {
      expect(error.message).toContain(field)
      expect(error.message).toContain(message)
    }
    expect((await gateway.live.get('/v1/billing/details', liveKey)).body).toEqual(details)
  })
})
