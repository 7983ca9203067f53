import { randomUUID } from 'node:crypto'
import type { Environment } from '../../../../schema/credentials/caller.ts'
import { macKey } from '../../../../schema/credentials/secrets.ts'
import type { Database, Statement, Transaction } from '../../../shared/database/database.ts'
import { allTenants } from '../../../shared/database/tenant.ts'
import { DomainError } from '../../../shared/graph/errors.ts'
import { barredRule, disputedReason, isBarred } from '../../payment-blocks/payment-block.service.ts'
import type { AccountContext } from '../../settings/account-settings.ts'
import type { CheckoutStatus } from '../checkouts/checkout.type.ts'
import { configuredProviders } from '../providers/configured.ts'
import { simulatedCard, simulatedMethods, slowMs } from '../providers/simulated-cards.ts'
import { deliverNotice } from '../providers/simulated-notice.ts'
import { isSimulatedPage } from '../providers/simulated-page.ts'
import {
  changeSimulatedPayment,
  lockSimulatedPayment,
  type SimulatedPayment as PaymentAtProvider,
} from '../providers/simulated-payments.ts'
import { returnAddress } from '../return-links/return-address.ts'
import { SimulatedChoice, type SimulatedPayment } from './simulated-page.type.ts'
import {
  isReturnAction,
  offeredReturns,
  type ReturnablePayment,
  returnColumns,
  returnSimulated,
} from './simulated-return.service.ts'

const pageById: Statement = {
  name: 'simulated-page',
  text: `
    SELECT p.id AS "paymentId", p.account_id AS "accountId", p.status, s.state, s.method, p.total_cents AS "totalCents", p.currency,
      p.package_name || CASE WHEN p.tier IS NULL THEN ' subscription' ELSE ' package' END
        AS description,
      p.return_url AS "returnUrl", p.expires_at AS "expiresAt",
      p.action = 'page' AS "hasChoice", ${returnColumns}
    FROM account.payment p JOIN account.simulated_payment s ON s.payment_id = p.id
    WHERE p.id = $1 AND p.environment = $2`,
}

interface PagePayment extends ReturnablePayment {
  readonly accountId: string
  readonly status: CheckoutStatus
  readonly state: PaymentAtProvider['state']
  readonly description: string
  readonly currency: string
  readonly returnUrl: string | null
  readonly expiresAt: Date | null
  /** Whether the payer chooses a card, not only confirms. */
  readonly hasChoice: boolean
}

/** The link of the page. */
export interface PageLink {
  readonly paymentId: string
  readonly signature: string
}

/**
 * The contents of the page. Throws NOT_FOUND for a link that we did not sign, and if payments are
 * not simulated.
 */
export async function readSimulatedPage(
  context: AccountContext,
  link: PageLink,
  notice: string | null = null,
): Promise<SimulatedPayment> {
  const payment = await findPage(context, link)
  const { environment } = context.caller
  return {
    ...payment,
    id: payment.paymentId,
    returns: offeredReturns(payment).map((action) => SimulatedChoice[action]),
    notice,
    cards: simulatedMethods.map((name) => ({
      name,
      description: `…${simulatedCard(name).last4}: ${simulatedCard(name).description}`,
    })),
    returnUrl: returnAddress(context, { ...payment, environment }),
  }
}

async function findPage(
  context: AccountContext,
  { paymentId, signature }: PageLink,
): Promise<PagePayment> {
  const { environment } = context.caller
  const providers = await configuredProviders(context)
  const isOurs = isSimulatedPage(context.gatewaySecret, paymentId, signature)
  if (!isOurs || providers[environment]?.name !== 'simulated') throw noSuchPage()
  const values = [paymentId, environment]
  const [payment] = await context.database.as(allTenants).query<PagePayment>(pageById, values)
  if (!payment) throw noSuchPage()
  return payment
}

function noSuchPage(): DomainError {
  return new DomainError('NOT_FOUND', 'This page does not exist, or no longer.')
}

/**
 * The effect of a choice: the new state of the payment, the notification to the gateway, and the
 * message to the payer.
 */
interface Effect {
  readonly state: PaymentAtProvider['state']
  readonly method: string | null
  readonly outcome?: object
  readonly notice: string | null
}

