import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { priceByTable } from '../../../subgraphs/account/payments/invoices/tax.service.ts'
import { priceList } from '../../../subgraphs/account/prices/price-list.ts'
import {
  type AccountDatabase,
  openAccountDatabase,
} from '../../support/database/account-database.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
let database: AccountDatabase
beforeAll(async () => {
  gateway = await sharedGateway()
  database = await openAccountDatabase(gateway.database)
})
afterAll(async () => {
  await database.close()
  await gateway.close()
})

const path = '/v1/billing/details'
const address = {
  ...{ line1: 'Unter den Linden 1', line2: null, city: 'Berlin', postal_code: '10117' },
  state: null,
}
const details = {
  ...{ name: 'Größe & Söhne GmbH', address, country: 'DE' },
  ...{ tax_id: 'DE123456789', purchase_order: 'PO-7' },
}
const nothing = { name: null, address: null, country: null, tax_id: null, purchase_order: null }

function put(key: string, body: object, headers: Record<string, string> = {}) {
  return gateway.live.request(path, { method: 'PUT', key, body, headers })
}

describe('GET /v1/billing/details', () => {
  test('is all null before the first PUT', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get(path, liveKey)

    expect(response).toMatchObject({ status: 200, body: nothing })
  })
})

describe('PUT /v1/billing/details', () => {
  test('replaces all of it, in its own environment and account', async () => {
    const mine = await gateway.createAccount()
    const other = await gateway.createAccount()

    const first = await put(mine.liveKey, details)
    const shorter = { name: 'Acme', address: { line1: '1 Rd', city: 'Hong Kong', postal_code: '' } }
    const second = await put(mine.liveKey, { ...shorter, country: 'HK' })

    expect(first).toMatchObject({ status: 200, body: details })
    const expected = {
      ...{ name: 'Acme', address: { ...shorter.address, line2: null, state: null } },
      ...{ country: 'HK', tax_id: null, purchase_order: null },
    }
    expect(second.status).toBe(200)
    expect(second.body).toEqual(expected)
    expect((await gateway.live.get(path, mine.liveKey)).body).toEqual(expected)
    expect((await gateway.sandbox.get(path, mine.sandboxKey)).body).toEqual(nothing)
    expect((await gateway.live.get(path, other.liveKey)).body).toEqual(nothing)
  })

  test('takes 200 characters, and keeps each of them', async () => {
    const { liveKey } = await gateway.createAccount()
    const long = 'ẞ'.repeat(200)
    const full = {
      ...{ name: long, purchase_order: long, tax_id: long, country: 'US' },
      address: { line1: long, line2: long, city: long, postal_code: long, state: long },
    }

    const response = await put(liveKey, full)

    expect(response).toMatchObject({ status: 200, body: full })
  })

  test('stores a VAT id without what people write between', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await put(liveKey, { ...details, tax_id: 'de 123.456-789' })

    expect(response).toMatchObject({ status: 200, body: { tax_id: 'DE123456789' } })
  })

  test('names every wrong member', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await put(liveKey, {
      ...{ name: ' ', country: 'Germany', tax_id: 'x'.repeat(201), purchase_order: 'a\nb' },
      ...{ address: { line1: '', line2: 'a\u0000b', city: 7, state: 'a\u202Eb' }, fax: '1' },
    })

    expect(response.status).toBe(422)
    const { error } = Object(response.body)
    expect(error.code).toBe('INVALID_REQUEST')
    const fields = error.details.map(({ field }: { field: string }) => field)
    expect(new Set(fields)).toEqual(
      new Set([
        ...['name', 'country', 'tax_id', 'purchase_order', 'fax', 'address.line1'],
        ...['address.line2', 'address.city', 'address.postal_code', 'address.state'],
      ]),
    )
    for (const field of fields) expect(error.message).toContain(field)
  })

  test('names the fields and the letters that invoices cannot show', async () => {
    const { liveKey } = await gateway.createAccount()
    const arabic = 'شركة المثال'

    const response = await put(liveKey, {
      ...{
        ...details,
        name: '東京 東 😀',
        purchase_order: '一二三四五六七八九十百千',
      },
      address: { ...address, line2: arabic, postal_code: '10117\u2009', state: 'תל' },
    })

    expect(response.status).toBe(422)
    const { error } = Object(response.body)
    expect(error.code).toBe('INVALID_REQUEST')
    const problems = Object.fromEntries(
      error.details.map(({ field, message }: Record<'field' | 'message', string>) => [
        field,
        message,
      ]),
    )
    const cannot = 'has letters that cannot be printed: '
    expect(problems).toEqual({
      name: `${cannot}東 (U+6771), 京 (U+4EAC), 😀 (U+1F600)`,
      'address.line2': expect.stringContaining('ش (U+0634)'),
      'address.state': `${cannot}ת (U+05EA), ל (U+05DC). Text is printed from left to right only`,
      purchase_order: expect.stringMatching(/^[^:]*: 一 \(U\+4E00\), .* and 2 more$/),
    })
    for (const field of Object.keys(problems)) expect(error.message).toContain(field)
    expect((await gateway.live.get(path, liveKey)).body).toEqual(nothing)
  })

  test.each([
    ['DE', 'DE12345678'],
    ['DE', 'FR12345678901'],
    ['GR', 'GR123456789'],
  ])(
    'refuses a VAT id of impossible form in %s, beside other problems: %s',
    async (country, tax_id) => {
      const { liveKey } = await gateway.createAccount()

      const response = await put(liveKey, { ...details, name: '', country, tax_id })

      expect(response.status).toBe(422)
      expect(Object(response.body).error.details).toEqual([
        { field: 'name', in: 'body', message: 'must not be blank' },
        {
          ...{ field: 'tax_id', in: 'body' },
          message: expect.stringMatching(`^must be a VAT id of ${country} such as `),
        },
      ])
      expect((await gateway.live.get(path, liveKey)).body).toEqual(nothing)
    },
  )

  test('names the length of a VAT id that is too long, and does not look at its form', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await put(liveKey, { ...details, country: 'DE', tax_id: ' '.repeat(201) })

    expect(response.status).toBe(422)
    expect(Object(response.body).error.details).toEqual([
      { field: 'tax_id', in: 'body', message: 'must have at most 200 characters' },
      { field: 'tax_id', in: 'body', message: 'must not be blank' },
    ])
  })

  test('happens once with an idempotency key, and leaves a line in the audit trail without names', async () => {
    const { liveKey } = await gateway.createAccount()
    const key = { 'idempotency-key': 'details' }

    const first = await put(liveKey, details, key)
    const later = await put(liveKey, { ...details, name: 'Later' })
    const again = await put(liveKey, details, key)

    expect([first.status, later.status, again.status]).toEqual([200, 200, 200])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await gateway.live.get(path, liveKey)).body).toMatchObject({ name: 'Later' })
    const lines = await vi.waitUntil(async () => {
      const { body } = await gateway.live.get('/v1/account/audit/events', liveKey)
      const found = Object(body).items.filter(
        ({ action }: { action: string }) => action === 'billing_details.update',
      )
      return found.length === 2 ? found : null
    }, patience)
    expect(lines[0]).toMatchObject({ result: 'succeeded', actor_kind: 'key' })
    expect(lines[0].details).toEqual({ country: 'DE', has_tax_id: true })
  })

  test('needs billing:write, and reading billing:read', async () => {
    const account = await gateway.createAccount()
    const reader = await gateway.createKey(account.id, { scopes: ['billing:read'] })
    const writer = await gateway.createKey(account.id, { scopes: ['billing:write'] })

    expect((await gateway.live.get(path, reader.plaintext)).status).toBe(200)
    expectError(gateway, await put(reader.plaintext, details), { status: 403, code: 'FORBIDDEN' })
    expect((await put(writer.plaintext, details)).status).toBe(200)
    expectError(gateway, await gateway.live.get(path, writer.plaintext), {
      ...{ status: 403, code: 'FORBIDDEN' },
    })
  })
})

