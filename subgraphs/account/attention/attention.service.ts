import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { maxAttentionItems } from '../../../schema/vocabulary/attention.ts'
import {
  accountBudgetOwner,
  externalIdBudgetOwner,
} from '../../../schema/vocabulary/budget-owners.ts'
import { countedCredits } from '../../../schema/vocabulary/counted-credits.ts'
import type { AttentionSearch } from '../../shared/attention/attention.ts'
import { budgetFinding } from '../../shared/attention/budget-finding.ts'
import type { Statement } from '../../shared/database/database.ts'
import { readBudgets } from '../budgets/budget.service.ts'
import { getCreditBalance } from '../ledger/credit-balance.service.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { secretKeyOf } from '../webhooks/webhook-endpoint.service.ts'
import { openUrl, unknownUrl } from '../webhooks/webhook-url.ts'
import { billingSearches } from './billing-attention.service.ts'

/** What the account subgraph looks for. */
export function searchesOf(context: AccountContext, owner: AccountScope): AttentionSearch[] {
  return [
    ...billingSearches(context, owner),
    { kind: 'credits_low', scope: 'account:read', find: () => findLowCredits(context, owner) },
    {
      ...{ kind: 'webhook_failing', scope: 'webhooks:read', isForApps: true },
      find: () => findFailingWebhooks(context, owner),
    },
    {
      ...{ kind: 'budget_nearly_used', scope: 'account:read', isForApps: true },
      find: () => findAccountBudgets(context, owner),
    },
    {
      ...{ kind: 'budget_nearly_used', scope: 'keys:read' },
      find: () => findCustomerBudgets(context, owner),
    },
  ]
}

async function findLowCredits({ database, billing }: AccountContext, owner: AccountScope) {
  const { available } = await getCreditBalance(database, owner)
  const crossed = billing.lowCreditsThresholds.filter((threshold) => available < threshold)
  if (available > 0 && crossed.length === 0) return []
  const left = countedCredits(available, new Intl.NumberFormat('en').format(available))
  return [
    {
      severity: available > 0 ? ('warning' as const) : ('critical' as const),
      title:
        available > 0
          ? `Only ${left} ${available === 1 ? 'is' : 'are'} left`
          : 'No credits are left',
      ...{ resourceId: null, label: 'Buy credits', page: 'billing', isTopUp: true },
    },
  ]
}

const failingWebhooks: Statement = {
  name: 'attention-failing-webhooks',
  text: `SELECT id, url, status FROM account.webhook_endpoint
    WHERE account_id = $1 AND environment = $2 AND failing_since IS NOT NULL
    ORDER BY status, failing_since LIMIT 20`,
}

async function findFailingWebhooks(
  { database, gatewaySecret }: AccountContext,
  { accountId, environment }: AccountScope,
) {
  const rows = await database.query<{ id: string; url: string; status: string }>(failingWebhooks, [
    accountId,
    environment,
  ])
  const key = secretKeyOf(gatewaySecret)
  return rows.map(({ id, url, status }) => {
    const { host } = new URL(openUrl(key, url, id) ?? unknownUrl)
    const isDisabled = status === 'disabled'
    return {
      severity: isDisabled ? ('critical' as const) : ('warning' as const),
      title: isDisabled
        ? `Webhooks to ${host} failed for so long that they are disabled`
        : `Webhooks to ${host} fail`,
      ...{ resourceId: id, label: 'See the deliveries', page: `webhooks/${id}` },
    }
  })
}

async function findAccountBudgets({ database }: AccountContext, owner: AccountScope) {
  const [found] = await readBudgets(database, owner, [accountBudgetOwner])
  return [
    budgetFinding(found?.budgets ?? [], {
      ...{ name: 'The account', resourceId: null, label: 'See the budget', page: 'credits' },
    }),
  ]
}

/** Those whose budgets refuse calls come first, then those that have used the largest share. */
const fullSpenders: Statement = {
  name: 'attention-full-spenders',
  text: `SELECT spender FROM account.budget b CROSS JOIN (SELECT account.budget_now() AS at) n
    WHERE account_id = $1 AND environment = $2 AND spender >= $3 AND spender < $4
      AND used * 5 >= limit_credits * 4
      -- What was used in an earlier window counts no more.
      AND counts_from >= account.window_start(period, n.at)
    GROUP BY spender
    ORDER BY bool_or(is_enforced AND used >= limit_credits) DESC,
      max(used::float8 / limit_credits) DESC, spender
    LIMIT ${maxAttentionItems}`,
}

/** A character that sorts after all that ids have. */
const afterAll = '\x7F'

async function findCustomerBudgets({ database }: AccountContext, owner: AccountScope) {
  const rows = await database.query<{ spender: string }>(fullSpenders, [
    ...[owner.accountId, owner.environment],
    ...[externalIdBudgetOwner(''), externalIdBudgetOwner(afterAll)],
  ])
  const found = await readBudgets(
    database,
    owner,
    rows.map(({ spender }) => spender),
  )
  return found.map(({ spender, budgets }) => {
    const externalId = spender.slice(externalIdBudgetOwner('').length)
    return budgetFinding(budgets, {
      ...{ name: externalId, resourceId: externalId, label: 'See the budget' },
      page: `customers/${encodeURIComponent(externalId)}`,
    })
  })
}
