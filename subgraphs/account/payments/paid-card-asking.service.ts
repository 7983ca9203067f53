import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { askLater } from './paid-card.service.ts'
import { keepCardOfSuccess, type OutcomeOf } from './payment-settlement.service.ts'
import type { PaymentProviders } from './providers/configured.ts'
import type { OutcomeNotification } from './providers/payment-provider.ts'
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
      AND (status <> 'paid' OR payment_method = '${pageMethod}')`,
}

/**
 * The provider's ids by which it may name the card that has paid. Notifications come in any order and
 * name no card; there are none if the payment names it already.
 */
export async function referencesOfCard(
  context: AskingContext,
  { id, environment, provider: name }: OutcomeOf,
  { outcome, source }: OutcomeNotification,
): Promise<readonly string[]> {
  const provider = context.providers.all.find((one) => one.name === name)
  if (outcome.status !== 'succeeded' || outcome.card || !provider?.cardOf) return []
  const values = [id, environment, name]
  const [payment] = await context.database.query<{ reference: string | null }>(withoutCard, values)
  if (!payment) return []
  // The notification may be about the payment or about its page: either may name the card first.
  return [...new Set([source, payment.reference])].filter(
    (reference) => typeof reference === 'string',
  )
}

/**
 * Stores the card of a settled payment as soon as the provider names it. Without an answer, the job
 * that the settlement has enqueued asks again.
 */
export async function keepCardOf(
  context: AskingContext,
  of: OutcomeOf,
  references: readonly string[],
): Promise<void> {
  const provider = context.providers.all.find(({ name }) => name === of.provider)
  for (const reference of references) {
    try {
      const card = await provider?.cardOf?.(reference)
      if (!card) continue
      await keepCardOfSuccess(context, of, card)
      return
    } catch (error) {
      context.warn(unknownCard(of.id, error))
    }
  }
}

function unknownCard(id: string, error: unknown): string {
  const cause = error instanceof Error ? error.message : String(error)
  return `The card of the payment ${id} is not known yet: ${cause}`
}

const paidLately: Statement = {
  name: 'payment-paid-lately',
  text: `SELECT environment, provider, provider_reference AS reference FROM account.payment
    WHERE id = $1 AND status = 'paid' AND provider_reference IS NOT NULL
      AND (payment_method = '${pageMethod}' OR action = 'confirmation')
      AND settled_at > now() - interval '3 days'`,
}

interface PaidPayment {
  readonly environment: Environment
  readonly provider: string
  readonly reference: string
}

/** Asks for the card of a payment that was settled without it, if no notification has stored it since. */
export async function keepPaidCard(context: AskingContext, id: string): Promise<void> {
  const { database, providers, warn } = context
  const [payment] = await database.query<PaidPayment>(paidLately, [id])
  const provider = providers.all.find(({ name }) => name === payment?.provider)
  if (!payment || !provider?.cardOf) return
  try {
    const card = await provider.cardOf(payment.reference)
    if (card) await keepCardOfSuccess(context, { id, ...payment }, card)
  } catch (error) {
    warn(unknownCard(id, error))
    await askLater(database, id)
  }
}