describe('the price with tax', () => {
  test('follows from the present billing details', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const owner = { accountId: id, environment: 'live' } as const
    const price = () => database.transaction(id, (tx) => priceByTable(tx, owner, 1050))
    const before = { ...priceList.tax }
    Object.assign(priceList.tax, { DE: 19, LU: 17 })
    try {
      const unknown = await price()
      await put(liveKey, { ...details, tax_id: null })
      const consumer = await price()
      await put(liveKey, details)
      const company = await price()
      await put(liveKey, { ...details, country: 'LU', tax_id: 'LU12345678' })
      const domestic = await price()

      const net = { priceCents: 1050, taxCents: 0, totalCents: 1050 }
      expect(unknown).toEqual({ ...net, tax: null })
      expect(consumer).toEqual({
        ...{ priceCents: 1050, taxCents: 200, totalCents: 1250 },
        tax: { country: 'DE', ratePercent: 19, isReverseCharge: false, taxId: null },
      })
      expect(company).toEqual({
        ...net,
        tax: { country: 'DE', ratePercent: 0, isReverseCharge: true, taxId: 'DE123456789' },
      })
      expect(domestic).toMatchObject({ taxCents: 179, tax: { country: 'LU', ratePercent: 17 } })
    } finally {
      for (const country of Object.keys(priceList.tax)) delete priceList.tax[country]
      Object.assign(priceList.tax, before)
    }
  })
})
