import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chargesOn } from '../../support/database/charge-batches.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())

const { openAccount } = chargesOn(() => graph)
const all = ['key:key_1', 'external_id:team', 'account']
const budgets = [
  { period: 'day', limitCredits: 5 },
  { period: 'total', limitCredits: 9 },
]

function ask(accountId: string, environment: string, spenders: readonly string[]) {
  return graph.asService('FindBudgetedSpenders', { accountId, environment, spenders })
}

describe('budgetedSpenders', () => {
  test('names for each of many callers at once those of its own spenders that have budgets', async () => {
    const accounts: { readonly id: string; readonly spenders: readonly string[] }[] = []
    for (let bits = 0; bits < 8; bits += 1) {
      const id = await openAccount(1)
      const spenders = all.filter((_, index) => bits & (1 << index))
      for (const spender of spenders) {
        await graph.asService('SetBudgets', {
          accountId: id,
          environment: 'live',
          spender,
          budgets,
        })
      }
      accounts.push({ id, spenders })
    }

    const live = await Promise.all(accounts.map(({ id }) => ask(id, 'live', all)))
    const sandbox = await Promise.all(accounts.map(({ id }) => ask(id, 'sandbox', all)))
    const narrow = await Promise.all(accounts.map(({ id }) => ask(id, 'live', ['account'])))

    expect(live.map((found) => new Set(found as string[]))).toEqual(
      accounts.map(({ spenders }) => new Set(spenders)),
    )
    // A spender with two budgets is named once.
    expect(live.flat()).toHaveLength(12)
    expect(sandbox.flat()).toEqual([])
    expect(narrow).toEqual(
      accounts.map(({ spenders }) => (spenders.includes('account') ? ['account'] : [])),
    )
  })
})
