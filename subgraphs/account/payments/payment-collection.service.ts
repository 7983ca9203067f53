import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { PaymentKind } from './payment.type.ts'
import { settlePayment } from './payment-settlement.service.ts'
import type { PaymentProviders } from './providers/configured.ts'
import type { PaymentOutcome, PaymentProvider } from './providers/payment-provider.ts'

export interface PaymentContext extends Pick<GraphContext, 'database' | 'caller'> {
  readonly providers: PaymentProviders
  /** Told why a payment stays pending, and of what somebody must put right. */
  readonly warn: (message: string) => void
}

interface AskedRow {
  readonly id: string
  readonly account_id: string
  readonly environment: Environment
  readonly kind: PaymentKind
  readonly total_cents: number
  readonly currency: string
  readonly payment_method: string
  /** Null: nobody was there who could be asked. */
  readonly provider: string | null
  readonly provider_reference: string | null
  readonly created_at: Date
}

/** Whoever is asked first keeps the payment, also when another provider is configured later. */
const givePending: Statement = {
  name: 'payment-give',
  text: `UPDATE account.payment
    SET provider = coalesce(provider, CASE environment WHEN 'live' THEN $2 ELSE $3 END)
    WHERE id = $1 AND status = 'pending'
    RETURNING id, account_id, environment, kind, total_cents, currency, payment_method, provider,
      provider_reference, created_at`,
}

/**
 * Asks the provider about one payment, and settles what it has decided; a payment that is settled, or
 * that is not there, stays as it is. While nothing is known of its outcome it stays pending, and `warn`
 * is told why.
 */
export async function collectPayment(context: PaymentContext, id: string): Promise<void> {
  const { database, providers } = context
  const names = [providers.live?.name ?? null, providers.sandbox.name]
  const [payment] = await database.query<AskedRow>(givePending, [id, ...names])
  if (!payment) return
  const { provider } = payment
  if (provider === null) {
    return context.warn(`The payment ${id} stays pending: no payment provider is configured.`)
  }
  await settlePayment(context, { ...payment, provider }, await ask(context, payment))
}

/** Nobody has collected anything, and nobody can any more. */
const notSimulated = {
  status: 'failed',
  reason: 'The payment was not collected.',
} as const

const noMethod = {
  status: 'failed',
  reason: 'No payment method is saved: buy with one first.',
} as const

async function ask(context: PaymentContext, payment: AskedRow): Promise<PaymentOutcome> {
  try {
    const provider = context.providers.all.find(({ name }) => name === payment.provider)
    if (!provider) throw new Error(`${payment.provider} is not configured.`)
    const isSimulated = provider === context.providers.sandbox
    if (isSimulated && provider !== context.providers[payment.environment]) return notSimulated
    // A recharge may have none that is of this provider.
    if (!provider.isMethod(payment.payment_method)) return noMethod
    return await provider.collect({
      paymentId: payment.id,
      accountId: payment.account_id,
      environment: payment.environment,
      totalCents: payment.total_cents,
      currency: payment.currency,
      paymentMethod: payment.payment_method,
      isOffSession: payment.kind !== 'checkout',
      customer: await customerOf(context.database, provider, payment.account_id),
      reference: payment.provider_reference,
      createdAt: payment.created_at,
    })
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    context.warn(`The payment ${payment.id} stays pending: ${cause}`)
    return { status: 'pending' }
  }
}

const customerByAccount: Statement = {
  name: 'payment-customer',
  text: `SELECT reference FROM account.payment_customer WHERE account_id = $1 AND provider = $2`,
}

const saveCustomer: Statement = {
  name: 'payment-customer-save',
  text: `INSERT INTO account.payment_customer (account_id, provider, reference)
    VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
}

/** Written down before anything is collected, so that every attempt names the same. */
async function customerOf(
  database: Database,
  provider: PaymentProvider,
  accountId: string,
): Promise<string | null> {
  if (!provider.createCustomer) return null
  const key = [accountId, provider.name]
  const find = () => database.query<{ reference: string }>(customerByAccount, key)
  const [known] = await find()
  if (known) return known.reference
  await database.query(saveCustomer, [...key, await provider.createCustomer(accountId)])
  // Somebody else may have been faster.
  const [saved] = await find()
  return saved?.reference ?? null
}

const claimAsking: Statement = {
  name: 'payment-claim-asking',
  // The longer it takes, the rarer it is asked about; setting the time enqueues the next asking.
  text: `UPDATE account.payment SET ask_at = now()
      + least(interval '1 h', greatest(interval '10 s', (now() - created_at) / 10))
    WHERE id = $1 AND status = 'pending' AND ask_at <= now() RETURNING id`,
}

/**
 * Asks about a payment that nobody has settled, when it is due to be asked about: an answer was lost,
 * the provider is slow, or a process died in between. Whoever asks sets the time of the next.
 */
export async function collectDuePayment(context: PaymentContext, id: string): Promise<void> {
  const claimed = await context.database.query<{ id: string }>(claimAsking, [id])
  if (claimed.length > 0) await collectPayment(context, id)
}

interface ReceivedNotification {
  /** Of the listener that took it. */
  readonly environment: Environment
  /** By name, from the path. */
  readonly provider: string
  /** Every byte as it came. */
  readonly body: string
  readonly signature: string
}

const statusOf: Statement = {
  name: 'payment-status',
  text: 'SELECT status FROM account.payment WHERE id = $1 AND environment = $2 AND provider = $3',
}

/**
 * Settles what a provider tells of its own accord. Throws NOT_FOUND for a provider that collects nothing
 * in this environment, and INVALID_REQUEST for what it has not signed. A payment that nobody knows, or
 * that is settled, stays as it is.
 */
export async function receiveNotification(
  context: PaymentContext,
  { environment, provider: name, body, signature }: ReceivedNotification,
): Promise<void> {
  const { database, providers, warn } = context
  const provider = providers[environment]
  if (provider?.name !== name) throw new DomainError('NOT_FOUND', 'No payment provider is there.')
  const notification = provider.readNotification(body, signature)
  if (!notification) return
  const { paymentId: id, outcome } = notification
  if (await settlePayment(context, { id, environment, provider: name }, outcome)) return
  const [payment] = await database.query<{ status: string }>(statusOf, [id, environment, name])
  if (outcome.status === 'succeeded' && payment?.status === 'failed') {
    warn(`The payment ${id} has failed here, but ${name} says that it has collected it.`)
  }
}
