import { newId } from '../../../schema/vocabulary/ids.ts'
import { type AccountScope, recordChange } from '../../shared/changes/change.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Database, Statement, Transaction } from '../../shared/database/database.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import { DomainError, invalidRequest } from '../../shared/graph/errors.ts'
import { isBarred } from '../payment-blocks/payment-block.service.ts'
import { priceList } from '../prices/price-list.ts'
import { lockCheckouts, refuseAfterDeclines } from './declined-payments.ts'
import type { CheckoutInput, CreditPackage, Payment } from './payment.type.ts'
import { collectPayment, type PaymentContext } from './payment-collection.service.ts'
import type { PaymentProvider } from './providers/payment-provider.ts'

/** The packages on sale. */
export function listPackages(): CreditPackage[] {
  const { currency } = priceList
  return priceList.packages.map(({ price_cents, ...offer }) => ({
    ...offer,
    priceCents: price_cents,
    currency,
  }))
}

const paymentById: Statement = {
  name: 'payment-by-id',
  text: `
    SELECT p.id, p.status, p.package_id AS "packageId", p.credits, p.total_cents AS "totalCents",
      p.currency, p.failure_reason AS "failureReason", i.id AS "invoiceId",
      p.created_at AS "createdAt"
    FROM account.payment p LEFT JOIN account.invoice i ON i.payment_id = p.id
    WHERE p.id = $1`,
}

async function readPayment(database: Database, id: string): Promise<Payment> {
  const [payment] = await database.query<Payment>(paymentById, [id])
  if (!payment) throw new Error(`The payment ${id} is missing.`)
  return payment
}

const savedMethod: Statement = {
  name: 'payment-method-saved',
  text: `SELECT payment_method AS method FROM account.auto_recharge
    WHERE account_id = $1 AND environment = $2`,
}

/**
 * Buys a package, with the saved payment method unless one is named. With `once`, a retry continues
 * the first attempt. The payment is pending while the provider has not decided or cannot be
 * reached. Throws INVALID_REQUEST for a package that is not on sale, for a missing or impossible
 * payment method, and for a retry with another request; RATE_LIMIT_EXCEEDED after too many
 * declines; SERVICE_UNAVAILABLE if no provider collects payments: then nothing begins.
 */
export async function checkout(
  context: PaymentContext,
  owner: AccountScope,
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
  if (!offer || method === null) throw new Error('The checks above let a missing value pass.')
  const isFree = !(await isBarred(database, owner, method))
  requireAll([['payment_method', isFree, 'is barred, because a payment with it was disputed']])
  const id = await startCheckout(context, { ...owner, offer, paymentMethod, method, once })
  await collectPayment(context, id)
  return readPayment(database, id)
}

/** The saved method, unless it belongs to another provider, as before the first use of Stripe. */
async function usualMethod(
  database: Database,
  { accountId, environment }: AccountScope,
  provider: PaymentProvider,
): Promise<string | null> {
  const [saved] = await database.query<{ method: string }>(savedMethod, [accountId, environment])
  return saved && provider.isMethod(saved.method) ? saved.method : provider.defaultMethod
}

interface NewCheckout extends AccountScope {
  readonly offer: CreditPackage
  /** The method that the caller named, if any. */
  readonly paymentMethod: string | null | undefined
  /** The method to use. */
  readonly method: string
  readonly once: OnceInput | null
}

/**
 * An idempotency key is free again once its answer is no longer kept: then this is another
 * purchase.
 */
const releaseOldReference: Statement = {
  name: 'checkout-release-reference',
  text: `UPDATE account.payment SET reference = id WHERE account_id = $1 AND environment = $2
      AND reference = $3 AND created_at <= now() - make_interval(secs => $4)`,
}

// 45 s is longer than collecting can take, second attempts included: no job asks before that.
const addCheckout: Statement = {
  name: 'checkout-add-payment',
  text: `INSERT INTO account.payment (id, account_id, environment, kind, package_id, package_name,
      tier, credits, total_cents, currency, payment_method, reference, ask_at)
    VALUES ($1, $2, $3, 'checkout', $4, $5, $6, $7, $8, $9, $10, $11, now() + interval '45 s')
    ON CONFLICT (account_id, environment, reference) DO NOTHING`,
}

const checkoutByReference: Statement = {
  name: 'checkout-by-reference',
  text: `SELECT id, package_id AS "packageId", payment_method AS method FROM account.payment
    WHERE account_id = $1 AND environment = $2 AND reference = $3`,
}

interface StartedCheckout {
  readonly id: string
  readonly packageId: string
  readonly method: string
}

function startCheckout(
  { database, caller }: PaymentContext,
  { accountId, environment, offer, paymentMethod, method, once }: NewCheckout,
): Promise<string> {
  const owner = { accountId, environment }
  return database.transaction(async (tx) => {
    await lockCheckouts(tx, owner)
    const id = newId('pay')
    const started = await addOrFind(tx, { ...owner, id, offer, method, once })
    const isSame =
      started.packageId === offer.id && started.method === (paymentMethod ?? started.method)
    // The first attempt got no answer, or the gateway would have refused this one.
    if (!isSame) {
      throw invalidRequest([
        { field: 'Idempotency-Key', in: 'header', message: 'was used before for another request' },
      ])
    }
    // A retry continues the payment of the first attempt, so it does not count as another one.
    if (started.id !== id) return started.id
    await refuseAfterDeclines(tx, owner, id)
    const note = { resourceId: id, details: { package_id: offer.id } }
    await recordChange(tx, { caller }, { owner, action: 'checkout.create' }, note)
    return id
  })
}

interface AddedCheckout extends Omit<NewCheckout, 'paymentMethod'> {
  readonly id: string
}

/** The new payment, or the payment of the first attempt under the same reference. */
async function addOrFind(
  tx: Transaction,
  { accountId, environment, id, offer, method, once }: AddedCheckout,
): Promise<StartedCheckout> {
  const reference = once?.reference ?? id
  const key = [accountId, environment, reference]
  await tx.query(releaseOldReference, [...key, once?.seconds ?? 0])
  await tx.query(addCheckout, [
    ...[id, accountId, environment, offer.id, offer.name, offer.tier, offer.credits],
    ...[offer.priceCents, offer.currency, method, reference],
  ])
  const [started] = await tx.query<StartedCheckout>(checkoutByReference, key)
  if (!started) throw new Error('A payment that was just inserted is missing.')
  return started
}
