import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Environment } from '../../schema/caller.ts'
import { newId } from '../../schema/ids.ts'
import { requireAll } from '../shared/checks.ts'
import type { Database, Statement } from '../shared/database.ts'
import { invalidRequest } from '../shared/errors.ts'
import { noteRecharge } from './auto-recharge.service.ts'
import { postEntry } from './ledger-entry.service.ts'
import { LedgerEntryKind } from './ledger-entry.type.ts'
import type { CheckoutInput, CreditPackage, OnceInput, Payment } from './payment.type.ts'
import { PaymentStatus } from './payment.type.ts'
import { type PaymentOutcome, type PaymentProvider, simulatedMethods } from './payment-provider.ts'
import { priceList } from './price-list.ts'
import type { Owner } from './subscription.service.ts'
import { Tier } from './tiers.ts'

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

interface PaymentContext {
  readonly em: SqlEntityManager
  readonly database: Database
  readonly provider: PaymentProvider
}

/**
 * Buys a package. With `once`, an attempt before is this one. Throws INVALID_REQUEST for a package that is
 * not for sale, or when the attempt before was for another.
 */
export async function checkout(
  context: PaymentContext,
  owner: Owner,
  { packageId, paymentMethod }: CheckoutInput,
  once: OnceInput | null,
): Promise<Payment> {
  const offers = listPackages()
  const offer = offers.find(({ id }) => id === packageId)
  const known = offers.map(({ id }) => id).join(', ')
  const isMethod = !paymentMethod || simulatedMethods.some((name) => name === paymentMethod)
  requireAll([
    ['package_id', offer !== undefined, `must be one of ${known}`],
    ['payment_method', isMethod, `must be one of ${simulatedMethods.join(', ')}`],
  ])
  if (!offer) throw new Error('A missing package was let through.')
  const id = await startCheckout(context.em, { ...owner, offer, paymentMethod, once })
  await collect(context, id)
  return toPayment(await readPayment(context.database, id))
}

interface NewCheckout extends Owner {
  readonly offer: CreditPackage
  readonly paymentMethod: string | null | undefined
  readonly once: OnceInput | null
}

function startCheckout(
  em: SqlEntityManager,
  { accountId, environment, offer, paymentMethod, once }: NewCheckout,
): Promise<string> {
  const id = newId('pay')
  const reference = once?.reference ?? id
  return em.transactional(async (tx) => {
    // As old as answers are kept: the key has been free since, and this is another purchase.
    await tx.execute(
      `UPDATE account.payment SET reference = id WHERE account_id = ? AND environment = ?
         AND reference = ? AND created_at <= now() - make_interval(secs => ?)`,
      [accountId, environment, reference, once?.seconds ?? 0],
    )
    await tx.execute(
      `INSERT INTO account.payment (id, account_id, environment, kind, package_id, package_name,
         tier, credits, total_cents, currency, payment_method, reference)
       VALUES (?, ?, ?, 'checkout', ?, ?, ?, ?, ?, ?, coalesce(?, (
         SELECT payment_method FROM account.auto_recharge
         WHERE account_id = ? AND environment = ?), 'simulated'), ?)
       ON CONFLICT (account_id, environment, reference) DO NOTHING`,
      [
        ...[id, accountId, environment, offer.id, offer.name, offer.tier, offer.credits],
        ...[offer.priceCents, offer.currency, paymentMethod ?? null, accountId, environment],
        reference,
      ],
    )
    const [row] = await tx.execute<{ id: string; package_id: string; payment_method: string }[]>(
      `SELECT id, package_id, payment_method FROM account.payment
       WHERE account_id = ? AND environment = ? AND reference = ?`,
      [accountId, environment, reference],
    )
    if (!row) throw new Error('A payment that was made is gone.')
    const { id: found, package_id, payment_method } = row
    if (package_id === offer.id && (paymentMethod ?? payment_method) === payment_method)
      return found
    // The attempt before got no answer, or the gateway would have refused this one.
    throw invalidRequest([
      { field: 'Idempotency-Key', in: 'header', message: 'was used before for another request' },
    ])
  })
}

