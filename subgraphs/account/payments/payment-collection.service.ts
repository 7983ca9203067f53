import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { disputedReason, isBarred } from '../payment-blocks/payment-block.service.ts'
import type { AccountContext, NotedNotification } from '../settings/account-settings.ts'
import { keepCardOf, referencesOfCard } from './paid-card-asking.service.ts'
import { isPayerPresent, type PaymentKind } from './payment.type.ts'
import { type OutcomeOf, settlePayment } from './payment-settlement.service.ts'
import { maxPageDeclines } from './payment-waiting.service.ts'
import type { PaymentProviders } from './providers/configured.ts'
import type {
  PaymentOutcome,
  PaymentProvider,
  PaymentRequest,
} from './providers/payment-provider.ts'
import type {
  NotificationOutcome,
  ReturnNotification,
} from './providers/returns/return-notification.ts'
import { pageMethod, returnAddress } from './return-links/return-address.ts'

export interface PaymentContext
  extends Pick<AccountContext, 'database' | 'caller' | 'gatewaySecret' | 'baseUrls' | 'payments'> {
  readonly providers: PaymentProviders
  /** Counts a notification that changes nothing, by its kind. */
  readonly count: (what: NotedNotification) => void
  /** Receives the reason why a payment stays pending, and problems that an operator must solve. */
  readonly warn: (message: string) => void
}

interface PendingPayment
  extends Omit<PaymentRequest, 'customer' | 'isOffSession' | 'paymentMethod' | 'returnUrl'> {
  readonly kind: PaymentKind
  readonly storedMethod: string
  readonly hasPage: boolean
  readonly returnUrl: string | null
  /** Whether the provider has to close the page of the payment. */
  readonly isOver: boolean
  /** The provider of the payment; null if none was configured. */
  readonly provider: string | null
}

/** The provider that is asked first keeps the payment, even if another is configured later. */
const assignProvider: Statement = {
  name: 'payment-give',
  text: `UPDATE account.payment
    SET provider = coalesce(provider, CASE environment WHEN 'live' THEN $2 ELSE $3 END)
    WHERE id = $1 AND settled_at IS NULL
    RETURNING id AS "paymentId", account_id AS "accountId", environment, kind,
      total_cents AS "totalCents", currency, payment_method AS "storedMethod", provider,
      provider_reference AS reference, created_at AS "createdAt", return_url AS "returnUrl",
      payment_method = '${pageMethod}' AS "hasPage",
      tax->>'quote' AS "taxQuote",
      package_name || CASE WHEN tier IS NULL THEN ' subscription' ELSE ' package' END
        AS description,
      coalesce(expires_at <= now(), false) OR (SELECT count(*) FROM account.payment_decline d
        WHERE d.payment_id = payment.id) >= ${maxPageDeclines} AS "isOver"`,
}

/**
 * Asks the provider about one payment and settles it if the provider has decided. A payment that is
 * settled or unknown is left unchanged. While its outcome is unknown it stays pending, and `warn`
 * receives the reason.
 */
export async function collectPayment(context: PaymentContext, id: string): Promise<void> {
  const { database, providers } = context
  const names = [providers.live?.name ?? null, providers.sandbox.name]
  const [payment] = await database.query<PendingPayment>(assignProvider, [id, ...names])
  if (!payment) return
  const { provider } = payment
  if (provider === null) {
    return context.warn(`The payment ${id} stays pending: no payment provider is configured.`)
  }
  const { environment } = payment
  await enterOutcome(context, { id, environment, provider }, await ask(context, payment))
}

/** Enters an outcome, and everything that follows from it. */
async function enterOutcome(
  context: PaymentContext,
  of: OutcomeOf,
  outcome: PaymentOutcome,
): Promise<void> {
  const { id, provider } = of
  switch (await settlePayment(context, of, outcome)) {
    case 'exhausted':
      // The next question to the provider closes the page.
      return collectPayment(context, id)
    case 'wrong-amount':
      context.count('wrong_amount')
      return context.warn(
        `ALARM: ${provider} has collected another amount or currency for the payment ${id} than was asked for. No credits were given.`,
      )
    case 'contradicted':
      return context.warn(
        `The payment ${id} has failed here, but ${provider} says that it has collected it.`,
      )
    case 'paid-twice':
      return context.warn(
        `ALARM: ${provider} has collected the payment ${id} for a subscription that was paid, begun or raised without it. Its credits were given: refund one of the two.`,
      )
    default:
  }
}

