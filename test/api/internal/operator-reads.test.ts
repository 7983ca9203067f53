import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  GraphQLInt,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
  parse,
} from 'graphql'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { admin, openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

type Role = 'admin' | 'support' | 'readonly'

async function asking(role: Role) {
  const token = await gateway.internalToken(role)
  return {
    tokenId: String(decodeJwt(token).jti),
    ask: (query: string, variables: object = {}) =>
      gateway.internal.post('/graphql', { query, variables }, token),
  }
}

/** The lines about looks in the trail of an account. They are there before the answer, so nothing is waited for. */
function looksAt(accountId: string, place = gateway.database) {
  return place.query<object>(
    `SELECT actor_id AS by, actor_role AS role, environment, resource_id AS about, result
     FROM usage.audit_event WHERE account_id = $1 AND action = 'account.looked_at' ORDER BY actor_id`,
    [accountId],
  )
}

const schema = buildSchema(readFileSync(join(projectRoot, 'schema/generated/api.graphql'), 'utf8'))

/** A document that asks a field of the root about the account, with the least that its arguments take. */
function documentAbout({ name, args, type }: GraphQLField<unknown, unknown>, id: string): string {
  const values = args.map((arg) => `${arg.name}: ${literalFor(arg, id)}`)
  const fields = isObjectType(getNamedType(type)) ? ' { __typename }' : ''
  return `{ ${name}(${values.join(', ')})${fields} }`
}

function literalFor({ name, type }: GraphQLArgument, id: string): string {
  if (name === 'accountId') return JSON.stringify(id)
  if (isListType(getNullableType(type))) return '[]'
  const named = getNamedType(type)
  if (isEnumType(named)) return named.getValues()[0]?.name ?? ''
  return named === GraphQLInt ? '1' : '""'
}

const byId = 'query ($id: ID!) { account(id: $id) { name } }'

describe('a read of an account by a token', () => {
  test.each(['admin', 'support', 'readonly'] as const)(
    'leaves one line in its trail before the answer, however often %s reads',
    async (role) => {
      const { id } = await gateway.createAccount()
      const { ask, tokenId } = await asking(role)

      const answers = await Promise.all([1, 2, 3, 4].map(() => ask(byId, { id })))

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(await looksAt(id)).toEqual([
        { by: tokenId, role, environment: 'live', about: id, result: 'succeeded' },
      ])
    },
  )

  test('leaves a line for each token', async () => {
    const { id } = await gateway.createAccount()
    const [one, two] = [await asking('readonly'), await asking('support')]

    await one.ask(byId, { id })
    await two.ask(byId, { id })

    expect(await looksAt(id)).toHaveLength(2)
  })

  test.each([
    [
      'an alias and a fragment',
      'query ($id: ID!) { x: account(id: $id) { ...f } } fragment f on Account { y: email }',
    ],
    ['nothing but its type', 'query ($id: ID!) { account(id: $id) { __typename } }'],
    ['its keys alone', 'query ($id: ID!) { account(id: $id) { apiKeys { id } } }'],
  ])('is recorded if the document asks for %s', async (_, query) => {
    const { id } = await gateway.createAccount()
    const { ask } = await asking('readonly')

    await ask(query, { id })

    expect(await looksAt(id)).toHaveLength(1)
  })

  test('is recorded if an exact look-up leads to it', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const { ask } = await asking('readonly')

    const { body } = await ask(
      'query ($prefix: String!) { accountsOfKeyPrefix(prefix: $prefix) { __typename } }',
      { prefix: `svc_live_…${liveKey.slice(-4)}` },
    )

    expect(body).toEqual({ data: { accountsOfKeyPrefix: [{ __typename: 'Account' }] } })
    expect(await looksAt(id)).toHaveLength(1)
  })

  test('is recorded if a list leads to its details, and not if the list shows its columns', async () => {
    const { id } = await gateway.createAccount()
    await gateway.database.query(`UPDATE account.account SET name = $1 WHERE id = $1`, [id])
    const { ask } = await asking('readonly')
    const list = (selection: string) =>
      ask(`query ($part: String!) { accounts(search: $part) { nodes { ${selection} } } }`, {
        part: id.slice('acct_'.length),
      })

    await list('id name email balance activity { lastCallAt } isPaymentBlocked')
    expect(await looksAt(id)).toEqual([])
    await list('name ledger(first: 1) { nodes { id } }')

    expect(await looksAt(id)).toHaveLength(1)
  })

  test.each([['id'], ['email']])(
    'is recorded if a list is searched for the %s of the account',
    async (by) => {
      const { id } = await gateway.createAccount()
      await gateway.database.query(`UPDATE account.account SET email = $1 WHERE id = $2`, [
        `${id}@acme.example`,
        id,
      ])
      const { ask } = await asking('readonly')

      const { body } = await ask(
        'query ($search: String!) { found: accounts(search: $search) { nodes { name } } }',
        { search: by === 'id' ? id : `${id}@acme.example` },
      )

      expect(Object(body).data.found.nodes).toHaveLength(1)
      expect(await looksAt(id)).toHaveLength(1)
    },
  )

  test('is no mutation that names it', async () => {
    const { id } = await gateway.createAccount()
    const { ask } = await asking('admin')

    const { body } = await ask(
      'mutation ($id: ID!) { updateAccount(input: { id: $id, tier: GROWTH }) { id ledger { nodes { id } } } }',
      { id },
    )

    expect(Object(body).errors).toBeUndefined()
    expect(await looksAt(id)).toEqual([])
  })

  test('is recorded by every field of the root that answers about the account in its argument', async () => {
    const { id } = await gateway.createAccount()
    const naming = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(({ args }) =>
      args.some(({ name }) => name === 'accountId'),
    )
    const answered: string[] = []

    for (const field of naming) {
      // A token for each, so that each leaves a line of its own.
      const { ask, tokenId } = await asking('admin')
      const { status, body } = await ask(documentAbout(field, id))
      const codes = (Object(body).errors ?? []).map(
        (error: unknown) => Object(error).extensions.code,
      )
      const lines = (await looksAt(id)).filter((line) => Object(line).by === tokenId)
      if (codes.length === 0) answered.push(field.name)
      const isRefused = codes.includes('FORBIDDEN')
      expect([field.name, status, lines.length]).toEqual([field.name, 200, isRefused ? 0 : 1])
    }

    expect(answered.toSorted()).toEqual(['charges', 'loggedCharges'])
  })

  test('leaves no line where no account has the id', async () => {
    const id = 'acct_01m7wjg1aje00b678rt0km14np'
    const { ask } = await asking('readonly')

    expect((await ask(byId, { id })).body).toEqual({ data: { account: null } })
    expect(await looksAt(id)).toEqual([])
  })
})

