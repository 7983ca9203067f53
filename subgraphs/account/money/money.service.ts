import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { secretKeyOf } from '../webhooks/webhook-endpoint.service.ts'
import { openUrl, unknownUrl } from '../webhooks/webhook-url.ts'
import type {
  FailingRecharge,
  FailingWebhook,
  OpenDispute,
  PaymentInDoubt,
  PendingRefund,
} from './money.type.ts'

/** Rows of all accounts in one environment, newest first; a partial index has few of them. */
function listOf<Row extends { readonly id: string }>(
  database: Database,
  environment: Environment,
  statement: Statement,
): PagedList<Row> {
  return {
    name: `${statement.name}/${environment}`,
    owner: null,
    positionOf: ({ id }) => id,
    read: ({ limit, before }) => database.query<Row>(statement, [environment, before, limit]),
  }
}

const inDoubt: Statement = {
  name: 'payments-in-doubt',
  text: `SELECT p.id, p.account_id AS "accountId", a.name AS "accountName", p.kind, p.provider,
      p.total_cents AS "totalCents", p.currency, p.created_at AS "createdAt", p.ask_at AS "askAt"
    FROM account.payment p JOIN account.account a ON a.id = p.account_id
    WHERE p.settled_at IS NULL AND p.status = 'pending' AND p.environment = $1
      AND ($2::text IS NULL OR p.id < $2)
    ORDER BY p.id DESC LIMIT $3`,
}

export function paymentsInDoubt(database: Database, environment: Environment) {
  return listOf<PaymentInDoubt>(database, environment, inDoubt)
}

const disputes: Statement = {
  name: 'open-disputes',
  text: `SELECT d.id, d.account_id AS "accountId", a.name AS "accountName", d.payment_id AS "paymentId",
      d.reference, d.status, d.amount_cents AS "amountCents", p.currency, d.created_at AS "createdAt"
    FROM account.payment_dispute d JOIN account.account a ON a.id = d.account_id
    JOIN account.payment p ON p.id = d.payment_id
    WHERE d.status IN ('inquiry', 'open') AND d.environment = $1 AND ($2::text IS NULL OR d.id < $2)
    ORDER BY d.id DESC LIMIT $3`,
}

export function openDisputes(database: Database, environment: Environment) {
  return listOf<OpenDispute>(database, environment, disputes)
}

const refunds: Statement = {
  name: 'pending-refunds',
  text: `SELECT r.id, r.account_id AS "accountId", a.name AS "accountName", r.payment_id AS "paymentId",
      r.amount_cents AS "amountCents", p.currency, r.reason, r.created_at AS "createdAt",
      r.ask_at AS "askAt"
    FROM account.payment_refund r JOIN account.account a ON a.id = r.account_id
    JOIN account.payment p ON p.id = r.payment_id
    WHERE r.status = 'pending' AND r.environment = $1 AND ($2::text IS NULL OR r.id < $2)
    ORDER BY r.id DESC LIMIT $3`,
}

export function pendingRefunds(database: Database, environment: Environment) {
  return listOf<PendingRefund>(database, environment, refunds)
}

const recharges: Statement = {
  name: 'failing-recharges',
  text: `SELECT r.account_id AS id, r.account_id AS "accountId", a.name AS "accountName", r.state,
      r.failure_reason AS "failureReason", r.declines, r.try_at AS "tryAt"
    FROM account.auto_recharge r JOIN account.account a ON a.id = r.account_id
    WHERE r.enabled AND r.failure_reason IS NOT NULL AND r.environment = $1
      AND ($2::text IS NULL OR r.account_id < $2)
    ORDER BY r.account_id DESC LIMIT $3`,
}

export function failingRecharges(database: Database, environment: Environment) {
  return listOf<FailingRecharge & { readonly id: string }>(database, environment, recharges)
}

const webhooks: Statement = {
  name: 'failing-webhooks',
  text: `SELECT e.id, e.account_id AS "accountId", a.name AS "accountName", e.url, e.status,
      e.failing_since AS "failingSince", e.last_failed_at AS "lastFailedAt"
    FROM account.webhook_endpoint e JOIN account.account a ON a.id = e.account_id
    WHERE e.failing_since IS NOT NULL AND e.environment = $1 AND ($2::text IS NULL OR e.id < $2)
    ORDER BY e.id DESC LIMIT $3`,
}

type StoredWebhook = Omit<FailingWebhook, 'host'> & { readonly url: string }

export function failingWebhooks(
  { database, gatewaySecret }: AccountContext,
  environment: Environment,
): PagedList<FailingWebhook> {
  const key = secretKeyOf(gatewaySecret)
  const list = listOf<StoredWebhook>(database, environment, webhooks)
  return {
    ...list,
    positionOf: ({ id }) => id,
    async read(options) {
      const stored = await list.read(options)
      // The rest of an address may hold a secret of its owner.
      return stored.map(({ url, ...shown }) => {
        const { host } = new URL(openUrl(key, url, shown.id) ?? unknownUrl)
        return { ...shown, host }
      })
    },
  }
}
