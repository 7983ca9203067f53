import { randomUUID } from 'node:crypto'
import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { admin, openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

/** Opens an account; its tag is in its name. */
async function open(tag: string, more: object = {}): Promise<string> {
  const { createAccount } = Object(
    await gateway.graphql(
      'mutation ($input: CreateAccountInput!) { createAccount(input: $input) { accountId } }',
      { input: { name: tag, email: `${tag}@b.example`, credits: 5000, ...more } },
    ),
  )
  return createAccount.accountId
}

async function list(variables: object): Promise<string[]> {
  const ids: string[] = []
  let after: string | null = null
  do {
    const answer: {
      accounts: { nodes: { id: string }[]; pageInfo: { endCursor: string | null } }
    } = Object(
      await gateway.graphql(
        `query ($after: String, $search: String, $filters: [AccountFilter!], $tier: Tier,
            $order: AccountOrder! = NEWEST) {
          accounts(first: 2, after: $after, search: $search, filters: $filters, tier: $tier, order: $order) {
            nodes { id } pageInfo { endCursor } } }`,
        { ...variables, after },
      ),
    )
    ids.push(...answer.accounts.nodes.map(({ id }) => id))
    after = answer.accounts.pageInfo.endCursor
  } while (after !== null)
  return ids
}

const sql = (text: string, values: unknown[]) => gateway.database.query<object>(text, values)

describe('accounts', () => {
  test('lets through those of a status or a tier, and those that all filters let through', async () => {
    const tag = randomUUID()
    const [growth, scale, plain] = [
      await open(tag, { tier: 'GROWTH' }),
      await open(tag, { tier: 'SCALE' }),
      await open(tag),
    ]
    await gateway.graphql(
      `mutation { a: updateAccount(input: { id: "${growth}", status: SUSPENDED }) { id }
        b: updateAccount(input: { id: "${scale}", status: CLOSED }) { id } }`,
    )

    expect(await list({ search: tag })).toEqual([plain, scale, growth])
    expect(await list({ search: tag, filters: ['SUSPENDED'] })).toEqual([growth])
    expect(await list({ search: tag, filters: ['CLOSED'] })).toEqual([scale])
    expect(await list({ search: tag, tier: 'SCALE' })).toEqual([scale])
    expect(await list({ search: tag, filters: ['SUSPENDED'], tier: 'SCALE' })).toEqual([])
    expect(await list({ search: tag, filters: ['SUSPENDED', 'CLOSED'] })).toEqual([])
  })

  test('finds low and negative balances, in the order of the balances and in pages', async () => {
    const tag = randomUUID()
    await open(tag)
    const [empty, low, same] = [
      await open(tag, { credits: 0 }),
      await open(tag, { credits: 50 }),
      await open(tag, { credits: 50 }),
    ]
    const adjust = {
      accountId: empty,
      credits: -7,
      reason: 'a',
      idempotencyKey: 'a',
      allowNegative: true,
    }
    await gateway.graphql(
      'mutation ($input: AdjustCreditsInput!) { adjustCredits(input: $input) { id } }',
      { input: adjust },
    )

    const lowest = { search: tag, filters: ['LOW'], order: 'LOWEST_BALANCE' }
    expect(await list(lowest)).toEqual([empty, same, low])
    expect(await list({ ...lowest, order: 'HIGHEST_BALANCE' })).toEqual([same, low, empty])
    expect(await list({ search: tag, filters: ['NEGATIVE'] })).toEqual([empty])
  })

  test('refuses an order by balances of all accounts', async () => {
    await expect(list({ order: 'LOWEST_BALANCE' })).rejects.toThrow(
      'order: by balances needs a filter or a tier',
    )
  })

  test('finds disputed accounts and those whose period is not paid', async () => {
    const tag = randomUUID()
    const [blocked, due] = [await open(tag), await open(tag, { subscriptionTier: 'pro_sub' })]
    const payment = newId('pay')
    const columns = `(id, account_id, environment, kind, package_id, package_name, tier, credits,
      total_cents, price_cents, currency, payment_method, reference, period_start, period_end, provider, ask_at)`
    await sql(
      `INSERT INTO account.payment ${columns}
       SELECT $1, $2, 'live', 'subscription', 'pro_sub', 'Pro', NULL, 10, 100, 100, 'EUR', 'card', $1,
         current_period_start, current_period_end, 'simulated', now() + interval '1 h'
       FROM account.subscription WHERE account_id = $2 AND environment = 'live'`,
      [payment, due],
    )
    await sql(
      `INSERT INTO account.invoice (id, number, account_id, environment, status, total_cents, price_cents,
         currency, credits, description, payment_id, buyer)
       VALUES ($1, $1, $2, 'live', 'open', 100, 100, 'EUR', 10, 'Pro', $3, '{}')`,
      [newId('inv'), due, payment],
    )
    const bought = newId('pay')
    await sql(
      `INSERT INTO account.payment ${columns.replace(')', ', status, settled_at, tier_before)')}
       VALUES ($1, $2, 'live', 'checkout', 'pack_starter', 'Starter', 'STARTER', 10, 100, 100, 'EUR',
         'card', $1, NULL, NULL, 'simulated', now(), 'paid', now(), 'STARTER')`,
      [bought, blocked],
    )
    await sql(
      `INSERT INTO account.payment_dispute
         (id, account_id, environment, payment_id, reference, amount_cents, status)
       VALUES ($1, $2, 'live', $3, $1, 100, 'open')`,
      [newId('dsp'), blocked, bought],
    )

    expect(await list({ search: tag, filters: ['PAST_DUE'] })).toEqual([due])
    expect(await list({ search: tag, filters: ['DISPUTED'] })).toEqual([blocked])
    const money = Object(
      await gateway.graphql(`{ paymentsInDoubt { nodes { id accountId accountName } }
        openDisputes { nodes { paymentId accountId status } } }`),
    )
    expect(money.paymentsInDoubt.nodes).toEqual([{ id: payment, accountId: due, accountName: tag }])
    expect(money.openDisputes.nodes).toEqual([
      { paymentId: bought, accountId: blocked, status: 'open' },
    ])
  })

  test('failingWebhooks tells the host of each, and nothing more of its address', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const created = await gateway.live.post(
      '/v1/account/webhooks',
      { url: 'https://hooks.b.example:8443/in?token=secret' },
      liveKey,
    )
    expect(created.status).toBe(201)
    await sql('UPDATE account.webhook_endpoint SET failing_since = now() WHERE account_id = $1', [
      id,
    ])

    const { failingWebhooks } = Object(
      await gateway.graphql('{ failingWebhooks { nodes { id accountId host status } } }'),
    )

    expect(failingWebhooks.nodes).toEqual([
      {
        ...{ id: Object(created.body).id, accountId: id },
        ...{ host: 'hooks.b.example:8443', status: 'enabled' },
      },
    ])
  })

  test('shows what each account has spent this month and its last call', async () => {
    const { id, liveKey } = await gateway.createAccount()
    await gateway.live.get('/v1/seo/keywords?topic=a', liveKey)
    await gateway.live.get('/v1/account/usage/log', liveKey)

    const { accounts } = Object(
      await gateway.graphql(
        `query ($id: String!) { accounts(search: $id) {
          nodes { activity { creditsThisMonth lastCallAt } isPaymentBlocked } } }`,
        { id },
      ),
    )

    expect(accounts.nodes).toEqual([
      {
        activity: { creditsThisMonth: 2, lastCallAt: expect.stringMatching(/^\d{4}-.*Z$/) },
        isPaymentBlocked: false,
      },
    ])
  })
})

