import { randomUUID } from 'node:crypto'
import { parse } from 'graphql'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { chosen } from '../../support/extent/extent.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let graph: TestGraph
let gateway: TestGateway
beforeAll(async () => {
  graph = await openTestGraph()
  gateway = await startTestGateway({}, { database: graph.database })
})
afterAll(async () => {
  await gateway.close()
  await graph.close()
})

/**
 * With so many credits that nothing in here makes them run low: of that, its holder would be told.
 */
const open = () => gateway.createAccount({ credits: 5000 })

const roles = ['readonly', 'support', 'admin'] as const
type Role = (typeof roles)[number]

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the document selects.
  readonly data: any
  readonly errors?: readonly unknown[]
  readonly requestId: string | null
  /** The `jti` of the token that was used. */
  readonly tokenId: string | undefined
}

async function ask(role: Role, query: string, variables: object): Promise<Answer> {
  const token = await gateway.internalToken(role)
  const response = await gateway.internal.post('/graphql', { query, variables }, token)
  const { data = null, errors } = Object(response.body)
  const requestId = response.headers.get('x-request-id')
  return { data, errors, requestId, tokenId: decodeJwt(token).jti }
}

/** Asks as the request of an account holder would arrive at the subgraphs. */
async function askAs(account: TestAccount, query: string, variables: object) {
  const caller: AccountCaller = {
    kind: 'account',
    accountId: account.id,
    keyId: 'key_x',
    scopes: ['*'],
    environment: 'live',
    requestId: newId('req'),
    traceId: '',
    address: null,
  }
  return graph.run(parse(query), { ...variables }, caller)
}

function error(code: string) {
  return expect.objectContaining({ extensions: expect.objectContaining({ code }) })
}

const instant = expect.stringMatching(/^\d{4}-.*Z$/)

const details = `
  balance
  credits(environment: $environment) { balance held available }
  subscription(environment: $environment) {
    tier status currentPeriodStart currentPeriodEnd cancelAtPeriodEnd canceledAt monthlyCredits
  }
  addons(environment: $environment) {
    massMail {
      active status currentPeriodEnd cancelAtPeriodEnd monthlyQuota usedThisPeriod
    }
    rankTracking { active status keywordLimit keywordsUsed }
  }
  autoRecharge(environment: $environment) {
    enabled thresholdCredits packageId monthlyCapCents state lastRechargeAt failureReason missing
  }
  trackedKeywords(environment: $environment) {
    nodes { id keyword domain country device createdAt } pageInfo { hasNextPage endCursor }
  }
  invoices(environment: $environment) {
    nodes {
      id number type status totalCents taxCents currency credits description pdfUrl originalInvoiceId
      createdAt
    }
    pageInfo { hasNextPage endCursor }
  }
  billingDetails(environment: $environment) {
    name address { line1 line2 city postalCode state } country taxId purchaseOrder
  }
  ledger(environment: $environment) {
    nodes { id kind credits balanceAfter description requestId createdAt }
    pageInfo { hasNextPage endCursor }
  }
  events(environment: $environment) {
    nodes { id type data createdAt } pageInfo { hasNextPage endCursor }
  }`
const detailsQuery = `query ($id: ID!, $environment: EnvironmentInput! = LIVE) {
  account(id: $id) { ${details} }
}`

/** Everything there is to see of an account, in one environment. */
async function detailsOf(id: string, environment = 'LIVE', role: Role = 'readonly') {
  const { data, errors } = await ask(role, detailsQuery, { id, environment })
  expect(errors).toBeUndefined()
  return data.account
}

const keyword = { keyword: 'running shoes', domain: 'shop.example', country: 'DE' }

/** Has the account's holder do something; the answer's body. */
async function act({ liveKey }: TestAccount, path: string, body?: object) {
  const response = await gateway.live.post(path, body, liveKey)
  expect(response).toMatchObject({ status: expect.toSatisfy((status) => status < 300) })
  return Object(response.body)
}

function track(account: TestAccount, text = keyword.keyword) {
  const body = { ...keyword, keyword: text }
  return act(account, '/v1/account/addons/rank-tracking/keywords', body)
}

function buy(account: TestAccount) {
  const order = { package_id: 'pack_starter', payment_method: 'simulated' }
  return act(account, '/v1/billing/checkout', order)
}

