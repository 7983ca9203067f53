import { checkBooks } from './books.ts'
import { checkBudgets } from './budgets.ts'
import { checkCharges } from './charges.ts'
import { collectFacts } from './facts.ts'
import type { History } from './history.ts'
import { checkKeys } from './keys.ts'
import { checkPayments } from './payments.ts'
import { checkPostings } from './postings.ts'
import { checkReads } from './reads.ts'
import type { Violation } from './violation.ts'

/** Facts that no single thread in the order of the ledger explains, the earliest first. */
export function findUnexplained(history: History): readonly Violation[] {
  const facts = collectFacts(history)
  const found = [
    ...[checkCharges, checkKeys, checkReads, checkPostings],
    ...[checkPayments, checkBudgets, checkBooks],
  ]
  return found.flatMap((check) => check(facts)).toSorted((a, b) => a.atMs - b.atMs)
}
