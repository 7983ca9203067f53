import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isApiKey } from '../../../schema/credentials/api-key-format.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const instant = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)

/** Whole answer of a mutation with one input: data or errors. */
async function mutate(mutation: string, inputType: string, selection: string, input: object) {
  const query = `mutation ($input: ${inputType}!) { result: ${mutation}(input: $input) ${selection} }`
  const token = await gateway.internalToken('admin')
  const { body } = await gateway.internal.post('/graphql', { query, variables: { input } }, token)
  const { data, errors } = Object(body)
  return { result: data?.result ?? null, errors }
}

function error(code: string, message: string) {
  return [expect.objectContaining({ message, extensions: expect.objectContaining({ code }) })]
}

describe('createAccount', () => {
  const create = (input: object) =>
    mutate(
      'createAccount',
      'CreateAccountInput',
      `{ accountId liveKey sandboxKey
        account { id name email status tier subscriptionTier balance rateLimitRps environment createdAt } }`,
      input,
    )

  test('opens an account with two working keys and the whole starting balance', async () => {
    const { result } = await create({
      name: 'Acme',
      email: 'ops@acme.example',
      tier: 'BUSINESS',
      subscriptionTier: 'business_sub',
      credits: 4321,
    })

    expect(result).toEqual({
      accountId: expect.stringMatching(/^acct_/),
      liveKey: expect.toSatisfy((key) => isApiKey(key, 'svc_live_')),
      sandboxKey: expect.toSatisfy((key) => isApiKey(key, 'svc_test_')),
      account: {
        id: result.accountId,
        name: 'Acme',
        email: 'ops@acme.example',
        status: 'ACTIVE',
        tier: 'BUSINESS',
        subscriptionTier: 'business_sub',
        balance: 4321,
        rateLimitRps: 50,
        environment: 'live',
        createdAt: instant,
      },
    })
    const live = await gateway.live.get('/v1/account/credits', result.liveKey)
    const sandbox = await gateway.sandbox.get('/v1/account/credits', result.sandboxKey)
    expect(live.body).toMatchObject({ balance: 4321, held: 0, available: 4321 })
    expect(sandbox.body).toMatchObject({ balance: 100_000 })
    await expectExactBooks(gateway)
  })

  test('uses STARTER, no subscription, no credits and both add-ons off by default', async () => {
    const { result } = await create({ name: 'Acme', email: 'ops@acme.example' })

    expect(result.account).toMatchObject({
      tier: 'STARTER',
      subscriptionTier: null,
      balance: 0,
      rateLimitRps: 10,
    })
    const addons = await gateway.database.query<object>(
      `SELECT environment, name, status FROM account.addon
       WHERE account_id = $1 ORDER BY environment, name`,
      [result.accountId],
    )
    expect(addons).toEqual([
      { environment: 'live', name: 'mass_mail', status: 'active' },
      { environment: 'live', name: 'rank_tracking', status: 'active' },
      { environment: 'sandbox', name: 'mass_mail', status: 'active' },
      { environment: 'sandbox', name: 'rank_tracking', status: 'active' },
    ])
  })

  test('names every offending field, and opens nothing', async () => {
    const email = `${randomUUID()}@`

    const { result, errors } = await create({ name: ' ', email, credits: -1 })

    expect(result).toBeNull()
    expect(errors).toEqual(
      error(
        'INVALID_REQUEST',
        'name: must have 1 to 200 characters; email: must be an email address; credits: must be an integer from 0 to 2^53 - 1',
      ),
    )
    const rows = await gateway.database.query<object>(
      'SELECT id FROM account.account WHERE email = $1',
      [email],
    )
    expect(rows).toEqual([])
  })
})

