import { type ExecutionResult, parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { InternalCaller } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { admin, openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { rounds } from '../../support/extent/extent.ts'
import { patience } from '../../support/time/patience.ts'

let graph: TestGraph
let stopWorker: () => Promise<void>
beforeAll(async () => {
  graph = await openTestGraph()
  const worker = await graph.startWorker()
  stopWorker = () => worker.stop()
})
afterAll(async () => {
  await stopWorker()
  await graph.close()
})

interface Act {
  readonly mutation: string
  /** The field with the variables $id, $reason and $key. */
  readonly field: string
  /** The id that the field is about, by default that of the account. */
  readonly prepare?: (accountId: string) => Promise<string>
  /** The type of $id, by default ID. */
  readonly type?: 'ID!' | 'String!'
  /** Programs must give one too. */
  readonly needsReason?: true
  readonly answer: object
  /** The details of the line, beside the reason. */
  readonly details: object
}

async function newAccount(): Promise<string> {
  const input = { name: 'A', email: 'a@b.example', tier: 'STARTER', credits: 100 }
  return Object(await graph.asAdmin('CreateAccount', { input })).account.id
}

async function newKey(accountId: string): Promise<string> {
  const input = { accountId, environment: 'LIVE', name: 'Test' }
  return Object(await graph.asAdmin('CreateApiKey', { input })).apiKey.id
}

/** The address of a member with a passkey. */
async function newPasskeyOwner(accountId: string): Promise<string> {
  const [email, person, rest] = [`${newId('per')}@b.example`, newId('per'), accountId.slice(5)]
  await graph.database.query(`INSERT INTO oauth.person (id, email) VALUES ($1, $2)`, [
    person,
    email,
  ])
  await graph.database.query(
    `INSERT INTO oauth.membership (id, account_id, person_id, email, role, is_mailed, expires_at,
       joined_at, confirmed_at) VALUES ($1, $2, $3, $4, 'OWNER', true, now(), now(), now())`,
    [`mem_${rest}`, accountId, person, email],
  )
  await graph.database.query(
    `INSERT INTO oauth.passkey (id, person_id, name, credential_id, public_key, counter, transports,
       rp_id, vouched_in, vouched_at) VALUES ($1, $2, 'Phone', $1, 'none', 0, '{}', 'live.test', $3, now())`,
    [`psk_${rest}`, person, accountId],
  )
  return email
}

const said = 'reason: $reason, idempotencyKey: $key'
const acts: readonly Act[] = [
  {
    mutation: 'updateAccount (suspend)',
    field: `updateAccount(input: { id: $id, status: SUSPENDED, ${said} }) {
      status before { status tier isPaymentBlocked } }`,
    answer: {
      status: 'SUSPENDED',
      before: { status: 'ACTIVE', tier: 'STARTER', isPaymentBlocked: false },
    },
    details: { status: 'SUSPENDED', before: { status: 'ACTIVE' }, after: { status: 'SUSPENDED' } },
  },
  {
    mutation: 'updateAccount (tier)',
    field: `updateAccount(input: { id: $id, tier: SCALE, ${said} }) { tier before { tier } }`,
    answer: { tier: 'SCALE', before: { tier: 'STARTER' } },
    details: { tier: 'SCALE', before: { tier: 'STARTER' }, after: { tier: 'SCALE' } },
  },
  {
    mutation: 'revokeApiKey',
    field: `revokeApiKey(id: $id, ${said}) { status statusBefore }`,
    prepare: newKey,
    answer: { status: 'revoked', statusBefore: 'active' },
    details: { before: { status: 'active' }, after: { status: 'revoked' } },
  },
  {
    mutation: 'createPortalLink',
    field: `createPortalLink(input: {
      accountId: $id, environment: LIVE, role: VIEWER, actor: "Support", ${said} }) { url }`,
    answer: { url: expect.stringContaining('/console/portal#') },
    details: { role: 'VIEWER', actor: 'Support' },
  },
  {
    mutation: 'endSessionsOfAccount',
    field: `endSessionsOfAccount(input: { accountId: $id, ${said} }) { ended openBefore openAfter }`,
    answer: { ended: 0, openBefore: 0, openAfter: 0 },
    details: { ended: 0, sessions: [], before: { open: 0 }, after: { open: 0 } },
  },
  {
    mutation: 'inviteToAccount',
    field: `inviteToAccount(input: {
      accountId: $id, email: "Ada@b.example", role: OWNER, ${said} }) { email state link }`,
    answer: {
      ...{ email: 'ada@b.example', state: 'invited' },
      link: expect.stringContaining('/console/invitation#'),
    },
    details: { email: 'ada@b.example', role: 'OWNER' },
  },
  {
    mutation: 'resetPasskeys',
    field:
      'resetPasskeys(input: { email: $id, reason: $reason, idempotencyKey: $key }) { email readyAt }',
    prepare: newPasskeyOwner,
    type: 'String!',
    needsReason: true,
    answer: { email: expect.stringMatching(/@b\.example$/), readyAt: expect.any(String) },
    details: { email: expect.any(String), ready_at: expect.any(String) },
  },
  {
    mutation: 'retryJobs',
    field: `retryJobs(input: { operation: "TurnAddon", ${said} }) { retried deadBefore deadAfter }`,
    answer: { retried: 0, deadBefore: 0, deadAfter: 0 },
    details: { operation: 'TurnAddon', retried: 0, before: { dead: 0 }, after: { dead: 0 } },
  },
]

function acting({ field, mutation, type = 'ID!', needsReason }: Act, id: string) {
  const caller: InternalCaller = { ...admin, operator: 'Ada', requestId: newId('req') }
  const reason = needsReason ? 'String! = ""' : 'String'
  const isNamed = field.includes('$id')
  const document = parse(
    `mutation (${isNamed ? `$id: ${type}, ` : ''}$reason: ${reason}, $key: String) { result: ${field} }`,
  )
  return {
    caller,
    run: async (variables: object, as: InternalCaller = caller): Promise<ExecutionResult> => {
      expect(mutation).not.toBe('')
      return graph.run(document, { ...(isNamed && { id }), ...variables }, as)
    },
  }
}

const codesOf = ({ errors = [] }: ExecutionResult) =>
  errors.map(({ extensions, message }) => [extensions.code, message])

async function linesOf({ requestId }: InternalCaller) {
  return graph.database.query<object>(
    `SELECT actor_id AS by, actor_role AS role, result, details FROM usage.audit_event
     WHERE request_id = $1 ORDER BY id`,
    [requestId],
  )
}

describe.each(acts)('$mutation by a person', (act) => {
  async function prepared() {
    const accountId = await newAccount()
    return acting(act, (await act.prepare?.(accountId)) ?? accountId)
  }

  test('needs a reason and an idempotency key; a program does not', async () => {
    const { run, caller } = await prepared()

    const [[code, message] = []] = codesOf(await run({}))

    expect(code).toBe('INVALID_REQUEST')
    expect(message).toMatch(/^reason: .*; idempotencyKey: /)
    expect(codesOf(await run({ key: 'a' }))).toHaveLength(1)
    expect(codesOf(await run({ reason: 'Because' }))).toHaveLength(1)
    const ofProgram = act.needsReason ? { reason: 'Because' } : {}
    expect(codesOf(await run(ofProgram, { ...caller, operator: null }))).toEqual([])
  })

  test('acts once for one key, also at the same time, and answers each time with the first result', async () => {
    const { run, caller } = await prepared()
    const same = { reason: 'Because', key: newId('req') }

    const answers = await Promise.all([1, 2, 3, 4].map(() => run(same)))
    const late = await run(same)

    for (const answer of [...answers, late]) {
      expect(answer).toEqual(answers[0])
      expect(answer).toEqual({ data: { result: act.answer } })
    }
    await vi.waitFor(async () => {
      expect(await linesOf(caller)).toEqual([
        {
          ...{ by: 'Ada', role: 'admin', result: 'succeeded' },
          details: { ...act.details, reason: 'Because' },
        },
      ])
    }, patience)
  })

  test('refuses the key with another input, and leaves a line of that', async () => {
    const { run, caller } = await prepared()
    // An act that belongs to no account shares its keys with all others of that kind.
    const key = newId('req')
    await run({ reason: 'Because', key })

    const refused = await run({ reason: 'Something else', key })

    expect(codesOf(refused)).toEqual([
      ['INVALID_REQUEST', 'idempotencyKey: was used before for another request'],
    ])
    await vi.waitFor(async () => {
      const results = (await linesOf(caller)).map((line) => String(Object(line).result))
      expect(results.toSorted()).toEqual(['INVALID_REQUEST', 'succeeded'])
    }, patience)
  })
})

describe('an act by a person', () => {
  const must = 'reason: "Because", idempotencyKey: $key'
  const unknown = 'acct_01m7wjg1aje00b678rt0km14np'
  const linkFor = (actor: string) => `createPortalLink(input: {
    accountId: $id, environment: LIVE, role: VIEWER, actor: "${actor}", ${must} }) { url }`
  const inviteAs = (email: string) => `inviteToAccount(input: {
    accountId: $id, email: "${email}", role: OWNER, ${must} }) { id }`

  async function act(field: string, id: string, type = 'ID!') {
    const caller: InternalCaller = { ...admin, operator: 'Ada', requestId: newId('req') }
    const document = parse(`mutation ($id: ${type}, $key: String!) { ${field} }`)
    const result = await graph.run(document, { id, key: newId('req') }, caller)
    return { caller, codes: codesOf(result).map(([code]) => code) }
  }

  test.each([
    ['createPortalLink', 'INVALID_REQUEST', linkFor(' '), null],
    ['createPortalLink', 'NOT_FOUND', linkFor('Support'), unknown],
    ['inviteToAccount', 'INVALID_REQUEST', inviteAs('nobody'), null],
    ['inviteToAccount', 'NOT_FOUND', inviteAs('ada@b.example'), unknown],
    [
      'createApiKey',
      'NOT_FOUND',
      'createApiKey(input: { accountId: $id, environment: LIVE, name: "A" }) { plaintext }',
      unknown,
    ],
  ])('that is refused has a line: %s, %s', async (_, code, field, id) => {
    const { caller, codes } = await act(field, id ?? (await newAccount()))

    expect(codes).toEqual([code])
    await vi.waitFor(async () => {
      expect(await linesOf(caller)).toMatchObject([{ by: 'Ada', result: code }])
    }, patience)
  })

  test.each([
    ['revokeApiKey', `revokeApiKey(id: $id, ${must}) { id }`, newKey, 'ID!'],
    [
      'resetPasskeys',
      `resetPasskeys(input: { email: $id, ${must} }) { readyAt }`,
      newPasskeyOwner,
      'String!',
    ],
  ])('that has happened before has a line of its own: %s', async (_, field, prepare, type) => {
    const id = await prepare(await newAccount())

    for (const { caller, codes } of [await act(field, id, type), await act(field, id, type)]) {
      expect(codes).toEqual([])
      await vi.waitFor(async () => {
        expect(await linesOf(caller)).toMatchObject([
          { by: 'Ada', result: 'succeeded', details: { reason: 'Because' } },
        ])
      }, patience)
    }
  })
})

describe('a key of an act', () => {
  const person = (name = 'Ada'): InternalCaller => ({
    ...{ ...admin, operator: name, requestId: newId('req') },
  })
  const program = (): InternalCaller => ({ ...admin, requestId: newId('req') })
  const refusal = ['INVALID_REQUEST', 'idempotencyKey: was used before for another request']

  const suspend = `updateAccount(input: { id: $id, status: SUSPENDED, ${said} }) { id }`
  const end = `endSessionsOfAccount(input: { accountId: $id, ${said} }) { ended }`
  const link = `createPortalLink(input: {
    accountId: $id, environment: LIVE, role: VIEWER, actor: "Support", ${said} }) { url }`
  const revoke = `revokeApiKey(id: $id, ${said}) { id }`
  const lift = `liftPaymentBlock(input: {
    accountId: $id, environment: LIVE, reason: $reason, idempotencyKey: $must }) { id }`
  const posted = 'reason: $text, idempotencyKey: $must'
  const grant = `grantCredits(input: { accountId: $id, credits: 5, ${posted} }) { id }`
  const adjust = `adjustCredits(input: { accountId: $id, credits: 5, ${posted} }) { id }`

  async function act(field: string, id: string, key: string, caller: InternalCaller) {
    const types = { id: 'ID!', reason: 'String', text: 'String!', key: 'String', must: 'String!' }
    const taken = Object.entries(types).filter(([name]) => new RegExp(`\\$${name}\\b`).test(field))
    const declared = taken.map(([name, type]) => `$${name}: ${type}`).join(', ')
    const document = parse(`mutation (${declared}) { result: ${field} }`)
    const variables = { id, reason: 'Because', text: 'Because', key, must: key }
    const result = await graph.run(document, variables, caller)
    const [refused = null] = codesOf(result)
    return { refused, data: result.data }
  }

  const statusOf = async (id: string) => Object(await graph.asAdmin('ShowAccount', { id })).status

  test.each([
    ['updateAccount', suspend, newAccount],
    ['endSessionsOfAccount', end, newAccount],
    ['createPortalLink', link, newAccount],
    ['liftPaymentBlock', lift, newAccount],
    ['grantCredits', grant, newAccount],
    ['adjustCredits', adjust, newAccount],
    ['revokeApiKey', revoke, async () => newKey(await newAccount())],
  ])('is refused for another account: %s', async (_, field, prepare) => {
    const [one, other, key] = [await prepare(), await prepare(), newId('req')]
    const again = person('Bob')

    expect((await act(field, one, key, person())).refused).toBeNull()
    expect((await act(field, other, key, again)).refused).toEqual(refusal)
    expect((await act(field, one, key, person())).refused).toBeNull()

    await vi.waitFor(async () => {
      expect(await linesOf(again)).toMatchObject([{ by: 'Bob', result: 'INVALID_REQUEST' }])
    }, patience)
  })

  test.each([
    ['of the subgraph oauth, after one of account', suspend, end],
    ['of the subgraph oauth, after a grant', grant, link],
    ['of the subgraph account, after one of oauth', end, suspend],
    ['of the ledger, after one of oauth', link, adjust],
    ['of the ledger, after another of the ledger', grant, adjust],
    ['of the same subgraph', link, end],
  ])('is refused for another act of the account %s', async (_, first, second) => {
    const [id, key] = [await newAccount(), newId('req')]

    expect((await act(first, id, key, person())).refused).toBeNull()
    expect((await act(second, id, key, person())).refused).toEqual(refusal)
    expect((await act(first, id, key, person())).refused).toBeNull()
  })

  test('is refused for another act of a program, and for another account', async () => {
    const [one, other, key] = [await newAccount(), await newAccount(), newId('req')]

    expect((await act(suspend, one, key, program())).refused).toBeNull()
    expect((await act(suspend, other, key, program())).refused).toEqual(refusal)
    expect((await act(end, one, key, program())).refused).toEqual(refusal)

    expect([await statusOf(one), await statusOf(other)]).toEqual(['SUSPENDED', 'ACTIVE'])
  })

  test('of credits is one for each account, if a program sends it', async () => {
    const [one, other, key] = [await newAccount(), await newAccount(), newId('req')]

    const answers = [
      await act(grant, one, key, program()),
      await act(grant, other, key, program()),
      await act(grant, one, key, program()),
    ]

    expect(answers.map(({ refused }) => refused)).toEqual([null, null, null])
    expect(answers[2]).toEqual(answers[0])
  })

  test('that is used at once for two accounts acts for exactly one of them', async () => {
    for (let round = 0; round < rounds('ACT_ROUNDS', { all: 5, nightly: 50 }); round += 1) {
      const ids = [await newAccount(), await newAccount()]
      const key = newId('req')

      const answers = await Promise.all(ids.map((id) => act(suspend, id, key, person())))
      const statuses = await Promise.all(ids.map(statusOf))

      const acted = answers.map(({ refused }) => refused === null)
      expect(acted.filter(Boolean)).toHaveLength(1)
      expect(answers.flatMap(({ refused }) => (refused ? [refused] : []))).toEqual([refusal])
      expect(statuses).toEqual(acted.map((isDone) => (isDone ? 'SUSPENDED' : 'ACTIVE')))
    }
  })

  test('that is used at once in two subgraphs acts in exactly one of them', async () => {
    for (let round = 0; round < rounds('ACT_ROUNDS', { all: 5, nightly: 50 }); round += 1) {
      const [id, key] = [await newAccount(), newId('req')]

      const answers = await Promise.all([
        act(suspend, id, key, person()),
        act(link, id, key, person()),
      ])

      const acted = answers.map(({ refused }) => refused === null)
      expect(acted.filter(Boolean)).toHaveLength(1)
      expect(await statusOf(id)).toBe(acted[0] ? 'SUSPENDED' : 'ACTIVE')
    }
  })

  test('is free again after a refusal, so that a mistake can be mended', async () => {
    const [id, key] = [await newAccount(), newId('req')]
    const unknown = 'acct_01m7wjg1aje00b678rt0km14np'

    expect((await act(suspend, unknown, key, person())).refused?.[0]).toBe('NOT_FOUND')
    expect((await act(grant, unknown, key, person())).refused?.[0]).toBe('NOT_FOUND')
    expect((await act(suspend, id, key, person())).refused).toBeNull()
    expect((await act(grant, id, key, person())).refused).toEqual(refusal)

    expect(await statusOf(id)).toBe('SUSPENDED')
  })
})