function moveSubscription(account: TestAccount, move: 'cancel' | 'resume') {
  return act(account, `/v1/account/subscription/${move}`)
}

/** Has the account charged 5 credits; the id of the request. */
async function reveal({ liveKey }: TestAccount): Promise<string | null> {
  const call = await gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)
  expect(call.status).toBe(200)
  return call.headers.get('x-request-id')
}

function whole(...nodes: readonly unknown[]) {
  return { nodes, pageInfo: { hasNextPage: false, endCursor: null } }
}

describe('the details of an account', () => {
  test.each(roles)('are shown to %s as the account holder sees them', async (role) => {
    const account = await open()
    const requestId = await reveal(account)
    await track(account)
    await buy(account)
    await moveSubscription(account, 'cancel')

    const shown = await detailsOf(account.id, 'LIVE', role)

    expect(shown).toEqual({
      balance: 5995,
      credits: { balance: 5995, held: 0, available: 5995 },
      subscription: {
        tier: 'enterprise_sub',
        status: 'scheduled_to_cancel',
        currentPeriodStart: instant,
        currentPeriodEnd: instant,
        cancelAtPeriodEnd: true,
        canceledAt: instant,
        monthlyCredits: 120_000,
      },
      addons: {
        massMail: {
          active: true,
          status: 'active',
          currentPeriodEnd: instant,
          cancelAtPeriodEnd: false,
          monthlyQuota: 10_000,
          usedThisPeriod: 0,
        },
        rankTracking: { active: true, status: 'active', keywordLimit: 100, keywordsUsed: 1 },
      },
      autoRecharge: {
        enabled: false,
        thresholdCredits: null,
        packageId: null,
        monthlyCapCents: null,
        state: 'idle',
        lastRechargeAt: null,
        failureReason: null,
        missing: ['threshold_credits', 'package_id'],
      },
      trackedKeywords: whole({
        id: expect.stringMatching(/^kw_/),
        ...keyword,
        device: 'desktop',
        createdAt: instant,
      }),
      invoices: whole({
        id: expect.stringMatching(/^inv_/),
        number: expect.any(String),
        type: 'invoice',
        status: 'paid',
        totalCents: 1000,
        taxCents: 0,
        currency: 'USD',
        credits: 1000,
        description: 'Starter package',
        pdfUrl: expect.stringMatching(/^http.+\/v1\/billing\/invoices\/inv_\w+\.pdf$/),
        originalInvoiceId: null,
        createdAt: instant,
      }),
      billingDetails: {
        ...{ name: null, address: null, country: null, taxId: null, purchaseOrder: null },
      },
      ledger: whole(
        entry('purchase', 1000, 5995, 'Starter package'),
        { ...entry('charge', -5, 4995, expect.any(String)), requestId },
        entry('grant', 5000, 5000, 'Opening balance'),
      ),
      events: expect.objectContaining({
        nodes: expect.arrayContaining([
          {
            id: expect.stringMatching(/^evt_/),
            type: 'subscription.cancel_scheduled',
            data: {
              tier: 'enterprise_sub',
              status: 'scheduled_to_cancel',
              current_period_start: shown.subscription.currentPeriodStart,
              current_period_end: shown.subscription.currentPeriodEnd,
              failure_reason: null,
            },
            createdAt: instant,
          },
        ]),
      }),
    })
  })

  function entry(kind: string, credits: number, balanceAfter: number, description: unknown) {
    const id = expect.stringMatching(/^led_/)
    const requestId = null
    return { id, kind, credits, balanceAfter, description, requestId, createdAt: instant }
  }

  test('are of the sandbox when it is named', async () => {
    const account = await open()
    await track(account)
    await gateway.sandbox.post(
      '/v1/account/addons/rank-tracking/keywords',
      { ...keyword, keyword: 'play' },
      account.sandboxKey,
    )
    await gateway.sandbox.post('/v1/account/subscription/cancel', undefined, account.sandboxKey)

    const live = await detailsOf(account.id)
    const sandbox = await detailsOf(account.id, 'SANDBOX')

    expect(live).toMatchObject({
      credits: { balance: 5000 },
      subscription: { status: 'active' },
      trackedKeywords: { nodes: [{ keyword: keyword.keyword }] },
      ledger: { nodes: [{ credits: 5000 }] },
      events: { nodes: [] },
    })
    expect(sandbox).toMatchObject({
      credits: { balance: 100_000 },
      subscription: { status: 'scheduled_to_cancel' },
      trackedKeywords: { nodes: [{ keyword: 'play' }] },
      ledger: { nodes: [{ credits: 100_000 }] },
      events: { nodes: [{ type: 'subscription.cancel_scheduled' }] },
    })
  })

  test('belong to each account, also in a list of accounts', async () => {
    const name = randomUUID()
    const [withKeyword, without] = [await openAccount(name), await openAccount(name)]
    await track(withKeyword)

    const { data } = await ask(
      'readonly',
      `query ($search: String!) { accounts(search: $search) {
        nodes { id addons { rankTracking { keywordsUsed } } trackedKeywords { nodes { keyword } } }
      } }`,
      { search: name },
    )

    const shown = (id: string, keywords: readonly string[]) => ({
      id,
      addons: { rankTracking: { keywordsUsed: keywords.length } },
      trackedKeywords: { nodes: keywords.map((text) => ({ keyword: text })) },
    })
    expect(data.accounts.nodes).toEqual([
      shown(without.id, []),
      shown(withKeyword.id, [keyword.keyword]),
    ])
  })

  test.each([
    'credits { balance }',
    'subscription { tier }',
    'addons { rankTracking { active } }',
    'autoRecharge { enabled }',
    'trackedKeywords { nodes { id } }',
    'invoices { nodes { id } }',
    'ledger { nodes { id } }',
    'lots { nodes { id } }',
    'events { nodes { id } }',
    'payments { nodes { id } }',
    'webhookEndpoints { nodes { id } }',
    'sessions { nodes { id } }',
  ])('are hidden from account holders: %s', async (field) => {
    const account = await open()
    const other = await open()

    const own = await askAs(account, `{ me { id ${field} } }`, {})
    const foreign = await askAs(
      account,
      `query ($id: ID!) { account(id: $id) { ${field} } }`,
      other,
    )

    expect(own.errors).toEqual([error('FORBIDDEN')])
    expect(foreign.errors).toEqual([error('FORBIDDEN')])
  })
})

