import { createHash, randomBytes } from 'node:crypto'
import type { Catalog } from '../../../schema/catalog/load-catalog.ts'
import type { Operation } from '../../../schema/catalog/operation.ts'
import { newApiKey } from '../../../schema/credentials/api-key-format.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import {
  type DemoBudget,
  writeDemoBudgets,
  writeDemoDispute,
} from '../../../subgraphs/account/index.ts'
import { writeDemoKeys } from '../../../subgraphs/keys/index.ts'
import { writeDemoApp } from '../../../subgraphs/oauth/index.ts'
import type { Queryable } from '../../../subgraphs/shared/database/statement.ts'
import { EnvironmentValue } from '../../../subgraphs/shared/graph/environment.type.ts'
import { AuditActorKind, recordAuditEvents } from '../../../subgraphs/usage/index.ts'
import { type DemoCall, dayMs, type Random } from './demo-calls.ts'
import { failureDetails } from './demo-failures.ts'

/** A customer of the account, and its part of the product calls. */
interface Customer {
  readonly externalId: string
  readonly keyName: string
  readonly share: number
  readonly scopes: readonly string[]
  readonly createdDaysBefore: number
  /** Without a limit, 82 % of it are used. */
  readonly budget: { readonly period: 'month' | 'total'; readonly limitCredits?: number }
  readonly expiresInDays?: number
}

/** So few that they are spent before the month ends: the calls after that are refused. */
const trialCredits = 150

const customers: readonly Customer[] = [
  {
    ...{ externalId: 'northwind', keyName: 'Northwind · CRM sync', share: 0.38 },
    ...{ scopes: ['*'], createdDaysBefore: 76, budget: { period: 'total' } },
  },
  {
    ...{ externalId: 'tidewater', keyName: 'Tidewater · outreach', share: 0.24 },
    scopes: ['contacts:read', 'contacts:write', 'promote:read', 'promote:write'],
    ...{ createdDaysBefore: 61, budget: { period: 'month', limitCredits: 5000 } },
  },
  {
    ...{ externalId: 'umbra-labs', keyName: 'Umbra Labs · research', share: 0.18 },
    scopes: ['markets:read', 'markets:write', 'seo:read', 'seo:write', 'who-is-searching:read'],
    ...{ createdDaysBefore: 44, budget: { period: 'month', limitCredits: 2500 } },
  },
  {
    ...{ externalId: 'kestrel', keyName: 'Kestrel · trial', share: 0.08 },
    ...{ scopes: ['*'], createdDaysBefore: 43, expiresInDays: 6 },
    budget: { period: 'month', limitCredits: trialCredits },
  },
]

/** A call with the key that made it. */
interface OwnedCall extends DemoCall {
  readonly keyId: string | null
  readonly externalId: string | null
  readonly errorDetails: string | null
}

interface DemoOwners {
  readonly keyIds: ReadonlyMap<string, string>
  readonly calls: readonly OwnedCall[]
}

interface OwnOptions {
  readonly catalog: Catalog
  readonly endsAtMs: number
  readonly random: Random
}

/**
 * Gives each product call to a customer whose key may make it, or to nobody; calls about the account itself are
 * nobody's. A refusal goes to a customer to whom it can happen, and is left out where there is none.
 */
export function ownCalls(
  calls: readonly DemoCall[],
  { catalog, endsAtMs, random }: OwnOptions,
): DemoOwners {
  const keyIds = new Map(
    customers.map(({ externalId, createdDaysBefore }) => [
      externalId,
      newId('key', endsAtMs - createdDaysBefore * dayMs),
    ]),
  )
  const operations = new Map(
    catalog.services
      .flatMap((service) => service.operations)
      .map((one) => [`${one.method} /v1/${one.service}${one.path}`, one]),
  )
  const budgets = new MonthlyBudgets()
  const owned = calls.flatMap((call): OwnedCall[] => {
    const operation = operations.get(`${call.method} ${call.route}`)
    if (!operation) return [{ ...call, keyId: null, externalId: null, errorDetails: null }]
    const owner = ownerOf(call, operation, budgets, random)
    if (owner === null && mustHaveOwner.has(call.errorCode ?? '')) return []
    if (owner) budgets.spend(owner, call)
    const limit = owner?.budget.limitCredits ?? null
    const externalId = owner?.externalId ?? null
    return [
      {
        ...{ ...call, externalId, keyId: keyIds.get(externalId ?? '') ?? null },
        errorDetails: failureDetails(call, operation, limit, random),
      },
    ]
  })
  return { keyIds, calls: owned }
}

