import { describe, expect, test } from 'vitest'
import { type Balance, type OwnedBudget, readBalance } from '../../../rest-facade/charge/balance.ts'
import { shortageOf, tightestOf } from '../../../rest-facade/charge/quotes/affordable.ts'
import type { Execute } from '../../../rest-facade/graph/graph-client.ts'
import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { answeringGraph } from '../../support/graph/answering-graph.ts'

function budget(more: Partial<OwnedBudget> = {}): OwnedBudget {
  return {
    ...{ spender: 'key:key_1', period: 'day', enforce: true },
    ...{ limitCredits: 10, usedCredits: 5, heldCredits: 1, remainingCredits: 4 },
    resetsAt: '2026-02-03T00:00:00.000Z',
    ...more,
  }
}

function balance(budgets: readonly OwnedBudget[], available = 1000): Balance {
  return { available, asOf: '2026-02-02T10:00:00.000Z', budgets }
}

describe('a call with budgets', () => {
  test('is covered when it fits into each of them', () => {
    const budgets = [budget(), budget({ spender: 'account', remainingCredits: 5 })]

    expect(shortageOf({ maximum: 4, unitCredits: null }, balance(budgets), 'live')).toBeNull()
  })

  test('is BUDGET_EXCEEDED with each budget that it does not fit into', () => {
    const budgets = [
      budget(),
      budget({ spender: 'external_id:a:b', period: 'month', remainingCredits: 100 }),
      budget({ spender: 'consent:app_1', period: 'total', remainingCredits: -2, resetsAt: null }),
    ]

    expect(shortageOf({ maximum: 5, unitCredits: null }, balance(budgets), 'live')).toEqual({
      ...{ needed: 5, available: 1000, isOfBalance: false, unitCredits: null },
      refusing: [
        {
          ...{ of: 'key', period: 'day', limit_credits: 10, used_credits: 5, held_credits: 1 },
          ...{ remaining_credits: 4, needed_credits: 5, resets_at: '2026-02-03T00:00:00.000Z' },
        },
        {
          ...{ of: 'consent', period: 'total', limit_credits: 10, used_credits: 5 },
          ...{ held_credits: 1, remaining_credits: -2, needed_credits: 5, resets_at: null },
        },
      ],
    })
  })

  test('is INSUFFICIENT_CREDITS when the balance does not cover it either', () => {
    expect(
      shortageOf({ maximum: 5, unitCredits: null }, balance([budget()], 4), 'live'),
    ).toMatchObject({
      isOfBalance: true,
      refusing: [{ of: 'key' }],
    })
  })

  test('counts with its price in the sandbox too, where the balance covers everything', () => {
    expect(shortageOf({ maximum: 5, unitCredits: null }, balance([], 0), 'sandbox')).toBeNull()
    expect(
      shortageOf({ maximum: 5, unitCredits: null }, balance([budget()], 0), 'sandbox'),
    ).toMatchObject({
      isOfBalance: false,
    })
  })

  test('is not refused by a budget that only reports', () => {
    expect(
      shortageOf({ maximum: 5, unitCredits: null }, balance([budget({ enforce: false })]), 'live'),
    ).toBeNull()
  })
})

test('the tightest budget is one that refuses, if there is one', () => {
  const soft = budget({ enforce: false, remainingCredits: 1 })

  expect(tightestOf([])).toBeNull()
  expect(tightestOf([soft, budget({ enforce: false, remainingCredits: 2 })])).toBe(1)
  expect(tightestOf([soft, budget({ remainingCredits: 7 }), budget()])).toBe(4)
})

describe('the balance of a caller', () => {
  const account = { available: 7, as_of: '2026-02-02T10:00:00.000Z' }
  const { spender, ...shown } = budget()
  const caller: AccountCaller = {
    ...{ kind: 'account', accountId: 'acct_1', keyId: 'key_1', scopes: [], address: null },
    ...{ environment: 'live', requestId: 'req_1', traceId: '' },
  }
  function answering(asked: unknown[]): Execute {
    return answeringGraph((operation, variables, { kind }) => {
      asked.push([operation, variables, kind])
      return operation === 'QuoteCalls' ? account : [{ spender, budgets: [shown] }]
    })
  }

  test('are read with one question where nobody has budgets', async () => {
    const asked: unknown[] = []

    const found = await readBalance({ caller, budgetOwners: [] }, answering(asked))

    expect(found).toEqual({ available: 7, asOf: account.as_of, budgets: [] })
    expect(asked).toEqual([['QuoteCalls', {}, 'account']])
  })

  test('have the budgets of all their owners', async () => {
    const asked: unknown[] = []
    const budgetOwners = [spender, 'account']

    const { budgets } = await readBalance({ caller, budgetOwners }, answering(asked))

    expect(budgets).toEqual([budget()])
    const variables = { accountId: 'acct_1', environment: 'live', spenders: budgetOwners }
    expect(asked).toContainEqual(['ReadBudgets', variables, 'service'])
  })
})