/** An account that a search for its name finds. */
async function openAccount(name: string): Promise<TestAccount> {
  const input = { name, email: 'a@b.example', credits: 1000 }
  const { createAccount } = Object(
    await gateway.graphql(
      `mutation ($input: CreateAccountInput!) {
        createAccount(input: $input) { accountId liveKey sandboxKey }
      }`,
      { input },
    ),
  )
  const { accountId, liveKey, sandboxKey } = createAccount
  return { id: accountId, liveKey, sandboxKey }
}

describe.each(['trackedKeywords', 'invoices', 'ledger', 'events'])(
  'the %s of an account',
  (field) => {
    const query = `query ($id: ID!, $first: Int!, $after: String, $environment: EnvironmentInput! = LIVE) {
    account(id: $id) { list: ${field}(first: $first, after: $after, environment: $environment) {
      nodes { id } pageInfo { hasNextPage endCursor }
    } }
  }`

    async function page(variables: object) {
      const { data, errors } = await ask('readonly', query, variables)
      return { list: data?.account?.list, errors }
    }

    /** Three of each, at least. */
    async function openBusyAccount(): Promise<TestAccount> {
      const account = await open()
      for (const text of ['a', 'b', 'c']) {
        await track(account, text)
        await buy(account)
      }
      for (const move of ['cancel', 'resume', 'cancel'] as const)
        await moveSubscription(account, move)
      return account
    }

    test('are listed in pages, each once, newest first', async () => {
      const { id } = await openBusyAccount()
      const { list: all } = await page({ id, first: 200 })

      const ids: string[][] = []
      let after: string | null = null
      do {
        const { list }: Awaited<ReturnType<typeof page>> = await page({ id, first: 2, after })
        ids.push(list.nodes.map((node: { id: string }) => node.id))
        after = list.pageInfo.endCursor
      } while (after !== null)

      const allIds: string[] = all.nodes.map((node: { id: string }) => node.id)
      expect(allIds.length).toBeGreaterThanOrEqual(3)
      expect(ids.slice(0, -1).map(({ length }) => length)).toEqual(ids.slice(1).map(() => 2))
      expect(ids.flat()).toEqual(allIds)
      expect(all.pageInfo).toEqual({ hasNextPage: false, endCursor: null })
    })

    test.each([0, -1, 201])('are refused in pages of %i', async (first) => {
      const { id } = await open()

      const { errors } = await page({ id, first })

      expect(errors).toEqual([expect.objectContaining({ message: 'first: must be 1 to 200' })])
    })

    test('are refused for a cursor of another account, environment or list, and for a made-up cursor', async () => {
      const busy = await openBusyAccount()
      const other = await open()
      const { list } = await page({ id: busy.id, first: 1 })
      const after = list.pageInfo.endCursor
      const { data } = await ask(
        'readonly',
        'query { accounts(first: 1) { pageInfo { endCursor } } }',
        {},
      )
      const foreign = data.accounts.pageInfo.endCursor

      const answers = [
        await page({ id: other.id, first: 1, after }),
        await page({ id: busy.id, first: 1, after, environment: 'SANDBOX' }),
        await page({ id: busy.id, first: 1, after: foreign }),
        await page({ id: busy.id, first: 1, after: 'nonsense' }),
      ]

      const message = 'after: is not a cursor of this list'
      for (const { errors } of answers)
        expect(errors).toEqual([expect.objectContaining({ message })])
      expect(await page({ id: busy.id, first: 1, after })).toMatchObject({ errors: undefined })
    })
  },
)