/** Refusals of a key with few scopes, and of a budget. */
const mustHaveOwner: ReadonlySet<string> = new Set(['FORBIDDEN', 'BUDGET_EXCEEDED'])

/** A customer that can have had this outcome of a call; null: nobody. */
function ownerOf(
  call: DemoCall,
  { scope, price }: Operation,
  budgets: MonthlyBudgets,
  random: Random,
): Customer | null {
  const may = ({ scopes }: Customer) => scopes.includes('*') || scopes.includes(scope)
  if (call.errorCode === 'FORBIDDEN') {
    return chosenFrom(
      customers.filter((one) => !may(one)),
      random,
      { isSure: true },
    )
  }
  if (call.errorCode === 'BUDGET_EXCEEDED') {
    const refused = customers.filter((one) => may(one) && !budgets.permit(one, call, price.maximum))
    return chosenFrom(refused, random, { isSure: true })
  }
  // A call that failed later has first been allowed to cost all that it can.
  const needed = call.errorCode ? price.maximum : call.credits
  const permitted = customers.filter((one) => may(one) && budgets.permit(one, call, needed))
  return chosenFrom(permitted, random, { isSure: false })
}

/** One of these by their shares. Unless it is sure, what remains of a whole is the share of nobody. */
function chosenFrom(
  from: readonly Customer[],
  random: Random,
  { isSure }: { readonly isSure: boolean },
): Customer | null {
  const whole = from.reduce((sum, { share }) => sum + share, 0)
  let rest = random() * (isSure ? whole : 1)
  const found = from.find(({ share }) => {
    rest -= share
    return rest < 0
  })
  return found ?? null
}

/** What customers with a limit have spent in each month. */
class MonthlyBudgets {
  readonly #spent = new Map<string, number>()

  permit({ externalId, budget }: Customer, { ts }: DemoCall, credits: number): boolean {
    const spent = this.#spent.get(monthOf(externalId, ts)) ?? 0
    return spent + credits <= (budget.limitCredits ?? Number.POSITIVE_INFINITY)
  }

  spend({ externalId }: Customer, { ts, credits }: DemoCall): void {
    const month = monthOf(externalId, ts)
    this.#spent.set(month, (this.#spent.get(month) ?? 0) + credits)
  }
}

function monthOf(externalId: string, ts: Date): string {
  return `${externalId} ${ts.toISOString().slice(0, 7)}`
}

interface ObjectsOptions extends DemoOwners {
  readonly accountId: string
  readonly keyPrefix: string
  readonly endsAtMs: number
}

/** Writes what the account has beside its calls: keys, budgets, an app, a dispute, and the trail of its changes. */
export async function writeDemoObjects(
  transaction: Queryable,
  options: ObjectsOptions,
): Promise<void> {
  const { accountId, endsAtMs } = options
  const app = {
    ...{ clientId: newId('app', endsAtMs - 33 * dayMs), name: 'Pipeline Board' },
    redirectUri: 'https://pipeline-board.example/callback',
    scopes: ['openid', 'account:read', 'usage:read', 'contacts:read', 'offline_access'],
    ...{ secretHash: hashOfNothing(), createdAt: new Date(endsAtMs - 33 * dayMs) },
  }
  const maker = 'session:ada@acme.example'
  await writeDemoKeys(transaction, accountId, keysOf(options), maker)
  await writeDemoApp(transaction, accountId, app, maker)
  const budgets = customers.map((customer) => budgetOf(customer, endsAtMs))
  const ofConsent = { period: 'month', limitCredits: 1000 } as const
  const capped = { spender: `consent:${app.clientId}`, countsFrom: startOfMonth(endsAtMs) }
  await writeDemoBudgets(
    transaction,
    accountId,
    [...budgets, { ...ofConsent, ...capped }],
    spendingsOf(options),
  )
  await writeDemoDispute(transaction, accountId, new Date(endsAtMs - 2 * dayMs))
  await recordAuditEvents(transaction, trailOf(options, app.clientId))
}

