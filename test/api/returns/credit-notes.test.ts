import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import {
  addCreditNote,
  addInvoice,
} from '../../../subgraphs/account/payments/invoices/invoice-writing.service.ts'
import {
  type AccountDatabase,
  openAccountDatabase,
} from '../../support/database/account-database.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

/** Two gateways on one database. */
let gateway: TestGateway
let other: TestGateway
let database: AccountDatabase
let otherDatabase: AccountDatabase
beforeAll(async () => {
  gateway = await startTestGateway()
  other = await startTestGateway({}, { database: gateway.database })
  database = await openAccountDatabase(gateway.database)
  otherDatabase = await openAccountDatabase(gateway.database)
})
afterAll(async () => {
  await Promise.all([database.close(), otherDatabase.close()])
  await other.close()
  await gateway.close()
})

type Listener = 'live' | 'sandbox'
const year = new Date().getUTCFullYear()

async function buy(account: TestAccount, listener: Listener = 'live', at = gateway) {
  const key = listener === 'live' ? account.liveKey : account.sandboxKey
  const body = { package_id: 'pack_starter', payment_method: 'simulated' }
  const response = await at[listener].post('/v1/billing/checkout', body, key)
  expect(response.status).toBe(201)
  return String(Object(response.body).id)
}

async function invoicesOf({ liveKey, sandboxKey }: TestAccount, listener: Listener = 'live') {
  const key = listener === 'live' ? liveKey : sandboxKey
  const { status, body } = await gateway[listener].get('/v1/billing/invoices?limit=200', key)
  expect(status).toBe(200)
  return Object(body).items
}

/** The invoice of a payment, once it is there. */
function paid(account: TestAccount, listener: Listener = 'live') {
  return vi.waitUntil(async () => (await invoicesOf(account, listener))[0] ?? null, patience)
}

interface Refund {
  readonly paymentId: string
  readonly refundId?: string
  readonly amountCents: number
  readonly environment?: Listener
}

function refund(account: TestAccount, { environment = 'live', ...refund }: Refund, by = database) {
  const owner = { accountId: account.id, environment }
  const note = { refundId: newId('pay'), description: 'Refund', ...refund }
  return by.transaction(account.id, (tx) => addCreditNote(tx, owner, note))
}

/** An account with a payment whose invoice has these amounts. */
async function openTaxed(amounts: { priceCents: number; taxCents: number }) {
  const account = await gateway.createAccount()
  await buy(account)
  const original = await paid(account)
  const paymentId = newId('pay')
  await gateway.database.query(
    `INSERT INTO account.payment SELECT (jsonb_populate_record(p, jsonb_build_object(
       'id', $2::text, 'reference', $2::text, 'provider_reference', $2::text))).*
     FROM account.payment p WHERE account_id = $1`,
    [account.id, paymentId],
  )
  const owner = { accountId: account.id, environment: 'live' } as const
  const invoice = await database.transaction(account.id, (tx) =>
    addInvoice(tx, owner, {
      ...{ paymentId, status: 'paid', credits: 1000, currency: 'EUR', description: 'A package' },
      ...{ ...amounts, totalCents: amounts.priceCents + amounts.taxCents },
      tax: { country: 'DE', ratePercent: 19, isReverseCharge: false, taxId: null },
    }),
  )
  return { account, original, paymentId, invoice }
}