interface Case {
  readonly mutation: string
  /** The selection, with `$id` for the account. */
  readonly field: string
  /** Other variables, by name with their types. */
  readonly types?: Readonly<Record<string, string>>
  /** Brings the account where this is possible; gives the other variables. */
  readonly prepare?: (account: TestAccount) => Promise<object>
  /** The expected answer. */
  readonly answer: object
  /** The line of the audit trail about it. */
  readonly line: { readonly action: string; readonly resourceId: unknown; readonly details: object }
  /** The error code of the next attempt; null: it is not refused. */
  readonly refusal: string | null
}

const none = { resourceId: null, details: {} }

/** The changes that support may make for an account, as its holder may. */
const supportCases: readonly Case[] = [
  {
    mutation: 'cancelSubscription',
    field: 'cancelSubscription(accountId: $id) { status canceledAt }',
    answer: { status: 'scheduled_to_cancel', canceledAt: instant },
    line: { action: 'subscription.cancel', ...none },
    refusal: 'CONFLICT',
  },
  {
    mutation: 'cancelMassMail',
    field: 'cancelMassMail(accountId: $id) { massMail { active status } }',
    answer: { massMail: { active: true, status: 'scheduled_to_cancel' } },
    line: { action: 'addon.cancel', resourceId: 'mass_mail', details: {} },
    refusal: 'CONFLICT',
  },
  {
    mutation: 'trackKeyword',
    field: `trackKeyword(accountId: $id, input: {
      keyword: "running shoes", domain: "shop.example", country: "DE", device: mobile
    }) { keyword domain country device }`,
    answer: { ...keyword, device: 'mobile' },
    line: {
      action: 'keyword.create',
      resourceId: expect.stringMatching(/^kw_/),
      details: { keyword: keyword.keyword },
    },
    refusal: 'CONFLICT',
  },
  {
    mutation: 'untrackKeyword',
    field: 'untrackKeyword(accountId: $id, id: $keyword) { keyword }',
    types: { keyword: 'ID!' },
    prepare: async (account) => ({ keyword: (await track(account)).id }),
    answer: { keyword: keyword.keyword },
    line: {
      action: 'keyword.delete',
      resourceId: expect.stringMatching(/^kw_/),
      details: { keyword: keyword.keyword },
    },
    refusal: 'NOT_FOUND',
  },
  {
    mutation: 'configureAutoRecharge',
    field: `configureAutoRecharge(accountId: $id, input: {
      enabled: false, idempotencyKey: "k"
    }) { enabled thresholdCredits packageId }`,
    prepare: async (account) => {
      const setUp = { enabled: true, threshold_credits: 100, package_id: 'pack_starter' }
      await gateway.live.request('/v1/account/auto-recharge', {
        method: 'PATCH',
        body: setUp,
        key: account.liveKey,
      })
      return {}
    },
    answer: { enabled: false, thresholdCredits: 100, packageId: 'pack_starter' },
    line: { action: 'auto_recharge.update', resourceId: null, details: { enabled: false } },
    refusal: null,
  },
]

