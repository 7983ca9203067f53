import { describeEntry, type Facts } from './facts.ts'
import type { Violation } from './violation.ts'

/** No budget is ever exceeded, and at the end it shows what was charged (subgraphs/account/budgets). */
export function checkBudgets({ history }: Facts): Violation[] {
  return history.accounts.flatMap(({ accountId, budget }) => {
    if (budget === null) return []
    const entries = history.books.entries
      .filter((entry) => entry.accountId === accountId && entry.environment === 'live')
      .filter(({ kind }) => kind === 'charge' || kind === 'refund')
      .toSorted((a, b) => a.seq - b.seq)
    const found: Violation[] = []
    let used = 0
    for (const entry of entries) {
      used -= entry.credits
      if (used <= budget) continue
      const { createdAtMs: atMs } = entry
      const expected = `no more than ${budget} used, not ${used}`
      found.push({ kind: 'over budget', atMs, accountId, what: describeEntry(entry), expected })
    }
    const shown = history.books.budgets.find((one) => one.accountId === accountId)
    if (shown?.used !== used || shown.held !== 0) {
      const atMs = Math.max(...history.snapshots.map((snapshot) => snapshot.atMs))
      const what = `a budget with ${shown?.used} used and ${shown?.held} held`
      found.push({ kind: 'books differ', atMs, accountId, what, expected: `${used} used, 0 held` })
    }
    return found
  })
}