describe('a credit note', () => {
  test('has positive amounts, a number of its own row and the id of the invoice', async () => {
    const account = await gateway.createAccount()
    const paymentId = await buy(account)
    const invoice = await paid(account)

    const note = await refund(account, { paymentId, amountCents: 400 })

    const [newest] = await invoicesOf(account)
    expect(newest).toEqual({
      id: note.id,
      number: `CN-${invoice.number.slice(0, 8)}-${year}-000001`,
      type: 'credit_note',
      status: 'paid',
      total_cents: 400,
      tax_cents: 0,
      currency: 'USD',
      credits: 400,
      description: 'Refund',
      pdf_url: `${gateway.baseUrl}/v1/billing/invoices/${note.id}.pdf`,
      original_invoice_id: invoice.id,
      created_at: expect.stringMatching(/Z$/),
    })
    const alone = await gateway.live.get(`/v1/billing/invoices/${note.id}`, account.liveKey)
    expect(alone.body).toEqual(newest)
  })

  test('is made once for a refund, also in parallel, with one event', async () => {
    const account = await gateway.createAccount()
    const paymentId = await buy(account)
    const invoice = await paid(account)
    const one = { paymentId, refundId: newId('pay'), amountCents: 600 }

    const notes = await Promise.all([
      ...Array.from({ length: 4 }, () => refund(account, one)),
      ...Array.from({ length: 4 }, () => refund(account, one, otherDatabase)),
    ])

    expect(new Set(notes.map(({ id }) => id)).size).toBe(1)
    expect(await invoicesOf(account)).toHaveLength(2)
    const events = await gateway.database.query(
      `SELECT data FROM account.event WHERE account_id = $1 AND type = 'credit_note.created'`,
      [account.id],
    )
    expect(events).toEqual([
      {
        data: {
          ...{
            invoice_id: notes[0]?.id,
            number: notes[0]?.number,
            original_invoice_id: invoice.id,
          },
          ...{
            payment_id: paymentId,
            total_cents: 600,
            tax_cents: 0,
            currency: 'USD',
            credits: 600,
          },
        },
      },
    ])
  })

  test('has the tax and the credits in proportion, and the last one takes the rest', async () => {
    const { account, paymentId, invoice } = await openTaxed({ priceCents: 1000, taxCents: 190 })

    for (const amountCents of [333, 333, 333, 191])
      await refund(account, { paymentId, amountCents })

    const notes = (await invoicesOf(account)).filter(
      ({ original_invoice_id: original }: { original_invoice_id: string }) =>
        original === invoice.id,
    )
    const shown = notes.map(({ total_cents, tax_cents, credits }: Record<string, unknown>) => [
      ...[total_cents, tax_cents, credits],
    ])
    expect(shown.toReversed()).toEqual([
      [333, 53, 279],
      [333, 53, 280],
      [333, 54, 280],
      [191, 30, 161],
    ])
  })

  test('is refused beyond what was paid, and without a paid invoice; nothing is numbered', async () => {
    const { account, paymentId } = await openTaxed({ priceCents: 100, taxCents: 19 })
    await refund(account, { paymentId, amountCents: 100 })

    await expect(refund(account, { paymentId, amountCents: 20 })).rejects.toThrow('does not fit')
    await expect(refund(account, { paymentId, amountCents: 0 })).rejects.toThrow('does not fit')
    const unknown = { paymentId: newId('pay'), amountCents: 1 }
    await expect(refund(account, unknown)).rejects.toThrow('no paid invoice')

    const last = await refund(account, { paymentId, amountCents: 19 })
    expect(last.number).toMatch(/-000002$/)
  })

  test('is of the account and environment of its payment', async () => {
    const [account, stranger] = [await gateway.createAccount(), await gateway.createAccount()]
    const paymentId = await buy(account)
    await paid(account)

    const sandbox = { paymentId, amountCents: 1, environment: 'sandbox' } as const
    await expect(refund(account, sandbox)).rejects.toThrow('no paid invoice')
    await expect(refund(stranger, { paymentId, amountCents: 1 })).rejects.toThrow('no paid invoice')

    expect(await invoicesOf(stranger)).toEqual([])
  })
})

describe('numbers', () => {
  test('of invoices and credit notes have no gaps, over two gateways and in both environments', async () => {
    const account = await gateway.createAccount()
    const count = 5
    const purchases = Array.from({ length: count }, (_, index) => {
      const at = index % 2 === 0 ? gateway : other
      return Promise.all([buy(account, 'live', at), buy(account, 'sandbox', at)])
    })
    const payments = await Promise.all(purchases)
    for (const listener of ['live', 'sandbox'] as const) {
      await vi.waitFor(async () => {
        expect(await invoicesOf(account, listener)).toHaveLength(count)
      }, patience)
    }

    // Some are rolled back after they had a number; purchases go on meanwhile.
    const undone = new Error('undone')
    await Promise.all([
      ...payments.flatMap(([live, sandbox], index) => {
        const by = index % 2 === 0 ? database : otherDatabase
        return [
          refund(account, { paymentId: live, amountCents: 300 }, by),
          refund(account, { paymentId: live, amountCents: 700 }, otherDatabase),
          refund(account, { paymentId: sandbox, amountCents: 5, environment: 'sandbox' }, by),
        ]
      }),
      ...payments.map(([paymentId]) => {
        const owner = { accountId: account.id, environment: 'live' } as const
        const note = { paymentId, refundId: newId('pay'), amountCents: 1, description: 'x' }
        const work = database.transaction(account.id, async (tx) => {
          await addCreditNote(tx, owner, note)
          throw undone
        })
        // Where all of the payment came back before, it is refused.
        return expect(work).rejects.toThrow(/undone|does not fit/)
      }),
      ...[gateway, other].map((at) => buy(account, 'live', at)),
    ])
    await vi.waitFor(async () => {
      expect(await invoicesOf(account)).toHaveLength(count + 2 + 2 * count)
    }, patience)

    const numbersOf = async (listener: Listener, type: string) =>
      (await invoicesOf(account, listener))
        .filter((invoice: { type: string }) => invoice.type === type)
        .map(({ number }: { number: string }) => number)
        .toSorted()
    const [first] = await numbersOf('live', 'invoice')
    const prefix = first.slice(0, 8)
    const row = (head: string, length: number) =>
      Array.from({ length }, (_, index) => {
        return `${head}${prefix}-${year}-${String(index + 1).padStart(6, '0')}`
      })
    expect(await numbersOf('live', 'invoice')).toEqual(row('', count + 2))
    expect(await numbersOf('live', 'credit_note')).toEqual(row('CN-', 2 * count))
    expect(await numbersOf('sandbox', 'invoice')).toEqual(row('TEST-', count))
    expect(await numbersOf('sandbox', 'credit_note')).toEqual(row('TEST-CN-', count))
  })
})
