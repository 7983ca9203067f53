import { expect, test } from 'vitest'
import type { InvoiceDocument } from '../../../subgraphs/account/payments/invoices/pdf/invoice-document.ts'
import { renderPdf } from '../../../subgraphs/account/payments/invoices/pdf/pdf-renderer.ts'

const invoice: InvoiceDocument = {
  ...{ type: 'invoice', number: 'INV-1', status: 'paid', createdAt: new Date(0), isTest: false },
  seller: null,
  buyer: {
    ...{ name: 'Acme', address: null, country: null, taxId: null, email: null },
    purchaseOrder: null,
  },
  ...{ description: 'Credits', credits: 1000, currency: 'EUR' },
  ...{ priceCents: 1000, taxCents: 0, totalCents: 1000, tax: null, originalNumber: null },
}

test('a process renders 50 invoices one after the other, refuses those beyond, and then renders again', async () => {
  const asked = Array.from({ length: 53 }, () => renderPdf(invoice))

  const outcomes = await Promise.allSettled(asked)

  const rendered = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? [Buffer.from(outcome.value)] : [],
  )
  const refused = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason] : [],
  )
  expect(rendered).toHaveLength(50)
  for (const pdf of rendered) expect(pdf.equals(rendered[0] ?? Buffer.of())).toBe(true)
  expect(refused).toHaveLength(3)
  for (const reason of refused) {
    expect(reason).toMatchObject({
      message: 'Too many invoices are being rendered. Try again soon.',
      extensions: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 },
    })
  }
  expect(Buffer.from(await renderPdf(invoice)).equals(rendered[0] ?? Buffer.of())).toBe(true)
})
