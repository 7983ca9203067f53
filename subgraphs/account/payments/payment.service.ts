import { newId } from '../../../schema/vocabulary/ids.ts'
import { type Owner, recordChange } from '../../shared/changes/change.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import { DomainError, invalidRequest } from '../../shared/graph/errors.ts'
import { priceList } from '../prices/price-list.ts'
import { awaitOtherCheckouts, refuseAfterDeclines } from './declined-payments.ts'
import type { CheckoutInput, CreditPackage, Payment, PaymentStatus } from './payment.type.ts'
import { collectPayment, type PaymentContext } from './payment-collection.service.ts'
import type { PaymentProvider } from './providers/payment-provider.ts'

/** What is for sale. */
export function listPackages(): CreditPackage[] {
  const { currency } = priceList
  return priceList.packages.map(({ price_cents, ...offer }) => ({
    ...offer,
    priceCents: price_cents,
    currency,
  }))
}

interface PaymentRow {
  readonly id: string
  readonly status: PaymentStatus
  readonly package_id: string
  readonly credits: number
  readonly total_cents: number
  readonly currency: string
  readonly payment_method: string
  readonly failure_reason: string | null
  readonly invoice_id: string | null
  readonly created_at: Date
}

const paymentById: Statement = {
  name: 'payment-by-id',
  text: `SELECT p.id, p.status, p.package_id, p.credits, p.total_cents, p.currency,
      p.payment_method, p.failure_reason, i.id AS invoice_id, p.created_at
    FROM account.payment p LEFT JOIN account.invoice i ON i.payment_id = p.id
    WHERE p.id = $1`,
}

async function readPayment(database: Database, id: string): Promise<PaymentRow> {
  const [row] = await database.query<PaymentRow>(paymentById, [id])
  if (!row) throw new Error(`The payment ${id} is gone.`)
  return row
}

const savedMethod: Statement = {
  name: 'payment-method-saved',
  text: `SELECT payment_method FROM account.auto_recharge
    WHERE account_id = $1 AND environment = $2`,
}

/**
 * Buys a package, with the method that is saved unless one is named. With `once`, an attempt before is
 * this one. The payment is pending while the provider has not decided or cannot be reached. Throws
 * INVALID_REQUEST for a package that is not for sale, for no or an impossible payment method, and when
 * the attempt before was another; RATE_LIMIT_EXCEEDED when too many were declined; SERVICE_UNAVAILABLE
 * where nobody collects payments: then nothing is begun.
 */
export async function checkout(
  context: PaymentContext,
  owner: Owner,
  { packageId, paymentMethod }: CheckoutInput,
  once: OnceInput | null,
): Promise<Payment> {
  const { database, providers } = context
  const provider = providers[owner.environment]
  if (!provider) throw new DomainError('SERVICE_UNAVAILABLE', 'Payments are not taken here.')
  const offers = listPackages()
  const offer = offers.find(({ id }) => id === packageId)
  const known = offers.map(({ id }) => id).join(', ')
  const method = paymentMethod ?? (await usualMethod(database, owner, provider))
  const isMethod = method !== null && provider.isMethod(method)
  requireAll([
    ['package_id', offer !== undefined, `must be one of ${known}`],
    ['payment_method', isMethod, provider.methodRule],
  ])
  if (!offer || method === null) throw new Error('What is missing was let through.')
  const id = await startCheckout(context, { ...owner, offer, paymentMethod, method, once })
  await collectPayment(context, id)
  return toPayment(await readPayment(database, id))
}

/** The one saved, unless it is that of another provider: so it may be before Stripe is first used. */
async function usualMethod(
  database: Database,
  { accountId, environment }: Owner,
  provider: PaymentProvider,
): Promise<string | null> {
  const [saved] = await database.query<{ payment_method: string }>(savedMethod, [
    accountId,
    environment,
  ])
  const isUsable = saved !== undefined && provider.isMethod(saved.payment_method)
  return isUsable ? saved.payment_method : provider.defaultMethod
}

interface NewCheckout extends Owner {
  readonly offer: CreditPackage
  /** As it was named, if it was. */
  readonly paymentMethod: string | null | undefined
  /** The one to use. */
  readonly method: string
  readonly once: OnceInput | null
}

/** Longer than collecting can take, with its second attempts: nobody asks about what is still being done. */
const collectionPatience = "interval '45 s'"

function startCheckout(
  { database, caller }: PaymentContext,
  { accountId, environment, offer, paymentMethod, method, once }: NewCheckout,
): Promise<string> {
  const id = newId('pay')
  const reference = once?.reference ?? id
  return database.transaction(async (tx) => {
    const owner = { accountId, environment }
    await awaitOtherCheckouts(tx, owner)
    // As old as answers are kept: the key has been free since, and this is another purchase.
    await tx.execute(
      `UPDATE account.payment SET reference = id WHERE account_id = ? AND environment = ?
         AND reference = ? AND created_at <= now() - make_interval(secs => ?)`,
      [accountId, environment, reference, once?.seconds ?? 0],
    )
    await tx.execute(
      `INSERT INTO account.payment (id, account_id, environment, kind, package_id, package_name,
         tier, credits, total_cents, currency, payment_method, reference, ask_at)
       VALUES (?, ?, ?, 'checkout', ?, ?, ?, ?, ?, ?, ?, ?, now() + ${collectionPatience})
       ON CONFLICT (account_id, environment, reference) DO NOTHING`,
      [
        ...[id, accountId, environment, offer.id, offer.name, offer.tier, offer.credits],
        ...[offer.priceCents, offer.currency, method, reference],
      ],
    )
    const [row] = await tx.execute<{ id: string; package_id: string; payment_method: string }[]>(
      `SELECT id, package_id, payment_method FROM account.payment
       WHERE account_id = ? AND environment = ? AND reference = ?`,
      [accountId, environment, reference],
    )
    if (!row) throw new Error('A payment that was made is gone.')
    const { id: found, package_id, payment_method } = row
    if (package_id === offer.id && (paymentMethod ?? payment_method) === payment_method) {
      // What an attempt before has begun is no further payment.
      if (found !== id) return found
      await refuseAfterDeclines(tx, owner, id)
      const note = { resourceId: id, details: { package_id } }
      await recordChange(tx, { caller }, { owner, action: 'checkout.create' }, note)
      return id
    }
    // The attempt before got no answer, or the gateway would have refused this one.
    throw invalidRequest([
      { field: 'Idempotency-Key', in: 'header', message: 'was used before for another request' },
    ])
  })
}

function toPayment(row: PaymentRow): Payment {
  return {
    id: row.id,
    status: row.status,
    packageId: row.package_id,
    credits: row.credits,
    totalCents: row.total_cents,
    currency: row.currency,
    invoiceId: row.invoice_id,
    failureReason: row.failure_reason,
    createdAt: row.created_at,
  }
}
