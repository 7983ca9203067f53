import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import { type OutcomeOf, settlePayment } from './payment-settlement.service.ts'
import type { PaymentProviders } from './providers/configured.ts'
import type { OutcomeNotification, PaymentOutcome } from './providers/payment-provider.ts'
import { pageMethod } from './return-links/return-address.ts'

interface AskingContext extends Pick<GraphContext, 'caller'> {
  readonly database: Database
  readonly providers: PaymentProviders
  readonly warn: (message: string) => void
}

const withoutCard: Statement = {
  name: 'payment-without-card',
  text: `SELECT provider_reference AS reference FROM account.payment
    WHERE id = $1 AND environment = $2 AND provider = $3
      AND (status <> 'succeeded' OR payment_method = '${pageMethod}')`,
}

/**
 * The outcome of a notification, with the card that has paid. Notifications come in any order and
 * name no card, so the provider is asked, until the payment names one.
 */
export async function withCard(
  context: AskingContext,
  { id, environment, provider: name }: OutcomeOf,
  { outcome, source }: OutcomeNotification,
): Promise<PaymentOutcome> {
  const provider = context.providers.all.find((one) => one.name === name)
  if (outcome.status !== 'succeeded' || outcome.card || !provider?.cardOf) return outcome
  const values = [id, environment, name]
  const [payment] = await context.database.query<{ reference: string | null }>(withoutCard, values)
  if (!payment) return outcome
  let isCardUnknown = false
  // The notification may be about the payment or about its page: either may name the card first.
  for (const reference of new Set([source, payment.reference])) {
    try {
      const card = reference && (await provider.cardOf(reference))
      if (card) return { ...outcome, card }
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error)
      context.warn(`The card of the payment ${id} is not known yet: ${cause}`)
      isCardUnknown = true
    }
  }
  return { ...outcome, isCardUnknown }
}

const paidLately: Statement = {
  name: 'payment-paid-lately',
  text: `SELECT environment, provider, provider_reference AS reference FROM account.payment
    WHERE id = $1 AND status = 'succeeded' AND provider_reference IS NOT NULL
      AND settled_at > now() - interval '3 days'`,
}

interface PaidPayment {
  readonly environment: Environment
  readonly provider: string
  readonly reference: string
}

const askAgainMs = 15 * 60_000

/** Asks for the card of a payment that was settled while the provider could not be asked for it. */
export async function keepPaidCard(context: AskingContext, id: string): Promise<void> {
  const { database, providers, warn } = context
  const [payment] = await database.query<PaidPayment>(paidLately, [id])
  const provider = providers.all.find(({ name }) => name === payment?.provider)
  if (!payment || !provider?.cardOf) return
  try {
    const card = await provider.cardOf(payment.reference)
    if (card) await settlePayment(context, { id, ...payment }, { status: 'succeeded', card })
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    warn(`The card of the payment ${id} is not known yet: ${cause}`)
    await enqueueJob(database, 'KeepPaidCard', { id }, new Date(Date.now() + askAgainMs))
  }
}
