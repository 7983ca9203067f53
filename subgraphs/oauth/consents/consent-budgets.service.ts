import { LockMode } from '@mikro-orm/core'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { consentBudgetOwner } from '../../../schema/vocabulary/budget-owners.ts'
import type { BudgetInput } from '../../shared/budgets/budget.type.ts'
import { type ChangeNote, makeChange } from '../../shared/changes/change.ts'
import type { Queryable, Statement } from '../../shared/database/statement.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import { type BudgetBook, type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { budgetChecks, noteOfBudget } from '../../shared/spending/budget-input.ts'
import { requireUncapped } from '../../shared/spending/capped.ts'
import { GrantedConsentEntity } from './granted-consent.entity.ts'
import { findConsentedApp, toGrantedConsent } from './granted-consent.service.ts'
import type { GrantedConsent } from './granted-consent.type.ts'

/**
 * Replaces the budgets of a consent; null: leaves them. They are stored before the consent is marked as
 * capped, and removed after it is no longer marked: a marked consent never lacks them. Throws NOT_FOUND
 * without a consent, CONFLICT for one that was withdrawn.
 */
export async function changeConsent(
  context: GraphContext,
  clientId: string,
  budgets: readonly BudgetInput[] | null,
): Promise<GrantedConsent> {
  const caller = requireAccount(context)
  const { accountId, environment } = caller
  const owner = { accountId, environment }
  const change = { owner, action: 'consent.update', resourceId: clientId }
  function inLock(note: ChangeNote | null, isMarked?: boolean): Promise<GrantedConsentEntity> {
    return makeChange(context, { ...change, note: () => note }, async (tx) => {
      requireUncapped(caller, 'change consents')
      const lockMode = LockMode.PESSIMISTIC_WRITE
      const found = await tx.findOne(GrantedConsentEntity, { ...owner, clientId }, { lockMode })
      if (!found) throw new DomainError('NOT_FOUND', 'No consent has this id.')
      if (found.revokedAt) throw new DomainError('CONFLICT', 'This consent was withdrawn.')
      if (budgets) requireAll(budgetChecks(budgets))
      if (isMarked !== undefined) await markCapped(tx, owner, clientId, isMarked)
      return found
    })
  }
  const consent = await inLock(null)
  if (budgets) {
    await storeBudgets(context, owner, clientId, budgets)
    const note = { details: { budgets: budgets.map(noteOfBudget) } }
    await inLock(note, budgets.length > 0)
    await settleBudgets(context, owner, clientId, budgets)
  }
  return toGrantedConsent(consent, await findConsentedApp(context.database, clientId))
}

/** The first step of new budgets: see `changeConsent`. */
export async function storeBudgets(
  context: GraphContext,
  owner: AccountScope,
  clientId: string,
  budgets: readonly BudgetInput[],
): Promise<void> {
  if (budgets.length === 0) return
  await bookOf(context).set(owner, consentBudgetOwner(clientId), budgets)
}

const markStatement: Statement = {
  name: 'mark-capped-consent',
  text: `
    UPDATE oauth.consent SET is_capped = $3
    WHERE account_id = $1 AND client_id = $2 AND is_capped <> $3
    RETURNING client_id`,
}

async function markCapped(
  database: Queryable,
  { accountId }: AccountScope,
  clientId: string,
  isMarked: boolean,
): Promise<void> {
  await database.query(markStatement, [accountId, clientId, isMarked])
}

/**
 * The last step: removes the budgets if there shall be none. A consent stays marked only if there are
 * budgets, because another change at the same time may have removed them since.
 */
export async function settleBudgets(
  context: GraphContext,
  owner: AccountScope,
  clientId: string,
  budgets: readonly BudgetInput[],
): Promise<void> {
  const book = bookOf(context)
  const spender = consentBudgetOwner(clientId)
  if (budgets.length === 0) await book.set(owner, spender, [])
  const found = await book.read(owner, [spender])
  if (!found.has(spender)) await markCapped(context.database, owner, clientId, false)
}

/** Throws SERVICE_UNAVAILABLE where nothing keeps budgets. */
export function bookOf({ budgets }: GraphContext): BudgetBook {
  if (budgets) return budgets
  throw new DomainError('SERVICE_UNAVAILABLE', 'Budgets cannot be changed for the moment.')
}
