import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { consentBudgetOwner } from '../../../schema/vocabulary/budget-owners.ts'
import { type Budget, type BudgetInput, BudgetPeriod } from '../../shared/budgets/budget.type.ts'
import type { Statement } from '../../shared/database/database.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { AppOrigin } from '../apps/app.type.ts'
import type { Client } from '../apps/client.service.ts'
import type { AuthorizationRequest } from '../authorization/checks/authorization-request.ts'
import { promptsOf } from '../authorization/checks/check-prompt.ts'
import { bookOf } from '../consents/consent-budgets.service.ts'
import { findAgentSettings } from './agent-settings.service.ts'

/** An app that nobody has registered by hand: what it says about itself proves nothing. */
function isUnverified({ origin }: Pick<Client, 'origin'>): boolean {
  return origin !== AppOrigin.account
}

/** Whether a person must see the request, although it asks that nobody is shown a page. */
export function isNeverSilent(client: Client, { prompt }: AuthorizationRequest): boolean {
  return isUnverified(client) && promptsOf(prompt).includes('none')
}

const standingConsent: Statement = {
  name: 'standing-consent',
  text: `SELECT FROM oauth.consent
    WHERE account_id = $1 AND client_id = $2 AND revoked_at IS NULL`,
}

/**
 * Throws FORBIDDEN where the account permits no unverified app that it has not approved before. An approval that was
 * withdrawn does not count.
 */
export async function requireAllowed(
  { database }: GraphContext,
  caller: AccountCaller,
  client: Client,
): Promise<void> {
  if (!isUnverified(client)) return
  const { allowUnverifiedApps } = await findAgentSettings(database, caller)
  if (allowUnverifiedApps) return
  const { accountId } = caller
  const known = await database.as(accountId).query(standingConsent, [accountId, client.clientId])
  if (known.length > 0) return
  throw new DomainError('FORBIDDEN', 'This account permits no apps that nobody has verified.')
}

/** What the page suggests where there is no budget yet. */
const suggested = { period: BudgetPeriod.month, limitCredits: 500 } as const

/**
 * The budgets with which the owner can approve an unverified app: those that there are, or a suggestion. Null for any
 * other app, whose approval needs none.
 */
export async function budgetsToApprove(
  context: GraphContext,
  owner: AccountCaller,
  client: Client,
): Promise<Pick<Budget, 'period' | 'limitCredits'>[] | null> {
  if (!isUnverified(client)) return null
  const existing = await budgetsOf(context, owner, client)
  return existing.length > 0 ? [...existing] : [suggested]
}

async function budgetsOf(
  context: GraphContext,
  owner: AccountCaller,
  { clientId }: Client,
): Promise<readonly Budget[]> {
  const spender = consentBudgetOwner(clientId)
  return (await bookOf(context).read(owner, [spender])).get(spender) ?? []
}

/**
 * Throws INVALID_REQUEST for an approval of an unverified app without a budget, and for one that raises or drops a
 * budget that there is: that takes a proof of its own (PATCH of the consent).
 */
export async function requireBudgets(
  context: GraphContext,
  owner: AccountCaller,
  client: Client,
  budgets: readonly BudgetInput[],
): Promise<void> {
  if (!isUnverified(client)) return
  requireAll([['budgets', budgets.length > 0, 'must have a budget: nobody has verified this app']])
  const existing = await budgetsOf(context, owner, client)
  const raised = existing.filter(({ period, limitCredits }) => {
    const wanted = budgets.find((budget) => budget.period === period)
    return !wanted || wanted.limitCredits > limitCredits
  })
  requireAll(
    raised.map(({ period, limitCredits }) => [
      'budgets',
      false,
      `cannot raise the budget that there is, ${period}:${limitCredits}`,
    ]),
  )
}