/** The changes that only an administrator may make. */
const adminCases: readonly Case[] = [
  {
    mutation: 'resumeSubscription',
    field: 'resumeSubscription(accountId: $id, idempotencyKey: "k") { status canceledAt }',
    prepare: (account) => moveSubscription(account, 'cancel'),
    answer: { status: 'active', canceledAt: null },
    line: { action: 'subscription.resume', ...none },
    refusal: null,
  },
  {
    mutation: 'updateAccount',
    field: 'updateAccount(input: { id: $id, tier: GROWTH, status: SUSPENDED }) { tier status }',
    answer: { tier: 'GROWTH', status: 'SUSPENDED' },
    line: {
      action: 'account.update',
      resourceId: expect.stringMatching(/^acct_/),
      details: {
        ...{ tier: 'GROWTH', status: 'SUSPENDED' },
        before: { tier: 'SCALE', status: 'ACTIVE' },
        after: { tier: 'GROWTH', status: 'SUSPENDED' },
      },
    },
    refusal: null,
  },
  {
    mutation: 'grantCredits',
    field: `grantCredits(input: {
      accountId: $id, credits: $credits, reason: "Sorry", idempotencyKey: "k"
    }) { kind credits balanceAfter }`,
    types: { credits: 'SafeInt!' },
    prepare: async () => ({ credits: 7 }),
    answer: { kind: 'grant', credits: 7, balanceAfter: 5007 },
    line: {
      action: 'credits.grant',
      resourceId: expect.stringMatching(/^led_/),
      details: {
        ...{ credits: 7, reason: 'Sorry' },
        ...{ before: { balance: 5000 }, after: { balance: 5007 } },
      },
    },
    refusal: null,
  },
  {
    mutation: 'adjustCredits',
    field: `adjustCredits(input: {
      accountId: $id, credits: -7, reason: "Mistake", idempotencyKey: "k"
    }) { kind credits balanceAfter }`,
    answer: { kind: 'adjustment', credits: -7, balanceAfter: 4993 },
    line: {
      action: 'credits.adjust',
      resourceId: expect.stringMatching(/^led_/),
      details: {
        ...{ credits: -7, reason: 'Mistake' },
        ...{ before: { balance: 5000 }, after: { balance: 4993 } },
      },
    },
    refusal: null,
  },
  {
    mutation: 'refundCharge',
    field: `refundCharge(input: {
      accountId: $id, requestId: $request, reason: "Wrong", idempotencyKey: $key
    }) { kind credits balanceAfter }`,
    types: { request: 'ID!', key: 'String! = "k"' },
    prepare: async (account) => ({ request: await reveal(account) }),
    answer: { kind: 'refund', credits: 5, balanceAfter: 5000 },
    line: {
      action: 'credits.refund',
      resourceId: expect.stringMatching(/^led_/),
      details: {
        ...{ credits: 5, reason: 'Wrong' },
        ...{ before: { balance: 4995 }, after: { balance: 5000 } },
      },
    },
    refusal: null,
  },
]

function documentOf({ field, types = {} }: Case): string {
  const variables = Object.entries({ id: 'ID!', ...types }).map(
    ([name, type]) => `$${name}: ${type}`,
  )
  return `mutation (${variables.join(', ')}) { result: ${field} }`
}

interface AuditLine {
  readonly id: string
  readonly occurredAt: string
}

/** The live trail of an account, newest first, when nothing of it is on its way any more. */
async function trailOf(id: string): Promise<AuditLine[]> {
  // The line of a change leaves in the change's own transaction, so it waits or has arrived.
  const unfinished = `SELECT FROM jobs.job
    WHERE name = 'RecordAuditEvents' AND state < 'completed' AND data::text LIKE '%' || $1 || '%'`
  await vi.waitUntil(
    async () => (await gateway.database.query(unfinished, [id])).length === 0,
    patience,
  )
  const { data } = await ask(
    'readonly',
    `query ($id: ID!) { account(id: $id) { auditEvents(first: 50) { nodes {
      id occurredAt actorKind actorId actorRole action resourceId address requestId result details
    } } } }`,
    { id },
  )
  // Reading the trail leaves lines in it, too.
  return data.account.auditEvents.nodes.filter(
    ({ action }: { action: string }) => action !== 'account.looked_at',
  )
}

