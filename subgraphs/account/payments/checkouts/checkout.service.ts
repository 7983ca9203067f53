import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import { newId } from '../../../../schema/vocabulary/ids.ts'
import { recordChange } from '../../../shared/changes/change.ts'
import type { OnceInput } from '../../../shared/changes/once.type.ts'
import type { Database, Statement, Transaction } from '../../../shared/database/database.ts'
import { requireAll } from '../../../shared/graph/checks.ts'
import { DomainError, invalidRequest } from '../../../shared/graph/errors.ts'
import { barredRule, isBarred } from '../../payment-blocks/payment-block.service.ts'
import { listPackages } from '../credit-packages.ts'
import { lockCheckouts, refuseAfterDeclines } from '../declined-payments.ts'
import type { Pricing } from '../invoices/tax.service.ts'
import { methodsAt } from '../methods/stored-methods.service.ts'
import type { CreditPackage } from '../payment.type.ts'
import { collectPayment, type PaymentContext } from '../payment-collection.service.ts'
import type { PaymentProvider } from '../providers/payment-provider.ts'
import { pageMethod } from '../return-links/return-address.ts'
import { pricingFor } from '../tax/tax-of-sale.ts'
import type { Checkout, CheckoutInput, CheckoutPreview } from './checkout.type.ts'
import { getCheckout } from './checkout-reading.service.ts'
import { payerReturnProblem } from './return-url.ts'

/**
 * Buys a package: by a stored method, or on a page of the provider. With `once`, a retry continues
 * the first attempt. The checkout is pending while the provider has not decided or cannot be
 * reached. Throws INVALID_REQUEST for a package that is not on sale, for an unknown payment method,
 * for a return address that is not allowed, and for a retry with another request; CONFLICT with too
 * many open checkouts; RATE_LIMIT_EXCEEDED after too many declines; SERVICE_UNAVAILABLE if no
 * provider collects payments, or none can tell the tax: then nothing begins.
 */
export async function checkout(
  context: PaymentContext,
  owner: AccountScope,
  input: CheckoutInput,
  once: OnceInput | null,
): Promise<Checkout> {
  const { database, providers } = context
  const { packageId, paymentMethod, returnUrl = null, clientReferenceId = null } = input
  const provider = providers[owner.environment]
  if (!provider) throw new DomainError('SERVICE_UNAVAILABLE', 'Payments are not taken here.')
  const offers = listPackages()
  const offer = offers.find(({ id }) => id === packageId)
  const known = offers.map(({ id }) => id).join(', ')
  const { method, methods } = await findMethod(database, owner, provider, paymentMethod)
  const returnProblem = returnUrl === null ? null : payerReturnProblem(context, returnUrl)
  requireAll([
    ['package_id', offer !== undefined, `must be one of ${known}`],
    ['payment_method', method !== null, methodRule(methods)],
    ['return_url', returnProblem === null, returnProblem ?? ''],
  ])
  if (!offer || method === null) throw new Error('The checks above let a missing value pass.')
  const isFree = method === pageMethod || !(await isBarred(database, owner, method))
  requireAll([['payment_method', isFree, barredRule]])
  const pricing = await pricingFor(context, owner, async () => offer.priceCents)
  const order = { offer, method, returnUrl, clientReferenceId, once, pricing }
  const id = await startCheckout(context, owner, order)
  await collectPayment(context, id)
  return getCheckout(database, owner, id)
}

/**
 * What a package costs the account now, by its present billing details. Throws INVALID_REQUEST for a package that
 * is not on sale, and SERVICE_UNAVAILABLE if the tax cannot be told.
 */
export async function previewCheckout(
  context: Pick<PaymentContext, 'database' | 'providers'>,
  owner: AccountScope,
  packageId: string,
): Promise<CheckoutPreview> {
  const offers = listPackages()
  const offer = offers.find(({ id }) => id === packageId)
  const known = offers.map(({ id }) => id).join(', ')
  if (!offer) {
    const message = `must be one of ${known}`
    throw invalidRequest([{ field: 'package_id', in: 'query', message }])
  }
  const { name, credits, currency } = offer
  const pricing = await pricingFor(context, owner, async () => offer.priceCents)
  const price = await context.database.transaction((tx) => pricing(tx, owner, offer.priceCents))
  const { priceCents, taxCents, totalCents } = price
  return { packageId, name, credits, priceCents, taxCents, totalCents, currency }
}

