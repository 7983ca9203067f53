import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Budget } from '../budgets/budget.type.ts'
import type { GraphContext } from '../graph/context.ts'

type Found = ReadonlyMap<string, Budget[]>

interface Reading {
  readonly spenders: Set<string>
  readonly found: Promise<Found>
}

/** The reads of a document that have not begun, by owner. */
const readings = new WeakMap<GraphContext, Map<string, Reading>>()

/**
 * The present budgets of a spender; none without a supergraph. The budgets of a whole list are read
 * at once: the read begins when nothing else in this turn of the event loop asks.
 */
export async function budgetsOf(
  context: GraphContext,
  owner: AccountScope,
  spender: string,
): Promise<Budget[]> {
  const reading = readingOf(context, owner)
  reading.spenders.add(spender)
  return (await reading.found).get(spender) ?? []
}

function readingOf(context: GraphContext, { accountId, environment }: AccountScope): Reading {
  const byOwner = readings.get(context) ?? new Map<string, Reading>()
  readings.set(context, byOwner)
  const name = `${accountId}/${environment}`
  const known = byOwner.get(name)
  if (known) return known
  const spenders = new Set<string>()
  const found = endOfTurn().then((): Found | Promise<Found> => {
    byOwner.delete(name)
    return context.budgets?.read({ accountId, environment }, [...spenders]) ?? new Map()
  })
  const reading = { spenders, found }
  byOwner.set(name, reading)
  return reading
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    // From within a promise, a tick comes after all promises that are ready.
    void Promise.resolve().then(() => process.nextTick(resolve))
  })
}