describe('grantCredits', () => {
  const grant = (input: object) =>
    mutate(
      'grantCredits',
      'GrantCreditsInput',
      '{ id kind credits balanceAfter description requestId createdAt }',
      input,
    )

  async function entriesOf(accountId: string): Promise<object[]> {
    return gateway.database.query<object>(
      `SELECT environment, credits::int FROM account.ledger_entry
       WHERE account_id = $1 AND description <> 'Opening balance' ORDER BY seq`,
      [accountId],
    )
  }

  test('adds to the live balance, and answers with the ledger entry', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 10 })

    const { result } = await grant({
      accountId: id,
      credits: 90,
      reason: 'Goodwill',
      idempotencyKey: randomUUID(),
    })

    expect(result).toEqual({
      id: expect.stringMatching(/^led_/),
      kind: 'grant',
      credits: 90,
      balanceAfter: 100,
      description: 'Goodwill',
      requestId: null,
      createdAt: instant,
    })
    const credits = await gateway.live.get('/v1/account/credits', liveKey)
    expect(credits.body).toMatchObject({ balance: 100, held: 0, available: 100 })
    await expectExactBooks(gateway)
  })

  test('grants once for one key, also when it is called at the same time', async () => {
    const { id } = await gateway.createAccount({ credits: 0 })
    const input = { accountId: id, credits: 7, reason: 'Goodwill', idempotencyKey: randomUUID() }

    const together = await Promise.all(Array.from({ length: 8 }, () => grant(input)))
    const later = await grant(input)

    const [first] = together
    for (const answer of [...together, later]) expect(answer).toEqual(first)
    expect(await entriesOf(id)).toEqual([{ environment: 'live', credits: 7 }])
    await expectExactBooks(gateway)
  })

  test('grants to the live ledger by default, also when the input is written inline', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 1 })

    const granted = await gateway.graphql(
      `mutation { grantCredits(input: {
        accountId: "${id}", credits: 2, reason: "Inline", idempotencyKey: "${id}"
      }) { credits balanceAfter } }`,
    )

    expect(granted).toEqual({ grantCredits: { credits: 2, balanceAfter: 3 } })
    const { body } = await gateway.live.get('/v1/account/credits', liveKey)
    expect(body).toMatchObject({ balance: 3 })
  })

  test('refuses a key that was used for another grant', async () => {
    const { id } = await gateway.createAccount({ credits: 0 })
    const input = { accountId: id, credits: 7, reason: 'Goodwill', idempotencyKey: randomUUID() }
    await grant(input)

    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    for (const other of [{ credits: 8 }, { reason: 'Refund' }, { expiresAt }]) {
      const { result, errors } = await grant({ ...input, ...other })

      expect(result).toBeNull()
      expect(errors).toEqual(
        error('INVALID_REQUEST', expect.stringMatching(/^idempotencyKey: was used before/)),
      )
    }
    expect(await entriesOf(id)).toEqual([{ environment: 'live', credits: 7 }])
  })

  test('refuses a key that was used for a correction, and the reverse', async () => {
    const { id } = await gateway.createAccount({ credits: 0 })
    const input = { accountId: id, credits: 7, reason: 'Goodwill' }
    const adjust = (more: object) =>
      mutate('adjustCredits', 'AdjustCreditsInput', '{ id }', { ...input, ...more })

    await grant({ ...input, idempotencyKey: 'granted' })
    await adjust({ idempotencyKey: 'adjusted' })
    const answers = [
      await adjust({ idempotencyKey: 'granted' }),
      await grant({ ...input, idempotencyKey: 'adjusted' }),
    ]

    for (const { errors } of answers) {
      expect(errors).toEqual(
        error('INVALID_REQUEST', expect.stringMatching(/^idempotencyKey: was used before/)),
      )
    }
    expect(await entriesOf(id)).toHaveLength(2)
  })

  test('answers a retry with the first grant, also when its credits are spent', async () => {
    const { id } = await gateway.createAccount({ credits: 0 })
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const input = { accountId: id, credits: 7, reason: 'Week', idempotencyKey: 'week', expiresAt }
    const first = await grant(input)
    await mutate('adjustCredits', 'AdjustCreditsInput', '{ id }', {
      ...{ accountId: id, credits: -7, reason: 'Spent', idempotencyKey: 'spent' },
    })

    expect(await grant(input)).toEqual(first)
    expect(await grant({ ...input, expiresAt: null })).toMatchObject({ result: null })
  })

  test('does not use up the key of a refused grant', async () => {
    const { id } = await gateway.createAccount({ credits: 1 })
    const input = { accountId: id, reason: 'Goodwill', idempotencyKey: randomUUID() }

    await grant({ ...input, credits: Number.MAX_SAFE_INTEGER })
    const { result } = await grant({ ...input, credits: 7 })

    expect(result).toMatchObject({ credits: 7, balanceAfter: 8 })
  })

  test('treats the same key of another account or environment as another grant', async () => {
    const [first, second] = await Promise.all([
      gateway.createAccount({ credits: 0 }),
      gateway.createAccount({ credits: 0 }),
    ])
    const input = { credits: 7, reason: 'Goodwill', idempotencyKey: randomUUID() }

    await grant({ ...input, accountId: first.id })
    await grant({ ...input, accountId: first.id, environment: 'SANDBOX' })
    await grant({ ...input, accountId: second.id })

    expect(await entriesOf(first.id)).toEqual(
      expect.arrayContaining([
        { environment: 'live', credits: 7 },
        { environment: 'sandbox', credits: 7 },
      ]),
    )
    expect(await entriesOf(second.id)).toEqual([{ environment: 'live', credits: 7 }])
    await expectExactBooks(gateway)
  })

  test.each([
    ['credits', { credits: 0 }],
    ['credits', { credits: -1 }],
    ['reason', { reason: ' ' }],
    ['reason', { reason: 'x'.repeat(201) }],
    ['idempotencyKey', { idempotencyKey: '' }],
    ['idempotencyKey', { idempotencyKey: 'x'.repeat(256) }],
  ])('refuses a wrong %s by name, and grants nothing', async (field, wrong) => {
    const { id } = await gateway.createAccount()

    const { result, errors } = await grant({
      accountId: id,
      credits: 1,
      reason: 'a',
      idempotencyKey: randomUUID(),
      ...wrong,
    })

    expect(result).toBeNull()
    expect(errors).toEqual(
      error('INVALID_REQUEST', expect.stringMatching(new RegExp(`^${field}: must `))),
    )
    expect(await entriesOf(id)).toEqual([])
  })

  test('refuses an account that does not exist', async () => {
    const unknown = await grant({
      accountId: newId('acct'),
      credits: 1,
      reason: 'a',
      idempotencyKey: 'a',
    })

    expect(unknown.errors).toEqual(error('NOT_FOUND', 'No account has this id.'))
  })

  test('refuses a balance that no integer can hold', async () => {
    const { id } = await gateway.createAccount({ credits: 1 })

    const { errors } = await grant({
      accountId: id,
      credits: Number.MAX_SAFE_INTEGER,
      reason: 'a',
      idempotencyKey: randomUUID(),
    })

    expect(errors).toEqual(error('INVALID_REQUEST', expect.stringMatching(/^credits: would /)))
    expect(await entriesOf(id)).toEqual([])
    await expectExactBooks(gateway)
  })
})

