/**
 * Keys, consents, external ids and the account own budgets (docs/contract.md §6). A budget owner is a text:
 * its layer and, but for the account, its id in that layer. A call must fit into the budgets of each of its
 * budget owners. SQL and GraphQL call a budget owner `spender`.
 */
export const budgetLayers = ['key', 'consent', 'external_id', 'account'] as const
export type BudgetLayer = (typeof budgetLayers)[number]

/** The account itself: a cap beside its balance. */
export const accountBudgetOwner = 'account'

/** `spenderId`: the first key of a chain of rotations, so that all keys of it share one counter. */
export function keyBudgetOwner(spenderId: string): string {
  return `key:${spenderId}`
}

export function consentBudgetOwner(clientId: string): string {
  return `consent:${clientId}`
}

export function externalIdBudgetOwner(externalId: string): string {
  return `external_id:${externalId}`
}

/** Throws for a text that is no budget owner. */
export function layerOf(budgetOwner: string): BudgetLayer {
  const [name = ''] = budgetOwner.split(':', 1)
  const layer = budgetLayers.find((one) => one === name)
  if (!layer) throw new Error(`${budgetOwner} is no budget owner.`)
  return layer
}