describe('an exact look-up', () => {
  test('finds by the address of the holder and of a member in any case, and by no part of it', async () => {
    const tag = randomUUID()
    const id = await open(tag)
    await gateway.graphql(
      'mutation ($input: InviteMemberInput!) { inviteToAccount(input: $input) { id } }',
      { input: { accountId: id, email: `Member-${tag}@b.example`, role: 'OWNER' } },
    )
    const find = async (field: string, email: string) => {
      const query = `query ($email: String!) { found: ${field}(email: $email) { id name } }`
      return Object(await gateway.graphql(query, { email })).found
    }

    const found = [{ id, name: tag }]
    expect(await find('accountsOfHolder', `${tag.toUpperCase()}@b.example`)).toEqual(found)
    expect(await find('accountsOfMember', `MEMBER-${tag}@b.example`)).toEqual(found)
    expect(await find('accountsOfHolder', tag)).toEqual([])
    expect(await find('accountsOfMember', `${tag}@b.example`)).toEqual([])
    for (const part of [`${tag}@b`, `%${tag}@b.example`, `${tag.slice(1)}@b.example`, '%', '@']) {
      expect([part, await find('accountsOfHolder', part)]).toEqual([part, []])
      expect([part, await find('accountsOfMember', `member-${part}`)]).toEqual([part, []])
    }
    const { account } = Object(
      await gateway.graphql(
        'query ($id: ID!) { account(id: $id) { members { nodes { email role state } } } }',
        { id },
      ),
    )
    expect(account.members.nodes).toEqual([
      { email: `member-${tag}@b.example`, role: 'OWNER', state: 'invited' },
    ])
  })

  test('finds by a key as lists show it, and by an external id', async () => {
    const { id } = await gateway.createAccount()
    const tag = randomUUID()
    const { createApiKey } = Object(
      await gateway.graphql(
        'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { plaintext } }',
        { input: { accountId: id, environment: 'LIVE', name: 'Test', externalId: tag } },
      ),
    )
    const { plaintext } = createApiKey
    const find = async (field: string, argument: string, text: string) => {
      const query = `query ($text: ${argument === 'prefix' ? 'String' : 'ID'}!) {
        found: ${field}(${argument}: $text) { id email } }`
      return Object(await gateway.graphql(query, { text })).found
    }

    const found = [{ id, email: 'test@example.com' }]
    for (const dots of ['…', '...', '']) {
      const shown = `svc_live_${dots}${plaintext.slice(-4)}`
      expect(await find('accountsOfKeyPrefix', 'prefix', shown)).toEqual(found)
    }
    const [last3, last4] = [plaintext.slice(-3), plaintext.slice(-4)]
    for (const part of [
      ...[
        'svc_live_',
        'svc_live_…',
        'svc_live_...',
        'svc_live',
        'svc_liv',
        'svc_',
        '%',
        'svc_live_%',
      ],
      ...[last4, `svc_live_…${last3}`, `svc_live_…_${last3}`, `svc_test_…${last4}`, plaintext],
    ]) {
      expect([part, await find('accountsOfKeyPrefix', 'prefix', part)]).toEqual([part, []])
    }
    expect(await find('accountsOfExternalId', 'externalId', tag)).toEqual(found)
    for (const part of [tag.slice(1), tag.slice(0, -1), tag.toUpperCase(), '%', `${tag} `]) {
      expect([part, await find('accountsOfExternalId', 'externalId', part)]).toEqual([part, []])
    }
  })
})

