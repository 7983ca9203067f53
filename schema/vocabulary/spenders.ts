/**
 * Spenders have budgets (docs/contract.md §6). A spender is a text: its layer and, but for the account,
 * its id in that layer. A call must fit into the budgets of each of its spenders.
 */
export const budgetLayers = ['key', 'consent', 'external_id', 'account'] as const
export type BudgetLayer = (typeof budgetLayers)[number]

/** The account itself: a cap beside its balance. */
export const accountSpender = 'account'

/** `spenderId`: the first key of a chain of rotations, so that all keys of it share one counter. */
export function keySpender(spenderId: string): string {
  return `key:${spenderId}`
}

export function consentSpender(clientId: string): string {
  return `consent:${clientId}`
}

export function externalIdSpender(externalId: string): string {
  return `external_id:${externalId}`
}

/** Throws for a text that is no spender. */
export function layerOf(spender: string): BudgetLayer {
  const [name = ''] = spender.split(':', 1)
  const layer = budgetLayers.find((one) => one === name)
  if (!layer) throw new Error(`${spender} is no spender.`)
  return layer
}
