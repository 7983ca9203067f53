import { z } from 'zod'
import { type Environment, serviceCaller } from '../../schema/credentials/caller.ts'
import {
  accountSpender,
  consentSpender,
  externalIdSpender,
  keySpender,
} from '../../schema/vocabulary/spenders.ts'
import type { Execute } from '../graph/graph-client.ts'

/** A key or consent, as far as its budgets depend on it. */
export interface Spending {
  readonly accountId: string
  /** The spender of its own layer; null: it has none. */
  readonly own: string | null
  readonly externalId: string | null
  /** It was given budgets of its own, so there must be some. */
  readonly isCapped: boolean
}

export interface Spenders {
  /** Those of its layers that have budgets. */
  readonly spenders: readonly string[]
  /** Whether it has a budget of its own or through its external id. */
  readonly isCapped: boolean
}

/** Null: it was given budgets that are missing now, and must be refused. */
export type FindSpenders = (spending: Spending) => Promise<Spenders | null>

const answer = z.array(z.string())

/** Asks the account subgraph which layers have budgets. */
export function findSpenders(execute: Execute, environment: Environment): FindSpenders {
  const caller = serviceCaller({ environment })
  return async function findSpenders({ accountId, own, externalId, isCapped }) {
    const narrow = [
      ...(own === null ? [] : [own]),
      ...(externalId === null ? [] : [externalIdSpender(externalId)]),
    ]
    const asked = [...narrow, accountSpender]
    const variables = { accountId, environment, spenders: asked }
    const found = answer.parse(await execute('FindBudgetedSpenders', variables, caller))
    const spenders = asked.filter((name) => found.includes(name))
    if (isCapped && own !== null && !spenders.includes(own)) return null
    return { spenders, isCapped: narrow.some((name) => spenders.includes(name)) }
  }
}

/** The budget facts of a key in the graph. */
export const keySpending = {
  spenderId: z.string(),
  externalId: z.nullable(z.string()),
  isCapped: z.boolean(),
}

interface KnownKey {
  readonly spenderId: string
  readonly externalId: string | null
  readonly isCapped: boolean
  readonly account: { readonly id: string }
}

export function spendingOfKey({ spenderId, externalId, isCapped, account }: KnownKey): Spending {
  return { accountId: account.id, own: keySpender(spenderId), externalId, isCapped }
}

interface KnownConsent {
  readonly clientId: string
  readonly isCapped: boolean
  readonly account: { readonly id: string }
}

export function spendingOfConsent({ clientId, isCapped, account }: KnownConsent): Spending {
  return { accountId: account.id, own: consentSpender(clientId), externalId: null, isCapped }
}