/** No provider has collected this payment, and none can collect it later. */
const notSimulated = {
  status: 'failed',
  reason: 'The payment was not collected.',
} as const

const noMethod = {
  status: 'failed',
  reason: 'No payment method is saved: buy with one first.',
} as const

async function ask(context: PaymentContext, payment: PendingPayment): Promise<PaymentOutcome> {
  try {
    const provider = context.providers.all.find(({ name }) => name === payment.provider)
    if (!provider) throw new Error(`${payment.provider} is not configured.`)
    const isSimulated = provider === context.providers.sandbox
    if (isSimulated && provider !== context.providers[payment.environment]) return notSimulated
    const { kind, storedMethod, hasPage, isOver } = payment
    // The saved method of a recharge may belong to another provider.
    if (!hasPage && !provider.isMethod(storedMethod)) return noMethod
    const isOffSession = !isPayerPresent(kind)
    if (isOffSession && !hasPage && (await isBarred(context.database, payment, storedMethod))) {
      return { status: 'failed', reason: disputedReason }
    }
    const request = {
      ...payment,
      paymentMethod: hasPage ? null : storedMethod,
      isOffSession,
      customer: await customerOf(context.database, provider, payment.accountId),
      returnUrl: returnAddress(context, payment),
    }
    return await (isOver ? provider.close(request) : provider.collect(request))
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    context.warn(`The payment ${payment.paymentId} stays pending: ${cause}`)
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

/**
 * The customer is stored before anything is collected, so that every attempt names the same one.
 */
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
  // Another process may have saved a customer first.
  const [saved] = await find()
  return saved?.reference ?? null
}

const claimQuestion: Statement = {
  name: 'payment-claim-asking',
  // Older payments are asked about less often. A trigger on `ask_at` enqueues the next question.
  text: `UPDATE account.payment SET ask_at = now() + CASE
      WHEN created_at < now() - interval '1 h' THEN interval '15 min'
      WHEN status = 'requires_action' THEN interval '1 min'
      ELSE least(interval '1 min', greatest(interval '10 s', (now() - created_at) / 10)) END
    WHERE id = $1 AND settled_at IS NULL AND ask_at <= now() RETURNING id`,
}

/**
 * Asks about an unsettled payment if the question is due: an answer was lost, the provider is slow,
 * or a process died. The process that asks sets the time of the next question first.
 */
export async function collectDuePayment(context: PaymentContext, id: string): Promise<void> {
  const claimed = await context.database.query<{ id: string }>(claimQuestion, [id])
  if (claimed.length > 0) await collectPayment(context, id)
}

interface ReceivedNotification {
  /** The environment of the listener that received the notification. */
  readonly environment: Environment
  /** The name of the provider in the path. */
  readonly provider: string
  /** The body of the notification: all bytes, unchanged. */
  readonly body: string
  readonly signature: string
}

/** Enters a refund or a dispute. */
type EnterReturn = (
  provider: PaymentProvider,
  notification: ReturnNotification,
) => Promise<NotificationOutcome>

/**
 * Settles a payment by a notification of its provider. `enterReturn` handles a notification about a
 * refund or a dispute. Throws NOT_FOUND for a provider that collects nothing in this environment,
 * and INVALID_REQUEST for a notification that it has not signed. A payment that is unknown or
 * settled is left unchanged.
 */
export async function receiveNotification(
  context: PaymentContext,
  { environment, provider: name, body, signature }: ReceivedNotification,
  enterReturn: EnterReturn,
): Promise<void> {
  const provider = context.providers[environment]
  if (provider?.name !== name) {
    const internal = `Payments of ${environment} are taken by ${provider?.name ?? 'nobody'}.`
    throw new DomainError('NOT_FOUND', 'No payment provider is there.', { internal })
  }
  const notification = await provider.readNotification(body, signature)
  if (notification.kind === 'other') return context.count('other_type')
  if (notification.kind !== 'outcome') {
    const found = await enterReturn(provider, notification)
    return found === 'taken' ? undefined : context.count(found)
  }
  const of = { id: notification.paymentId, environment, provider: name }
  const references = await referencesOfCard(context, of, notification)
  const { outcome } = notification
  const isCardUnknown = references.length > 0
  // The credits do not wait for the card.
  await enterOutcome(
    context,
    of,
    outcome.status === 'succeeded' ? { ...outcome, isCardUnknown } : outcome,
  )
  await keepCardOf(context, of, references)
}
