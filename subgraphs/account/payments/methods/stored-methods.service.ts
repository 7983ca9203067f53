import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import { newId } from '../../../../schema/vocabulary/ids.ts'
import type { Database, Statement, Transaction } from '../../../shared/database/database.ts'
import { DomainError } from '../../../shared/graph/errors.ts'
import type { PagedList } from '../../../shared/lists/pagination.ts'
import { barredRule, isBarred } from '../../payment-blocks/payment-block.service.ts'
import type { Card } from '../providers/payment-provider.ts'
import type { PaymentMethod } from './payment-method.type.ts'

/** The default is the method that recharges use: the setting of recharging names it. */
const columns = `m.id, m.brand, m.last4, m.exp_month AS "expMonth", m.exp_year AS "expYear",
  m.created_at AS "createdAt", EXISTS (
    SELECT FROM account.auto_recharge r WHERE r.account_id = m.account_id
      AND r.environment = m.environment AND r.payment_method = m.reference) AS "isDefault"`

const methodsNewestFirst: Statement = {
  name: 'payment-methods-newest-first',
  text: `SELECT ${columns} FROM account.payment_method m
    WHERE m.account_id = $1 AND m.environment = $2 AND ($3::text IS NULL OR m.id < $3)
    ORDER BY m.id DESC LIMIT $4`,
}

/** The stored payment methods of an account, newest first. */
export function paymentMethodsOf(
  database: Database,
  { accountId, environment }: AccountScope,
): PagedList<PaymentMethod> {
  return {
    name: 'payment-methods',
    owner: { accountId, environment },
    positionOf: ({ id }) => id,
    read: ({ limit, before }) =>
      database.query(methodsNewestFirst, [accountId, environment, before, limit]),
  }
}

const methodById: Statement = {
  name: 'payment-method-by-id',
  text: `SELECT ${columns}, m.reference, m.provider FROM account.payment_method m
    WHERE m.account_id = $1 AND m.environment = $2 AND m.id = $3`,
}

/** A stored method, with the provider's id of it. */
export interface StoredMethod extends PaymentMethod {
  readonly reference: string
  /** The name of the provider. */
  readonly provider: string
}

/** Throws NOT_FOUND for another account's method too, so that ids cannot be probed. */
export async function getPaymentMethod(
  database: Pick<Database, 'query'>,
  { accountId, environment }: AccountScope,
  id: string,
): Promise<StoredMethod> {
  const values = [accountId, environment, id]
  const [method] = await database.query<StoredMethod>(methodById, values)
  if (!method) throw new DomainError('NOT_FOUND', 'No payment method has this id.')
  return method
}

const methodsOfProvider: Statement = {
  name: 'payment-methods-of-provider',
  text: `SELECT m.id, m.reference FROM account.payment_method m
    WHERE m.account_id = $1 AND m.environment = $2 AND m.provider = $3
    ORDER BY m.id DESC LIMIT 50`,
}

/** The newest methods that a provider keeps for an account. */
export function methodsAt(
  database: Database,
  { accountId, environment }: AccountScope,
  provider: string,
): Promise<{ readonly id: string; readonly reference: string }[]> {
  return database.query(methodsOfProvider, [accountId, environment, provider])
}

const saveCard: Statement = {
  name: 'payment-method-save',
  text: `INSERT INTO account.payment_method (id, account_id, environment, provider, reference,
      brand, last4, exp_month, exp_year, fingerprint)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    ON CONFLICT (account_id, environment, provider, reference) DO UPDATE
      SET exp_month = excluded.exp_month, exp_year = excluded.exp_year,
        fingerprint = coalesce(excluded.fingerprint, payment_method.fingerprint)`,
}

/** Notes a card that the provider has saved in a purchase. */
export async function noteCard(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  provider: string,
  { reference, brand, last4, expMonth, expYear, fingerprint }: Card,
): Promise<void> {
  await tx.query(saveCard, [
    ...[newId('pm'), accountId, environment, provider],
    ...[reference, brand, last4, expMonth, expYear, fingerprint],
  ])
}

const setDefault: Statement = {
  name: 'payment-save-method',
  text: `INSERT INTO account.auto_recharge AS r
      (account_id, environment, payment_method, method_chosen_at)
    VALUES ($1, $2, $3, coalesce($4, now())) ON CONFLICT (account_id, environment) DO UPDATE
      SET payment_method = excluded.payment_method, method_chosen_at = excluded.method_chosen_at
      WHERE r.method_chosen_at IS NULL OR r.method_chosen_at <= excluded.method_chosen_at`,
}

/**
 * Recharges and renewals use this method from now on, unless another one was chosen after
 * `chosenAt`; null: now. `reference` is the provider's id of it.
 */
export async function useByDefault(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  reference: string,
  chosenAt: Date | null = null,
): Promise<void> {
  await tx.query(setDefault, [accountId, environment, reference, chosenAt])
}

const lockUses: Statement = {
  name: 'payment-method-lock-uses',
  text: `
    SELECT r.payment_method = $3 AS "isDefault", r.enabled AS "isRecharging",
      EXISTS (SELECT FROM account.subscription s WHERE s.account_id = $1 AND s.environment = $2
        AND s.status = 'active') AS "hasSubscription"
    FROM account.auto_recharge r WHERE r.account_id = $1 AND r.environment = $2 FOR UPDATE`,
}

interface MethodUses {
  readonly isDefault: boolean
  readonly isRecharging: boolean
  readonly hasSubscription: boolean
}

const removeMethod: Statement = {
  name: 'payment-method-remove',
  text: 'DELETE FROM account.payment_method WHERE id = $1',
}

/** The default of an account that has none: nothing is recharged with the cards of a real provider. */
export const noMethod = 'simulated'

/**
 * Removes a stored method and returns it. Throws NOT_FOUND, and CONFLICT for the default while
 * recharging is on or a subscription is active.
 */
export async function removePaymentMethod(
  tx: Transaction,
  owner: AccountScope,
  id: string,
): Promise<StoredMethod> {
  const method = await getPaymentMethod(tx, owner, id)
  const key = [owner.accountId, owner.environment]
  const [uses] = await tx.query<MethodUses>(lockUses, [...key, method.reference])
  if (uses?.isDefault) {
    if (uses.isRecharging || uses.hasSubscription) {
      throw new DomainError(
        'CONFLICT',
        'This is the default payment method, and automatic recharging or a subscription uses it: make another one the default first.',
      )
    }
    await useByDefault(tx, owner, noMethod)
  }
  await tx.query(removeMethod, [id])
  return method
}

/**
 * Makes a stored method the default and returns it. Throws NOT_FOUND, and CONFLICT for a card that a
 * dispute bars.
 */
export async function makeDefault(
  tx: Transaction,
  owner: AccountScope,
  id: string,
): Promise<StoredMethod> {
  const method = await getPaymentMethod(tx, owner, id)
  if (await isBarred(tx, owner, method.reference)) {
    throw new DomainError('CONFLICT', `This payment method ${barredRule}.`)
  }
  await useByDefault(tx, owner, method.reference)
  return { ...method, isDefault: true }
}