/** Asks the provider, and settles what it has decided. */
async function collect(context: PaymentContext, id: string): Promise<void> {
  const payment = await readPayment(context.database, id)
  if (payment.status !== PaymentStatus.pending) return
  const outcome = await context.provider.collect({
    paymentId: id,
    totalCents: payment.total_cents,
    currency: payment.currency,
    paymentMethod: payment.payment_method,
    createdAt: payment.created_at,
  })
  await settlePayment(context.em, id, outcome)
}

interface SettledRow {
  readonly account_id: string
  readonly environment: Environment
  readonly kind: 'checkout' | 'auto_recharge'
  readonly package_name: string
  readonly tier: Tier
  readonly credits: string
  readonly total_cents: string
  readonly currency: string
}

const tierOrder = Object.values(Tier)

/**
 * Enters what a payment brought, once however often the provider says so; a payment that is settled
 * stays as it is.
 */
function settlePayment(em: SqlEntityManager, id: string, outcome: PaymentOutcome): Promise<void> {
  return em.transactional(async (tx) => {
    if (outcome.status === 'pending') return
    const reason = outcome.status === 'failed' ? outcome.reason : null
    const [settled] = await tx.execute<SettledRow[]>(
      `UPDATE account.payment SET status = ?, failure_reason = ?, settled_at = now()
       WHERE id = ? AND status = 'pending'
       RETURNING account_id, environment, kind, package_name, tier, credits, total_cents, currency`,
      [outcome.status, reason, id],
    )
    if (!settled) return
    const owner = { accountId: settled.account_id, environment: settled.environment }
    if (outcome.status === 'succeeded') await deliver(tx, owner, id, settled)
    if (settled.kind === 'auto_recharge') await noteRecharge(tx, owner, reason)
  })
}

async function deliver(
  tx: SqlEntityManager,
  owner: Owner,
  id: string,
  payment: SettledRow,
): Promise<void> {
  const { accountId, environment } = owner
  const description = `${payment.package_name} package`
  const credits = Number(payment.credits)
  await postEntry(tx, {
    ...owner,
    ...{ kind: LedgerEntryKind.purchase, credits, description, ref: id, expiresAt: null },
  })
  await tx.execute(
    `INSERT INTO account.invoice (id, account_id, environment, status, total_cents, currency,
       credits, description, payment_id)
     VALUES (?, ?, ?, 'paid', ?, ?, ?, ?, ?)`,
    [
      ...[newId('inv'), accountId, environment, payment.total_cents, payment.currency],
      ...[payment.credits, description, id],
    ],
  )
  const lower = tierOrder.slice(0, tierOrder.indexOf(payment.tier))
  if (lower.length === 0) return
  await tx.execute(
    `UPDATE account.plan SET tier = ? WHERE account_id = ? AND environment = ?
       AND tier IN (${lower.map(() => '?').join(', ')})`,
    [payment.tier, accountId, environment, ...lower],
  )
}

const claimPending: Statement = {
  name: 'payments-due',
  text: `UPDATE account.payment SET ask_at = now() + interval '10 s'
    WHERE id IN (
      SELECT id FROM account.payment WHERE status = 'pending' AND ask_at <= now()
      ORDER BY ask_at LIMIT $1 FOR UPDATE SKIP LOCKED
    ) RETURNING id`,
}

/**
 * Asks the provider about up to `limit` payments that nobody has settled: its answer was lost, it is
 * slow, or a process died in between. Returns how many.
 */
export async function collectPending(context: PaymentContext, limit: number): Promise<number> {
  const due = await context.database.query<{ id: string }>(claimPending, [limit])
  const asked = await Promise.allSettled(due.map(({ id }) => collect(context, id)))
  const unknown = asked.find((one) => one.status === 'rejected')
  // It stays pending and is asked about again; who runs this says why in the log.
  if (unknown) throw unknown.reason
  return due.length
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