describe('refundCharge', () => {
  const refund = (input: object) =>
    mutate('refundCharge', 'RefundChargeInput', '{ id kind credits balanceAfter }', input)

  /** An account and its charged requests, 5 credits each. */
  async function charged(count: number) {
    const { id: accountId, liveKey } = await gateway.createAccount({ credits: 100 })
    const requestIds: (string | null)[] = []
    for (let index = 0; index < count; index += 1) {
      const body = { contact_id: `con_${index}` }
      const { headers } = await gateway.live.post('/v1/contacts/reveal', body, liveKey)
      requestIds.push(headers.get('x-request-id'))
    }
    return { accountId, requestIds }
  }

  test('refunds a charge, once for one key', async () => {
    const { accountId, requestIds } = await charged(1)
    const input = { accountId, requestId: requestIds[0], reason: 'Bad', idempotencyKey: 'bad' }

    const together = await Promise.all(Array.from({ length: 8 }, () => refund(input)))

    const [first] = together
    expect(first?.result).toMatchObject({ kind: 'refund', credits: 5, balanceAfter: 100 })
    for (const answer of together) expect(answer).toEqual(first)
    await expectExactBooks(gateway)
  })

  test('refuses a key that was used for another request or reason', async () => {
    const { accountId, requestIds } = await charged(2)
    const input = { accountId, requestId: requestIds[0], reason: 'Bad', idempotencyKey: 'bad' }
    await refund(input)

    for (const other of [{ requestId: requestIds[1] }, { reason: 'Worse' }]) {
      const { result, errors } = await refund({ ...input, ...other })

      expect(result).toBeNull()
      expect(errors).toEqual(
        error('INVALID_REQUEST', expect.stringMatching(/^idempotencyKey: was used before/)),
      )
    }
    await expectExactBooks(gateway)
  })

  test('refuses to refund a charge again with another key', async () => {
    const { accountId, requestIds } = await charged(1)
    const input = { accountId, requestId: requestIds[0], reason: 'Bad' }
    await refund({ ...input, idempotencyKey: 'first' })

    const { errors } = await refund({ ...input, idempotencyKey: 'second' })

    expect(errors).toEqual(
      error('CONFLICT', 'This entry already exists, under another idempotency key.'),
    )
  })

  test('does not use up the key when there is no such charge', async () => {
    const { accountId, requestIds } = await charged(1)
    const input = { accountId, reason: 'Bad', idempotencyKey: 'bad' }

    const unknown = await refund({ ...input, requestId: newId('req') })
    const { result } = await refund({ ...input, requestId: requestIds[0] })

    expect(unknown.errors).toEqual(error('NOT_FOUND', 'No charge has this request id.'))
    expect(result).toMatchObject({ credits: 5 })
  })
})