/** The hash of a secret that nobody has. */
function hashOfNothing(): string {
  return createHash('sha256').update(randomBytes(32)).digest('hex')
}

function keysOf({ keyIds, calls, keyPrefix, endsAtMs }: ObjectsOptions) {
  return customers.map(({ externalId, keyName, scopes, createdDaysBefore, expiresInDays }) => {
    const { prefix, last4 } = newApiKey(keyPrefix, 'live')
    const last = calls.findLast((call) => call.externalId === externalId)
    return {
      ...{ id: keyIds.get(externalId) ?? '', name: keyName, externalId, scopes, prefix, last4 },
      ...{ secretHash: hashOfNothing(), createdAt: new Date(endsAtMs - createdDaysBefore * dayMs) },
      lastUsedAt: last?.ts ?? null,
      expiresAt: expiresInDays === undefined ? null : new Date(endsAtMs + expiresInDays * dayMs),
    }
  })
}

function startOfMonth(ms: number): Date {
  return new Date(`${new Date(ms).toISOString().slice(0, 7)}-01T00:00:00Z`)
}

function budgetOf({ externalId, budget }: Customer, endsAtMs: number): DemoBudget {
  const { period, limitCredits = null } = budget
  const countsFrom = period === 'month' ? startOfMonth(endsAtMs) : new Date(0)
  return { spender: `external_id:${externalId}`, period, limitCredits, countsFrom }
}

function spendingsOf({ calls }: ObjectsOptions) {
  return calls
    .filter(({ externalId, credits }) => externalId !== null && credits > 0)
    .map(({ requestId, externalId, ts, credits }) => ({
      ...{ requestId, spender: `external_id:${externalId}`, at: ts, credits },
    }))
}

type Change = readonly [
  daysBefore: number,
  actor: string,
  action: string,
  resourceId: string | null,
  details?: object,
  result?: 'FORBIDDEN',
]

/** Six weeks of changes, of people and of keys, and some that were refused. */
function trailOf({ accountId, keyIds, endsAtMs }: ObjectsOptions, clientId: string) {
  const keyOf = (externalId: string) => keyIds.get(externalId) ?? null
  const ada = 'ada@acme.example'
  const ben = 'ben@acme.example'
  const changes: readonly Change[] = [
    [42.4, ada, 'key.create', keyOf('umbra-labs')],
    [41.2, ada, 'external_id.update', null, { external_id: 'umbra-labs' }],
    [40.6, ben, 'keyword.create', null],
    [37.9, ada, 'checkout.create', null],
    [33.3, ben, 'oauth_app.create', clientId],
    [33.1, ada, 'consent.grant', clientId],
    [30.7, ada, 'billing_details.update', null],
    [27.4, ben, 'auto_recharge.update', null, {}, 'FORBIDDEN'],
    [26.5, ben, 'key.update', keyOf('tidewater')],
    [21.4, ada, 'webhook.create', null],
    [19.8, ben, 'webhook.update', null],
    [16.2, ada, 'auto_recharge.update', null],
    [12.3, ben, 'checkout.create', null, {}, 'FORBIDDEN'],
    [12.1, ada, 'checkout.create', null],
    [9.5, ada, 'external_id.update', null, { external_id: 'tidewater' }],
    [6.3, ben, 'key.update', keyOf('kestrel')],
    [3.4, ben, 'webhook.test', null],
    [1.2, ada, 'external_id.update', null, { external_id: 'northwind' }],
  ]
  const weekly = [41, 34, 27, 20, 13, 6].map(
    (days): Change => [days + 0.31, ada, 'session.open', null],
  )
  return [...changes, ...weekly]
    .sort(([one], [other]) => other - one)
    .map(([daysBefore, actorId, action, resourceId, details, result = 'succeeded']) => {
      const occurredAt = new Date(Math.floor(endsAtMs - daysBefore * dayMs))
      return {
        ...{
          id: newId('aud', occurredAt.getTime()),
          accountId,
          environment: EnvironmentValue.live,
        },
        ...{ occurredAt, actorKind: AuditActorKind.session, actorId, action, resourceId },
        ...{ address: '203.0.113.24', requestId: newId('req', occurredAt.getTime()) },
        result,
        details: { ...details },
      }
    })
}