describe('the health of the gateway', () => {
  let graph: TestGraph
  beforeAll(async () => {
    graph = await openTestGraph()
  })
  afterAll(() => graph.close())

  const ask = async (query: string) => {
    const { data, errors } = await graph.run(parse(query), {}, admin)
    expect(errors).toBeUndefined()
    return Object(data)
  }

  test('has the processes that reported within a minute, with their newest report', async () => {
    const process = { role: 'all', version: '1.0.0', startedAt: '2026-01-01T00:00:00.000Z' }
    const module = { name: 'seo', isBreakerOpen: true, calls: 3, failures: 2, meanMs: 1.5 }
    const [id, old] = [newId('proc'), newId('proc')]
    await graph.asService('ReportProcess', { report: { ...process, id, report: {} } })
    await graph.asService('ReportProcess', {
      report: { ...process, id, report: { modules: [module], overloadRefusals: 4, deadJobs: 1 } },
    })
    await graph.asService('ReportProcess', { report: { ...process, id: old, report: {} } })
    await graph.database.query(
      `UPDATE account.process_report SET seen_at = now() - interval '61 s' WHERE id = $1`,
      [old],
    )

    const { gatewayProcesses } = await ask(`{ gatewayProcesses { id role version overloadRefusals
      deadJobs modules { name isBreakerOpen calls failures meanMs } queues { name } books { drifts } } }`)

    expect(gatewayProcesses).toEqual([
      {
        ...{ id, role: 'all', version: '1.0.0', overloadRefusals: 4, deadJobs: 1 },
        ...{ modules: [module], queues: [], books: null },
      },
    ])
  })

  test('has the keys that sign, without the keys', async () => {
    await graph.asAdmin('RotateSigningKeys', { force: false, emergency: false })
    const columns = 'environment, public_jwk, private_sealed, activate_at'
    await graph.database.query(
      `INSERT INTO oauth.backend_signing_key (kid, alg, ${columns})
       SELECT kid || '-backends', 'EdDSA', ${columns} FROM oauth.signing_key LIMIT 1`,
    )

    const { signingKeys } = await ask('{ signingKeys { kid use environment createdAt revokedAt } }')

    const uses = new Set(signingKeys.map(({ use }: { use: string }) => use))
    expect(uses).toEqual(new Set(['openid', 'backends']))
  })

  test('shows dead jobs without what they hold, and retries them', async () => {
    const account = newId('acct')
    await graph.database.query(
      `INSERT INTO jobs.job (name, data, source_name, source_output, policy)
       VALUES ('dead_letter', $1, 'EndGrants', '{"reason": "It broke."}', 'standard')`,
      [JSON.stringify({ accountId: account, email: 'a@b.example' })],
    )

    const { deadJobs } = await ask('{ deadJobs { id operation subject reason } }')
    expect(deadJobs).toEqual([
      {
        ...{ id: expect.any(String), operation: 'EndGrants', reason: 'It broke.' },
        subject: { accountId: account },
      },
    ])
    const retry = `mutation { retryJobs(input: { id: "${deadJobs[0].id}" }) {
      retried deadBefore deadAfter } }`
    expect(await ask(retry)).toEqual({ retryJobs: { retried: 1, deadBefore: 1, deadAfter: 0 } })
    expect((await ask('{ deadJobs { id } }')).deadJobs).toEqual([])
    const waiting = await graph.database.query(
      `SELECT data FROM jobs.job WHERE name = 'EndGrants' AND state = 'created'`,
      [],
    )
    expect(waiting).toEqual([{ data: { accountId: account, email: 'a@b.example' } }])
  })
})
