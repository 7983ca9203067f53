import { type Environment, serviceCaller } from '../../schema/credentials/caller.ts'
import {
  accountBudgetOwner,
  consentBudgetOwner,
  externalIdBudgetOwner,
  keyBudgetOwner,
} from '../../schema/vocabulary/budget-owners.ts'
import type { Execute } from '../graph/graph-client.ts'

/** A key or consent, as far as its budgets depend on it. */
export interface Spending {
  readonly accountId: string
  /** The budget owner of its own layer; null: it has none. */
  readonly own: string | null
  readonly externalId: string | null
  /** Whether the key or consent was given budgets of its own, so that there must be some. */
  readonly isCapped: boolean
}

export interface BudgetOwners {
  /** The owners of budgets that a call of this key or consent must fit into. */
  readonly budgetOwners: readonly string[]
  /** Whether the key or consent has a budget of its own or through its external id. */
  readonly isCapped: boolean
}

/**
 * Finds the owners of budgets; null: the key or consent has lost budgets that it was given, and
 * must be refused.
 */
export type FindBudgetOwners = (spending: Spending) => Promise<BudgetOwners | null>

/** Asks the account subgraph which layers have budgets. */
export function findBudgetOwners(execute: Execute, environment: Environment): FindBudgetOwners {
  const caller = serviceCaller({ environment })
  return async function findSpenders({ accountId, own, externalId, isCapped }) {
    const narrow = [
      ...(own === null ? [] : [own]),
      ...(externalId === null ? [] : [externalIdBudgetOwner(externalId)]),
    ]
    const asked = [...narrow, accountBudgetOwner]
    const variables = { accountId, environment, spenders: asked }
    const found = await execute('FindBudgetedSpenders', variables, caller)
    const budgetOwners = asked.filter((name) => found.includes(name))
    if (isCapped && own !== null && !budgetOwners.includes(own)) return null
    return { budgetOwners, isCapped: narrow.some((name) => budgetOwners.includes(name)) }
  }
}

/** The budget facts of a key in the graph. */
interface KnownKey {
  readonly spenderId: string
  readonly externalId: string | null
  readonly isCapped: boolean
}

export function spendingOfKey(
  { spenderId, externalId, isCapped }: KnownKey,
  accountId: string,
): Spending {
  return { accountId, own: keyBudgetOwner(spenderId), externalId, isCapped }
}

interface KnownConsent {
  readonly clientId: string
  readonly isCapped: boolean
}

export function spendingOfConsent(
  { clientId, isCapped }: KnownConsent,
  accountId: string,
): Spending {
  return { accountId, own: consentBudgetOwner(clientId), externalId: null, isCapped }
}