describe('a read whose line cannot be written', () => {
  test('is 503 and shows nothing', async () => {
    const { id } = await gateway.createAccount()
    const { ask } = await asking('readonly')
    const lock = await gateway.database.query<object>('SELECT 1', [])
    expect(lock).toHaveLength(1)
    await gateway.database.query(
      `ALTER TABLE usage.audit_event ADD CONSTRAINT no_look CHECK (account_id <> '${id}') NOT VALID`,
      [],
    )

    const refused = await ask(byId, { id })

    expect(refused.status).toBe(503)
    expect(Object(refused.body).errors[0].extensions.code).toBe('SERVICE_UNAVAILABLE')
    expect(Object(refused.body).data ?? null).toBeNull()
    await gateway.database.query('ALTER TABLE usage.audit_event DROP CONSTRAINT no_look', [])
    expect((await ask(byId, { id })).status).toBe(200)
    expect(await looksAt(id)).toHaveLength(1)
  })
})

describe('the trail of the holder', () => {
  async function trailAfterLook(variables: Record<string, string>) {
    const own = await startTestGateway(variables)
    try {
      const { id, liveKey } = await own.createAccount()
      const token = await own.internalToken('readonly')
      await own.internal.post('/graphql', { query: byId, variables: { id } }, token)
      expect(await looksAt(id, own.database)).toHaveLength(1)
      const { body } = await own.live.get(
        '/v1/account/audit/events?action=account.looked_at',
        liveKey,
      )
      const all = await own.live.get('/v1/account/audit/events', liveKey)
      return { looks: Object(body).items, actions: Object(all.body).items }
    } finally {
      await own.close()
    }
  }

  test('hides looks of operators by default', async () => {
    const { looks, actions } = await trailAfterLook({})

    expect(looks).toEqual([])
    expect(actions.map(({ action }: { action: string }) => action)).not.toContain(
      'account.looked_at',
    )
  })

  test('shows them with OPERATOR_READS=shown, without the name and the address', async () => {
    const { looks } = await trailAfterLook({ OPERATOR_READS: 'shown' })

    expect(looks).toEqual([
      expect.objectContaining({
        ...{ action: 'account.looked_at', actor_kind: 'internal', actor_id: 'internal' },
        ...{ address: null, details: {} },
      }),
    ])
  })
})

describe('a read by a person', () => {
  let graph: TestGraph
  beforeAll(async () => {
    graph = await openTestGraph()
  })
  afterAll(() => graph.close())

  test('is recorded by the name; a command of the command line is none', async () => {
    const { account } = Object(
      await graph.asAdmin('CreateAccount', { input: { name: 'A', email: 'a@b.example' } }),
    )
    const { id } = account

    await graph.asAdmin('ShowAccount', { id })
    expect(await looksAt(id, graph.database)).toEqual([])
    const person = { ...admin, role: 'readonly', operator: 'Ada Lovelace' } as const
    await graph.run(parse(byId), { id }, person)

    expect(await looksAt(id, graph.database)).toEqual([
      { by: 'Ada Lovelace', role: 'readonly', environment: 'live', about: id, result: 'succeeded' },
    ])
  })
})
