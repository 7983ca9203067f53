import { beforeEach, describe, expect, test } from 'vitest'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { InvoiceDocument } from '../../../subgraphs/account/payments/invoices/pdf/invoice-document.ts'
import { renderPdf } from '../../../subgraphs/account/payments/invoices/pdf/pdf-renderer.ts'

const invoice: InvoiceDocument = {
  ...{ type: 'invoice', number: 'INV-1', status: 'paid', createdAt: new Date(0), isTest: false },
  seller: null,
  buyer: {
    ...{ name: 'Acme', address: null, country: null, taxId: null, email: null },
    purchaseOrder: null,
  },
  ...{ paidAt: null, periodStart: null, periodEnd: null, provider: null, card: null },
  ...{ description: 'Credits', credits: 1000, currency: 'EUR' },
  ...{ priceCents: 1000, taxCents: 0, totalCents: 1000, tax: null, originalNumber: null },
}

type Environment = AccountScope['environment']

/** Asks for so many documents of an account; each says its name when it is rendered. */
function ask(accountId: string, count: number, environment: Environment = 'live') {
  return Array.from({ length: count }, async () => {
    const pdf = await renderPdf(invoice, { accountId, environment })
    order.push(accountId)
    return Buffer.from(pdf)
  })
}

let order: string[] = []
beforeEach(() => {
  order = []
})

/** Why each was refused; null: it was rendered. */
async function refusalsOf(asked: readonly Promise<Buffer>[]) {
  const outcomes = await Promise.allSettled(asked)
  return outcomes.map((one) => (one.status === 'fulfilled' ? null : one.reason))
}

const tooMany = expect.objectContaining({
  message: '5 PDFs of this account are waiting to be made. Try again soon.',
  extensions: expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 1 }),
})
const busy = expect.objectContaining({
  message: 'Too many invoices are being rendered. Try again soon.',
  extensions: expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 }),
})

describe('renderPdf', () => {
  test('renders one document after the other: live before sandbox, and the accounts in turn', async () => {
    const asked = [
      ...ask('a test', 3, 'sandbox'),
      ...ask('a', 4),
      ...ask('b test', 1, 'sandbox'),
      ...ask('b', 2),
      ...ask('c', 1),
    ]

    const rendered = await Promise.all(asked)

    expect(order).toEqual([
      ...['a test', 'a', 'b', 'c', 'a', 'b', 'a', 'a'],
      ...['a test', 'b test', 'a test'],
    ])
    for (const pdf of rendered) expect(pdf.equals(rendered[0] ?? Buffer.of())).toBe(true)
  })

  test('refuses an account that has five waiting, and nobody else', async () => {
    const many = ask('many', 8)
    const others = [...ask('other', 2), ...ask('many', 1, 'sandbox')]

    const refusals = await refusalsOf([...many, ...others])

    expect(refusals).toEqual([...Array(6).fill(null), tooMany, tooMany, null, null, null])
    expect(order.indexOf('other')).toBe(2)
    expect(await refusalsOf(ask('many', 1))).toEqual([null])
  })

  test('lets each account have one of its own while fifty wait', async () => {
    const crowd = Array.from({ length: 10 }, (_, index) => ask(`crowd ${index}`, 5)).flat()
    const late = [...ask('crowd 0', 1), ...ask('late', 2), ...ask('late', 1, 'sandbox')]

    const refusals = await refusalsOf([...crowd, ...late])

    // The first of all is being rendered, so its account may have one more.
    expect(refusals).toEqual([...Array(52).fill(null), busy, null])
    expect(order.indexOf('late')).toBe(11)
  })
})
