import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { AttentionSearch, Finding } from '../../shared/attention/attention.ts'
import type { Statement } from '../../shared/database/database.ts'
import { getAutoRecharge } from '../low-balance/auto-recharge.service.ts'
import {
  type AutoRecharge,
  AutoRechargeNeed,
  AutoRechargeState,
} from '../low-balance/auto-recharge.type.ts'
import { canCharge } from '../payments/providers/configured.ts'
import type { AccountContext } from '../settings/account-settings.ts'

/** What callers with `billing:read` learn. */
export function billingSearches(context: AccountContext, owner: AccountScope): AttentionSearch[] {
  const scope = 'billing:read'
  return [
    { kind: 'payment_disputed', scope, find: () => findDisputes(context, owner) },
    { kind: 'payment_unconfirmed', scope, find: () => findUnconfirmed(context, owner) },
    {
      ...{ kind: 'auto_recharge_failed', scope },
      find: async () => failureOf(await rechargeOf(context, owner)),
    },
    {
      ...{ kind: 'auto_recharge_without_card', scope },
      find: async () => lackOf(await rechargeOf(context, owner)),
    },
    { kind: 'card_expiring', scope, find: () => findExpiringCards(context, owner) },
  ]
}

function money(cents: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  const { maximumFractionDigits: digits = 2 } = format.resolvedOptions()
  return format.format(cents / 10 ** digits)
}

const openDisputes: Statement = {
  name: 'attention-disputes',
  text: `SELECT d.payment_id AS "paymentId", d.amount_cents AS cents, p.currency
    FROM account.payment_dispute d JOIN account.payment p ON p.id = d.payment_id
    WHERE d.account_id = $1 AND d.environment = $2 AND d.status IN ('inquiry', 'open')
    ORDER BY d.id DESC LIMIT 20`,
}

interface Amount {
  readonly paymentId: string
  readonly cents: number
  readonly currency: string
}

async function findDisputes(
  { database }: AccountContext,
  { accountId, environment }: AccountScope,
): Promise<Finding[]> {
  const rows = await database.query<Amount>(openDisputes, [accountId, environment])
  return rows.map(({ paymentId, cents, currency }) => ({
    severity: 'critical',
    title: `A payment of ${money(cents, currency)} is disputed`,
    ...{ resourceId: paymentId, label: 'See the payment', page: 'billing/payment' },
  }))
}

const unconfirmedPayments: Statement = {
  name: 'attention-unconfirmed-payments',
  text: `SELECT id AS "paymentId", total_cents AS cents, currency FROM account.payment
    WHERE account_id = $1 AND environment = $2 AND status = 'requires_action'
      AND action = 'confirmation'
    ORDER BY id DESC LIMIT 20`,
}

async function findUnconfirmed(
  { database }: AccountContext,
  { accountId, environment }: AccountScope,
): Promise<Finding[]> {
  const rows = await database.query<Amount>(unconfirmedPayments, [accountId, environment])
  return rows.map(({ paymentId, cents, currency }) => ({
    severity: 'critical',
    title: `A payment of ${money(cents, currency)} waits for your confirmation`,
    ...{ resourceId: paymentId, label: 'Confirm the payment', page: 'billing/payment' },
  }))
}

function rechargeOf(context: AccountContext, owner: AccountScope): Promise<AutoRecharge> {
  const { database } = context
  return getAutoRecharge(database, owner, (method) => canCharge(context, owner.environment, method))
}

function failureOf({ enabled, state, failureReason }: AutoRecharge): Finding[] {
  if (!enabled || failureReason === null) return []
  const isSuspended = state === AutoRechargeState.suspended
  const reason = failureReason.replace(/\.$/, '')
  return [
    {
      severity: isSuspended ? 'critical' : 'warning',
      title: `Automatic recharging ${isSuspended ? 'has stopped' : 'failed'}: ${reason}`,
      ...{ resourceId: null, label: 'See automatic recharging', page: 'billing/payment' },
    },
  ]
}

function lackOf({ enabled, missing }: AutoRecharge): Finding[] {
  if (!enabled || !missing.includes(AutoRechargeNeed.payment_method)) return []
  return [
    {
      severity: 'critical',
      title: 'Automatic recharging has no card that it could charge',
      ...{ resourceId: null, label: 'Add a card', page: 'billing/payment' },
    },
  ]
}

const expiringCards: Statement = {
  name: 'attention-expiring-cards',
  text: `
    SELECT id, brand, last4, exp_month AS month, exp_year AS year,
      make_date(exp_year, exp_month, 1) < date_trunc('month', now(), 'UTC')::date AS "isOver"
    FROM account.payment_method
    WHERE account_id = $1 AND environment = $2
      AND make_date(exp_year, exp_month, 1) <= (date_trunc('month', now(), 'UTC') + interval '1 month')::date
    ORDER BY exp_year, exp_month, id LIMIT 20`,
}

interface CardRow {
  readonly id: string
  readonly brand: string
  readonly last4: string
  readonly month: number
  readonly year: number
  readonly isOver: boolean
}

async function findExpiringCards(
  { database }: AccountContext,
  { accountId, environment }: AccountScope,
): Promise<Finding[]> {
  const rows = await database.query<CardRow>(expiringCards, [accountId, environment])
  return rows.map(({ id, brand, last4, month, year, isOver }) => {
    const card = `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ••${last4}`
    const end = `${String(month).padStart(2, '0')}/${year}`
    return {
      severity: isOver ? 'critical' : 'warning',
      title: isOver ? `${card} expired with ${end}` : `${card} expires with ${end}`,
      ...{ resourceId: id, label: 'See the cards', page: 'billing/payment' },
    }
  })
}