/**
 * Makes a choice on the page, as a bank and a payer would, and tells the gateway by signed
 * notifications. A choice that the page does not offer in its state changes nothing.
 */
export async function decideSimulatedPayment(
  context: AccountContext,
  link: PageLink,
  choice: SimulatedChoice,
  card: string,
): Promise<SimulatedPayment> {
  const page = await findPage(context, link)
  if (isReturnAction(choice)) {
    return readSimulatedPage(context, link, await returnSimulated(context, page, choice))
  }
  const { accountId, hasChoice } = page
  const { environment } = context.caller
  const database = context.database.as(allTenants)
  const effect = await applyChoice(database, link.paymentId, async (tx, payment) => {
    const isRefused = await isBarred(tx, { accountId, environment }, payment.method ?? card)
    return effectOf(payment, { choice, card, hasChoice, isRefused })
  })
  if (effect?.outcome) await notify(context, link.paymentId, effect)
  return readSimulatedPage(context, link, effect?.notice ?? null)
}

function applyChoice(
  database: Database,
  paymentId: string,
  judge: (tx: Transaction, payment: PaymentAtProvider) => Promise<Effect | null>,
): Promise<Effect | null> {
  return database.transaction(async (tx) => {
    const payment = await lockSimulatedPayment(tx, paymentId)
    const effect = payment ? await judge(tx, payment) : null
    if (effect) await changeSimulatedPayment(tx, paymentId, effect)
    return effect
  })
}

const declinedNotice = 'The card was declined.'
const barredNotice = `This card ${barredRule}.`

interface Chosen {
  readonly choice: SimulatedChoice
  readonly card: string
  readonly hasChoice: boolean
  /** Whether a dispute bars the card. */
  readonly isRefused: boolean
}

function effectOf(
  payment: PaymentAtProvider,
  { choice, card, hasChoice, isRefused }: Chosen,
): Effect | null {
  const { state } = payment
  if (state !== 'open' && state !== 'confirming') return null
  if (choice === 'close') {
    return { state: 'closed', method: null, outcome: { status: 'expired' }, notice: null }
  }
  if (state === 'confirming') {
    if (choice !== 'confirm' && choice !== 'decline') return null
    if (choice === 'confirm' && !isRefused) return paidBy(payment.method ?? card)
    const notice = isRefused ? barredNotice : 'The payment was not confirmed.'
    if (!hasChoice) {
      const failure = { status: 'failed', reason: isRefused ? disputedReason : notice }
      return { state: 'declined', method: payment.method, outcome: failure, notice: null }
    }
    // The payer may try another card, because the bank has not declined this one.
    return { state: 'open', method: null, notice }
  }
  if (choice === 'confirm') return null
  if (choice === 'decline' || isRefused || card === 'simulated_declined') {
    const outcome = { status: 'failed', reason: declinedNotice, attempt: randomUUID() }
    return {
      state: 'open',
      method: null,
      outcome,
      notice: isRefused ? barredNotice : declinedNotice,
    }
  }
  if (card !== 'simulated_authenticate') return paidBy(card)
  return { state: 'confirming', method: card, notice: null }
}

function paidBy(method: string): Effect {
  return { state: 'paid', method, outcome: { status: 'succeeded', method }, notice: null }
}

/** The notification of a card that is not slow is sent before the payer goes back. */
async function notify(
  { payments, gatewaySecret, caller }: AccountContext,
  paymentId: string,
  { state, method, outcome }: Effect,
): Promise<void> {
  const urls: Readonly<Record<Environment, string>> | undefined = payments?.notificationUrls
  if (!urls) return
  const url = urls[caller.environment]
  const key = macKey(gatewaySecret, 'payment-notification')
  const body = JSON.stringify({ payment_id: paymentId, outcome })
  const { isSlow, notices } = simulatedCard(method ?? 'simulated')
  if (state !== 'paid' || !isSlow) {
    await deliverNotice(url, body, key)
    return
  }
  setTimeout(() => {
    for (let sent = 0; sent < notices; sent += 1) void deliverNotice(url, body, key)
  }, slowMs).unref()
}
