import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement, Transaction } from '../../shared/database/database.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import { barLateCard, isBarred } from '../payment-blocks/payment-block.service.ts'
import { noteCard, useByDefault } from './methods/stored-methods.service.ts'
import type { PaymentKind } from './payment.type.ts'
import type { Card } from './providers/payment-provider.ts'

/** The members of a locked payment that decide about its card. */
export interface PaidPayment {
  readonly id: string
  readonly accountId: string
  readonly environment: Environment
  readonly provider: string
  readonly kind: PaymentKind
  /** The provider's id of the card, or `page`: the payer chooses it there. */
  readonly paymentMethod: string
  readonly action: 'page' | 'confirmation' | null
  /** When the payment was settled; null: it is settled in this transaction. */
  readonly settledAt: Date | null
}

/**
 * The method of the last checkout that succeeded is the one that recharges use, and so is a card that its
 * holder has chosen on the page of a plan, unless a dispute bars it.
 */
export async function keepMethod(
  tx: Transaction,
  payment: PaidPayment,
  card: Card | undefined,
): Promise<void> {
  const { accountId, environment, provider, kind, action, paymentMethod, settledAt } = payment
  const owner = { accountId, environment }
  const used = card?.reference ?? (action === 'page' ? null : paymentMethod)
  // The removal of a card locks the settings of recharging before the card.
  const isChosen = kind === 'checkout' || (kind === 'plan' && action === 'page')
  if (isChosen && used !== null) {
    const isRefused = await isBarred(tx, owner, used, card?.fingerprint)
    if (!isRefused) await useByDefault(tx, owner, used, settledAt)
  }
  if (card) await noteCard(tx, owner, provider, card)
}

/** The members of a card that stay with its payment: those that invoices show, and what a dispute bars. */
export function paidCard({ brand, last4, fingerprint }: Card) {
  return { brand, last4, ...(fingerprint !== null && { fingerprint }) }
}

const setMethod: Statement = {
  name: 'payment-set-method',
  text: 'UPDATE account.payment SET payment_method = $2, card = $3 WHERE id = $1',
}

/**
 * Keeps the card of a payment that was settled before its card was known. A card that the payment already
 * names stays as it is: its holder may have removed it since.
 */
export async function keepLateCard(
  tx: Transaction,
  payment: PaidPayment,
  card: Card | undefined,
): Promise<void> {
  const { id, accountId, environment, paymentMethod } = payment
  if (!card || card.reference === paymentMethod) return
  await tx.query(setMethod, [id, card.reference, paidCard(card)])
  // A dispute may have come first. A renewal locks the subscription before the settings of recharging.
  await barLateCard(
    tx,
    { accountId, environment },
    { paymentId: id, paymentMethod: card.reference },
  )
  await keepMethod(tx, payment, card)
}

const askAgainMs = 15 * 60_000

/** The card of a payment is not known yet: a job asks for it, unless it is stored before. */
export function askLater(database: Database | Transaction, id: string): Promise<void> {
  return enqueueJob(database, 'KeepPaidCard', { id }, new Date(Date.now() + askAgainMs))
}