/** The lines that were added to the trail since it was that long. */
async function newLines(id: string, before: readonly AuditLine[]): Promise<AuditLine[]> {
  const lines = await trailOf(id)
  return lines.slice(0, lines.length - before.length)
}

/** Who, from where, by which request: the rest is the case's. */
function lineBy(role: Role, { requestId, tokenId }: Answer, rest: object) {
  const actor = { actorKind: 'internal', actorId: tokenId, actorRole: role }
  const id = expect.stringMatching(/^aud_/)
  return { id, occurredAt: instant, ...actor, address: '127.0.0.1', requestId, ...rest }
}

const permitted = [
  ...supportCases.flatMap((one) =>
    chosen(one.mutation, ['support', 'admin'] as const).map((role) => ({ ...one, one, role })),
  ),
  ...adminCases.map((one) => ({ ...one, one, role: 'admin' as const })),
]

describe.each(permitted)('$mutation by $role', ({ one, role, answer, line }) => {
  test('changes the account, and leaves one line in its audit trail', async () => {
    const account = await open()
    const variables = { id: account.id, ...(await one.prepare?.(account)) }
    const before = await trailOf(account.id)
    const startedAt = Date.now()

    const made = await ask(role, documentOf(one), variables)

    expect(made.errors).toBeUndefined()
    expect(made.data.result).toEqual(answer)
    const lines = await newLines(account.id, before)
    expect(lines).toEqual([lineBy(role, made, { ...line, result: 'succeeded' })])
    const at = Date.parse(lines[0]?.occurredAt ?? '')
    expect(at >= startedAt && at <= Date.now()).toBe(true)
  })
})

// What keeps accounts apart is the same for all of them.
describe.each(chosen('accounts apart', permitted, 8))('$mutation by $role', ({ one, role }) => {
  test('changes nothing of another account', async () => {
    const account = await open()
    const other = await open()
    const variables = { id: account.id, ...(await one.prepare?.(account)) }
    const state = await detailsOf(other.id)
    const before = await trailOf(other.id)

    await ask(role, documentOf(one), variables)

    expect(await detailsOf(other.id)).toEqual(state)
    expect(await newLines(other.id, before)).toEqual([])
  })

  test('does not find an account that does not exist', async () => {
    const account = await open()
    const variables = await one.prepare?.(account)
    const before = await trailOf(account.id)

    for (const id of [newId('acct'), 'nonsense']) {
      const { data, errors } = await ask(role, documentOf(one), { ...variables, id })

      expect(data).toBeNull()
      expect(errors).toEqual([error('NOT_FOUND')])
    }
    expect(await newLines(account.id, before)).toEqual([])
  })
})

const refusable = permitted.flatMap(({ refusal, ...one }) => (refusal ? [{ ...one, refusal }] : []))

describe.each(refusable)('$mutation by $role', ({ one, role, line, refusal }) => {
  test('is refused the second time, with one line that says so', async () => {
    const account = await open()
    const variables = { id: account.id, ...(await one.prepare?.(account)) }
    await ask(role, documentOf(one), variables)
    const before = await trailOf(account.id)
    const { events: _, ...state } = await detailsOf(account.id)

    const refused = await ask(role, documentOf(one), variables)

    expect(refused.data).toBeNull()
    expect(refused.errors).toEqual([error(refusal)])
    const rest = { action: line.action, ...none, result: refusal }
    expect(await newLines(account.id, before)).toEqual([lineBy(role, refused, rest)])
    expect(await detailsOf(account.id)).toMatchObject(state)
  })
})

