import type { Database, Statement, Transaction } from '../../../shared/database/database.ts'
import type { PaymentRequest } from './payment-provider.ts'

type SimulatedState = 'open' | 'confirming' | 'paid' | 'declined' | 'closed'

/** A payment that has a page at the simulated provider, as the provider knows it. */
export interface SimulatedPayment {
  readonly state: SimulatedState
  /** The card; null: the payer has not chosen one. */
  readonly method: string | null
  readonly paidAt: Date | null
}

const columns = 'state, method, paid_at AS "paidAt"'

const addPayment: Statement = {
  name: 'simulated-payment-add',
  text: `INSERT INTO account.simulated_payment (payment_id, account_id, environment, state, method)
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
}

const paymentById: Statement = {
  name: 'simulated-payment',
  text: `SELECT ${columns} FROM account.simulated_payment WHERE payment_id = $1`,
}

const lockPayment: Statement = {
  name: 'simulated-payment-lock',
  text: `SELECT ${columns} FROM account.simulated_payment WHERE payment_id = $1 FOR UPDATE`,
}

const changePayment: Statement = {
  name: 'simulated-payment-change',
  text: `UPDATE account.simulated_payment SET state = $2, method = $3,
      paid_at = CASE WHEN $2 = 'paid' THEN now() END WHERE payment_id = $1`,
}

/**
 * The page of a payment, which is opened if it is not there: without a card the payer chooses one,
 * otherwise the payer confirms.
 */
export async function openSimulatedPayment(
  database: Database,
  { paymentId, accountId, environment, paymentMethod }: PaymentRequest,
): Promise<SimulatedPayment> {
  const state: SimulatedState = paymentMethod === null ? 'open' : 'confirming'
  await database.query(addPayment, [paymentId, accountId, environment, state, paymentMethod])
  const payment = await findSimulatedPayment(database, paymentId)
  if (!payment) throw new Error('A row that was just inserted is missing.')
  return payment
}

export async function findSimulatedPayment(
  database: Database,
  paymentId: string,
): Promise<SimulatedPayment | undefined> {
  const [payment] = await database.query<SimulatedPayment>(paymentById, [paymentId])
  return payment
}

/** Locks the payment until the transaction ends. */
export async function lockSimulatedPayment(
  tx: Transaction,
  paymentId: string,
): Promise<SimulatedPayment | undefined> {
  const [payment] = await tx.query<SimulatedPayment>(lockPayment, [paymentId])
  return payment
}

export async function changeSimulatedPayment(
  tx: Transaction,
  paymentId: string,
  { state, method }: Pick<SimulatedPayment, 'state' | 'method'>,
): Promise<void> {
  await tx.query(changePayment, [paymentId, state, method])
}

/** Closes the page unless the payment is decided. */
export function closeSimulatedPayment(
  database: Database,
  paymentId: string,
): Promise<SimulatedPayment> {
  return database.transaction(async (tx) => {
    const payment = await lockSimulatedPayment(tx, paymentId)
    if (!payment) throw new Error(`The payment ${paymentId} has no page.`)
    if (payment.state === 'paid' || payment.state === 'declined') return payment
    const closed = { ...payment, state: 'closed' } as const
    await changeSimulatedPayment(tx, paymentId, closed)
    return closed
  })
}