describe('updateAccount', () => {
  const update = (input: object) =>
    mutate('updateAccount', 'UpdateAccountInput', '{ id tier subscriptionTier status }', input)

  test('changes the status and nothing else', async () => {
    const { id } = await gateway.createAccount({ tier: 'GROWTH' })

    const { result } = await update({ id, status: 'CLOSED' })

    expect(result).toEqual({
      id,
      tier: 'GROWTH',
      subscriptionTier: 'enterprise_sub',
      status: 'CLOSED',
    })
  })

  test('changes both tiers, and the very next request has the new limit', async () => {
    const account = await gateway.createAccount({ tier: 'STARTER', subscriptionTier: 'pro_sub' })
    const limit = async () => {
      const { headers } = await gateway.live.get('/v1/account', account.liveKey)
      return headers.get('X-RateLimit-Limit')
    }
    const update = (input: object) =>
      gateway.graphql(
        'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { rateLimitRps } }',
        { input: { id: account.id, ...input } },
      )

    expect(await limit()).toBe('25')
    expect(await update({ subscriptionTier: null })).toEqual({
      updateAccount: { rateLimitRps: 10 },
    })
    expect(await limit()).toBe('10')
    expect(await update({ tier: 'SCALE' })).toEqual({ updateAccount: { rateLimitRps: 50 } })
    expect(await limit()).toBe('50')
  })

  test('refuses an account that does not exist', async () => {
    const { result, errors } = await update({ id: newId('acct'), status: 'CLOSED' })

    expect(result).toBeNull()
    expect(errors).toEqual(error('NOT_FOUND', 'No account has this id.'))
  })
})

describe('createApiKey', () => {
  const create = (input: object) =>
    mutate(
      'createApiKey',
      'CreateApiKeyInput',
      `{ apiKey { id name environment prefix last4 scopes ipAllowlist status expiresAt revokedAt }
        plaintext }`,
      input,
    )

  test('issues a key with the requested settings, which works at once', async () => {
    const { id } = await gateway.createAccount()
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()

    const { result } = await create({
      accountId: id,
      environment: 'SANDBOX',
      name: 'Support',
      scopes: ['account:read'],
      ipAllowlist: ['127.0.0.0/8'],
      expiresAt,
    })

    expect(result).toEqual({
      apiKey: {
        id: expect.stringMatching(/^key_/),
        name: 'Support',
        environment: 'sandbox',
        prefix: 'svc_test_',
        last4: result.plaintext.slice(-4),
        scopes: ['account:read'],
        ipAllowlist: ['127.0.0.0/8'],
        status: 'active',
        expiresAt,
        revokedAt: null,
      },
      plaintext: expect.toSatisfy((key) => isApiKey(key, 'svc_test_')),
    })
    const response = await gateway.sandbox.get('/v1/account', result.plaintext)
    expect(response.body).toMatchObject({ id, environment: 'sandbox' })
  })

  test('grants every scope by default', async () => {
    const { id } = await gateway.createAccount()

    const { result } = await create({ accountId: id, environment: 'LIVE', name: 'Support' })

    expect(result.apiKey.scopes).toEqual(['*'])
  })

  test('refuses an account that does not exist, and issues nothing', async () => {
    const accountId = newId('acct')

    const { result, errors } = await create({ accountId, environment: 'LIVE', name: 'Support' })

    expect(result).toBeNull()
    expect(errors).toEqual(error('NOT_FOUND', 'No account has this id.'))
    const rows = await gateway.database.query<object>(
      'SELECT id FROM keys.api_key WHERE account_id = $1',
      [accountId],
    )
    expect(rows).toEqual([])
  })

  test('names every offending field, and issues nothing', async () => {
    const { id } = await gateway.createAccount()

    const { result, errors } = await create({
      accountId: id,
      environment: 'LIVE',
      name: '',
      scopes: ['everything'],
      ipAllowlist: ['nowhere'],
      expiresAt: '2020-01-01T00:00:00Z',
    })

    expect(result).toBeNull()
    expect(errors).toEqual([
      expect.objectContaining({ extensions: expect.objectContaining({ code: 'INVALID_REQUEST' }) }),
    ])
    for (const field of ['name: ', 'scopes: ', 'expires_at: ']) {
      expect(errors[0].message).toContain(field)
    }
    const [row] = await gateway.database.query<{ keys: number }>(
      'SELECT count(*)::int AS keys FROM keys.api_key WHERE account_id = $1',
      [id],
    )
    expect(row).toEqual({ keys: 2 })
  })
})