describe.each([
  ...supportCases.map((one) => ({ ...one, one, refused: ['readonly'] as const })),
  ...adminCases.map((one) => ({ ...one, one, refused: ['readonly', 'support'] as const })),
])('$mutation', ({ one, refused }) => {
  test.each(refused)('is refused for %s', async (role) => {
    const account = await open()
    const variables = { id: account.id, ...(await one.prepare?.(account)) }
    const state = await detailsOf(account.id)
    const before = await trailOf(account.id)

    const { data, errors } = await ask(role, documentOf(one), variables)

    expect(data).toBeNull()
    expect(errors).toEqual([error('FORBIDDEN')])
    expect(await detailsOf(account.id)).toEqual(state)
    expect(await newLines(account.id, before)).toEqual([])
  })

  test('is refused for an account that names another', async () => {
    const account = await open()
    const other = await open()
    const variables = { id: other.id, ...(await one.prepare?.(other)) }
    const state = await detailsOf(other.id)
    const before = await trailOf(other.id)

    const { data, errors } = await askAs(account, documentOf(one), variables)

    expect(data?.result ?? null).toBeNull()
    expect(errors).toEqual([error('FORBIDDEN')])
    expect(await detailsOf(other.id)).toEqual(state)
    expect(await newLines(other.id, before)).toEqual([])
  })
})

describe('an object of another account', () => {
  test('is not found by an internal tool that names the wrong account', async () => {
    const owner = await open()
    const other = await open()
    const { id: keyword } = await track(owner)
    const variables = { keyword, request: await reveal(owner) }
    const state = await detailsOf(owner.id)

    const answers = await Promise.all(
      [...supportCases, ...adminCases]
        .filter(({ mutation }) => ['untrackKeyword', 'refundCharge'].includes(mutation))
        .map((one) => ask('admin', documentOf(one), { ...variables, id: other.id })),
    )

    expect(answers.map(({ errors }) => errors)).toEqual([
      [error('NOT_FOUND')],
      [error('NOT_FOUND')],
    ])
    expect(await detailsOf(owner.id)).toEqual(state)
  })
})

describe.each(
  adminCases
    .filter(({ line }) => line.action.startsWith('credits.'))
    .map((one) => ({ ...one, one })),
)('$mutation with the same idempotency key', ({ one, line }) => {
  test('makes one entry and leaves one line, however many calls come at the same time', async () => {
    const account = await open()
    const variables = { id: account.id, ...(await one.prepare?.(account)) }
    const before = await trailOf(account.id)

    const attempts = Array.from({ length: 8 }, () => ask('admin', documentOf(one), variables))
    const answers = [
      ...(await Promise.all(attempts)),
      await ask('admin', documentOf(one), variables),
    ]

    for (const { data, errors } of answers) {
      expect(errors).toBeUndefined()
      expect(data.result).toEqual(one.answer)
    }
    const lines = await newLines(account.id, before)
    expect(lines).toEqual([expect.objectContaining({ ...line, result: 'succeeded' })])
    await expectExactBooks(gateway)
  })
})

describe('refundCharge', () => {
  test('is refused with another key, and leaves one line that says so', async () => {
    const account = await open()
    const one = adminCases.find(({ mutation }) => mutation === 'refundCharge')
    if (!one) throw new Error('There is no such case.')
    const variables = { id: account.id, ...(await one.prepare?.(account)) }
    await ask('admin', documentOf(one), variables)
    const before = await trailOf(account.id)

    const refused = await ask('admin', documentOf(one), { ...variables, key: 'another' })

    expect(refused.errors).toEqual([error('CONFLICT')])
    const rest = { action: 'credits.refund', ...none, result: 'CONFLICT' }
    expect(await newLines(account.id, before)).toEqual([lineBy('admin', refused, rest)])
    await expectExactBooks(gateway)
  })
})

describe('grantCredits', () => {
  test('is refused for other credits under the same key, and leaves one line that says so', async () => {
    const account = await open()
    const one = adminCases.find(({ mutation }) => mutation === 'grantCredits')
    if (!one) throw new Error('There is no such case.')
    await ask('admin', documentOf(one), { id: account.id, credits: 7 })
    const before = await trailOf(account.id)

    const refused = await ask('admin', documentOf(one), { id: account.id, credits: 8 })

    expect(refused.errors).toEqual([error('INVALID_REQUEST')])
    const rest = { action: 'credits.grant', ...none, result: 'INVALID_REQUEST' }
    expect(await newLines(account.id, before)).toEqual([lineBy('admin', refused, rest)])
    expect((await detailsOf(account.id)).balance).toBe(5007)
  })
})