interface FoundMethod {
  /** The provider's id of the method, or `pageMethod`; null: the method is unknown. */
  readonly method: string | null
  /** The id that callers use. */
  readonly methods: readonly string[]
}

/** The method that a caller has named by its id; without one, the payer chooses on a page. */
async function findMethod(
  database: Database,
  owner: AccountScope,
  { name, freeMethods }: PaymentProvider,
  wanted: string | null | undefined,
): Promise<FoundMethod> {
  if (wanted === null || wanted === undefined) return { method: pageMethod, methods: [] }
  const stored = await methodsAt(database, owner, name)
  const methods = [...stored.map(({ id }) => id), ...freeMethods]
  if (freeMethods.includes(wanted)) return { method: wanted, methods }
  return { method: stored.find(({ id }) => id === wanted)?.reference ?? null, methods }
}

function methodRule(methods: readonly string[]): string {
  return methods.length > 0
    ? `must be one of ${methods.join(', ')}`
    : 'must be a stored payment method, and none is stored: leave it out to pay on a page'
}

interface Order {
  readonly offer: CreditPackage
  /** The method to use. */
  readonly method: string
  readonly returnUrl: string | null
  readonly clientReferenceId: string | null
  readonly once: OnceInput | null
  readonly pricing: Pricing
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
      tier, credits, price_cents, tax_cents, total_cents, tax, currency, payment_method, action,
      return_url, client_reference_id, reference, ask_at)
    VALUES ($1, $2, $3, 'checkout', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
      CASE WHEN $13 = '${pageMethod}' THEN 'page' END, $14, $15, $16, now() + interval '45 s')
    ON CONFLICT (account_id, environment, reference) DO NOTHING`,
}

const checkoutByReference: Statement = {
  name: 'checkout-by-reference',
  text: `SELECT id, package_id AS "packageId", payment_method AS method, action,
      return_url AS "returnUrl", client_reference_id AS "clientReferenceId"
    FROM account.payment
    WHERE account_id = $1 AND environment = $2 AND reference = $3`,
}

interface StartedCheckout extends Pick<Order, 'method' | 'returnUrl' | 'clientReferenceId'> {
  readonly id: string
  readonly packageId: string
  readonly action: string | null
}

function startCheckout(
  { database, caller }: PaymentContext,
  owner: AccountScope,
  order: Order,
): Promise<string> {
  return database.transaction(async (tx) => {
    await lockCheckouts(tx, owner)
    const id = newId('pay')
    const started = await addOrFind(tx, owner, id, order)
    // The first attempt got no answer, or the gateway would have refused this one.
    if (!isSame(started, order)) {
      throw invalidRequest([
        { field: 'Idempotency-Key', in: 'header', message: 'was used before for another request' },
      ])
    }
    // A retry continues the payment of the first attempt, so it does not count as another one.
    if (started.id !== id) return started.id
    await refuseAfterDeclines(tx, owner, id)
    const note = { resourceId: id, details: { package_id: order.offer.id } }
    await recordChange(tx, { caller }, { owner, action: 'checkout.create' }, note)
    return id
  })
}

/** Once it is paid, a payment by a page has the card that the payer chose there. */
function isSame(started: StartedCheckout, { offer, method, ...order }: Order): boolean {
  const startedBy = started.action === 'page' ? pageMethod : started.method
  return (
    started.packageId === offer.id &&
    startedBy === method &&
    started.returnUrl === order.returnUrl &&
    started.clientReferenceId === order.clientReferenceId
  )
}

/** The new payment, or the payment of the first attempt under the same reference. */
async function addOrFind(
  tx: Transaction,
  owner: AccountScope,
  id: string,
  { offer, method, returnUrl, clientReferenceId, once, pricing }: Order,
): Promise<StartedCheckout> {
  const { accountId, environment } = owner
  const reference = once?.reference ?? id
  const key = [accountId, environment, reference]
  await tx.query(releaseOldReference, [...key, once?.seconds ?? 0])
  const { priceCents, taxCents, totalCents, tax } = await pricing(tx, owner, offer.priceCents)
  await tx.query(addCheckout, [
    ...[id, accountId, environment, offer.id, offer.name, offer.tier, offer.credits],
    ...[priceCents, taxCents, totalCents, tax && JSON.stringify(tax), offer.currency, method],
    ...[returnUrl, clientReferenceId, reference],
  ])
  const [started] = await tx.query<StartedCheckout>(checkoutByReference, key)
  if (!started) throw new Error('A payment that was just inserted is missing.')
  return started
}
