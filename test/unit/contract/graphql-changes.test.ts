import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { holdOperations } from '../../../tools/check/graphql/callers.ts'
import { joinsOf } from '../../../tools/check/graphql/joins.ts'
import { usesOf } from '../../../tools/check/graphql/operation-uses.ts'
import { callers, checkEdited, type Edits, graphqlEdited } from './contract.ts'

type Edit = (text: string) => string

/** Makes the same change in a subgraph and in the composed schema. */
function both(subgraph: string, edit: Edit): Edits {
  return { [`schema/generated/${subgraph}.graphql`]: edit, 'schema/generated/api.graphql': edit }
}

/** Without the field of a type, its description included. */
function without(type: string, field: string): Edit {
  const pattern = new RegExp(
    `(\\n(?:type|input) ${type} [^}]*?)\\n  """[^"]*"""\\n  ${field}: [^\\n]*`,
  )
  return (text) => text.replace(pattern, '$1')
}

/** Within the definition of one type. */
function inside(type: string, from: string, to: string): Edit {
  const pattern = new RegExp(`\\n(?:type|input|enum|union) ${type} [^}]*`)
  return (text) => text.replace(pattern, (definition) => definition.replace(from, to))
}

const route = (operation: string, ...routes: readonly string[]) => ({
  ...{ operation, routes, gateway: [] },
})

const demo = ['gateway/commands/admin/account-commands.ts', 'gateway/trial/demo/demo.ts']

const account = [
  route('GetAccount', 'GET /v1/account'),
  route('GetOverview', 'GET /v1/account/overview'),
  { operation: 'ListAccounts', routes: [], gateway: demo },
  { operation: 'ShowAccount', routes: [], gateway: demo },
]

const log = [route('ListUsageLog', 'GET /v1/account/usage/log')]
const keywords = '/v1/account/addons/rank-tracking/keywords'
const track = [route('TrackKeyword', `POST ${keywords}`)]
const list = route('ListTrackedKeywords', `GET ${keywords}`)
const untrack = route('UntrackKeyword', `DELETE ${keywords}/{keyword_id}`)

/** The argument of the usage log. */
const onlyRequest = '    """Only this request."""\n    requestId: ID\n'

describe('GraphQL changes since the base', () => {
  test.each([
    {
      title: 'a field that is gone',
      edits: both('account', without('Account', 'balance')),
      id: 'field-removed/Account.balance',
      severity: 'breaking',
      breaks: account,
    },
    {
      title: 'a field that became nullable',
      edits: both('account', inside('Account', 'balance: SafeInt!', 'balance: SafeInt')),
      id: 'field-type-changed/Account.balance -> SafeInt',
      severity: 'breaking',
      breaks: account,
    },
    {
      title: 'an argument that is gone',
      edits: both('usage', inside('Query', onlyRequest, '')),
      id: 'field-argument-removed/Query.usageLog(requestId:)',
      severity: 'breaking',
      breaks: log,
    },
    {
      title: 'an argument of another type',
      edits: both('usage', inside('Query', onlyRequest, onlyRequest.replace('ID', 'Int'))),
      id: 'field-argument-type-changed/Query.usageLog(requestId:) -> Int',
      severity: 'breaking',
      breaks: log,
    },
    {
      title: 'an argument that must be given from now on',
      edits: both('usage', inside('Query', onlyRequest, `${onlyRequest}    zone: ID!\n`)),
      id: 'field-argument-added/Query.usageLog(zone:)',
      severity: 'breaking',
      breaks: log,
    },
    {
      title: 'an argument that may be given from now on',
      edits: both('usage', inside('Query', onlyRequest, `${onlyRequest}    zone: ID\n`)),
      id: 'field-argument-added/Query.usageLog(zone:)',
      severity: 'dangerous',
      breaks: log,
    },
    {
      title: 'another default, for those that rely on it',
      edits: both(
        'usage',
        inside('Query', 'interval: UsageInterval! = day', 'interval: UsageInterval! = hour'),
      ),
      id: 'field-argument-default-changed/Query.usageSummary(interval:) -> "hour"',
      severity: 'dangerous',
      breaks: [],
    },
    {
      title: 'a member of an input that is gone',
      edits: both('account', without('TrackKeywordInput', 'country')),
      id: 'input-field-removed/TrackKeywordInput.country',
      severity: 'breaking',
      breaks: track,
    },
    {
      title: 'a member of an input that must be given from now on',
      edits: both(
        'account',
        inside('TrackKeywordInput', 'country: String!', 'country: String!\n  zone: ID!'),
      ),
      id: 'input-field-added/TrackKeywordInput.zone',
      severity: 'breaking',
      breaks: track,
    },
    {
      title: 'an enum value that is gone, for those that send or show it',
      edits: both('account', (text) => text.replace(/\n {2}"""On a phone."""\n {2}mobile/, '')),
      id: 'enum-value-removed/Device.mobile',
      severity: 'breaking',
      breaks: [list, ...track, untrack],
    },
    {
      title: 'a new enum value',
      edits: both('account', (text) => text.replace('\n  mobile', '\n  mobile\n  tablet')),
      id: 'enum-value-added/Device.tablet',
      severity: 'dangerous',
      breaks: [list, ...track, untrack],
    },
    {
      title: 'a type that is gone',
      edits: both('account', (text) =>
        text
          .replace(/\n"""[^"]*"""\ntype WebhookSummary [^}]*\}\n/, '\n')
          .replace('webhookSummary: WebhookSummary!', 'webhookSummary: ID!'),
      ),
      id: 'type-removed/WebhookSummary',
      severity: 'breaking',
      breaks: [route('GetOverview', 'GET /v1/account/overview')],
    },
    {
      title: 'a member of a union that is gone',
      edits: both('oauth', (text) =>
        text.replace('= TokenResponse | OAuthError', '= TokenResponse'),
      ),
      id: 'union-member-removed/TokenResult',
      severity: 'breaking',
      breaks: [route('Token', 'POST /v1/oauth/token')],
    },
    {
      title: 'what the gateway itself asks for',
      edits: both('keys', without('VerifiedKey', 'scopes')),
      id: 'field-removed/VerifiedKey.scopes',
      severity: 'breaking',
      breaks: [
        {
          operation: 'VerifyApiKey',
          routes: [],
          gateway: [
            'rest-facade/callers/verified-keys.ts',
            'gateway/launch/warm-up/warm-hot-path.ts',
          ],
        },
        {
          operation: 'VerifySession',
          routes: [],
          gateway: ['rest-facade/callers/verified-sessions.ts'],
        },
      ],
    },
  ])('$title is $severity, and names routes', async ({ edits, id, severity, breaks }) => {
    const findings = await graphqlEdited(edits)

    const found = findings.filter((finding) => finding.id === `graphql/${id}`)
    expect(found).toMatchObject([{ severity, breaks }])
  })

  test('locate a removed field at its former place: in the subgraph, at its type', async () => {
    const changes = await graphqlEdited(both('account', without('Account', 'balance')))

    expect(changes).toHaveLength(1)
    const [found] = changes
    expect(found).toMatchObject({
      file: 'schema/generated/account.graphql',
      message: "Field 'balance' was removed from object type 'Account'",
    })
    const lines = readFileSync(join(projectRoot, 'schema/generated/account.graphql'), 'utf8').split(
      '\n',
    )
    expect(lines[(found?.line ?? 0) - 1]).toMatch(/^type Account /)
  })

  test('in the hold of credits break every product operation', async () => {
    const findings = await graphqlEdited(both('account', without('ReservationBatch', 'answers')))

    const found = findings.find(({ id }) => id === 'graphql/field-removed/ReservationBatch.answers')
    expect(found?.breaks).toMatchObject([
      {
        operation: 'ReserveApart',
        gateway: ['rest-facade/charge/ledger-batches.ts', 'rest-facade/charge/reserve-queues.ts'],
      },
    ])
    expect(found?.breaks?.[0]?.routes).toEqual(
      expect.arrayContaining(['POST /v1/contacts/search', 'POST /v1/account/keys']),
    )
    expect(found?.breaks?.[0]?.routes).not.toContain('GET /v1/account')
  })

  test('of one subgraph alone are dangerous, because only an older build notices', async () => {
    const changes = await graphqlEdited({
      'schema/generated/keys.graphql': (text) =>
        text.replace('type Account @key(fields: "id") {\n  id: ID!', 'type Account {'),
    })

    expect(changes.map(({ id, severity }) => [id, severity])).toEqual([
      ['graphql/keys/field-removed/Account.id', 'dangerous'],
      ['graphql/keys/directive-usage-object-removed/Account', 'dangerous'],
    ])
    expect(changes[0]?.message).toContain('in the subgraph keys alone')
  })

  test('affect operations of the base, also when this tree has changed them to fit', async () => {
    const { findings } = await checkEdited({
      tree: {
        ...both('account', without('Account', 'balance')),
        'schema/fragments/Account.graphql': (text) => text.replace('  balance\n', ''),
      },
    })

    const found = findings.find(({ id }) => id === 'graphql/field-removed/Account.balance')
    expect(found?.breaks).toEqual(account)
  })

  test('compare the subgraphs also when they do not compose', async () => {
    const { findings, notes } = await checkEdited({
      tree: {
        'schema/generated/account.graphql': without('Account', 'balance'),
        'schema/generated/api.graphql': null,
        'schema/generated/supergraph.graphql': null,
      },
    })

    expect(findings).toMatchObject([
      { id: 'graphql/field-removed/Account.balance', breaks: account },
    ])
    expect(notes).toContain('schema/generated/api.graphql was not compared: it cannot be generated')
  })

  test('report a base without a schema', async () => {
    const { findings, notes } = await checkEdited({
      base: { 'schema/generated/api.graphql': null },
    })

    expect(findings).toEqual([])
    expect(notes).toContain('main has no schema/generated/api.graphql: nothing to compare it with')
  })
})

describe('the callers of an operation', () => {
  test('are the product routes for all that the ledger executes', () => {
    const executed = ['reserve-queues.ts', 'settle-queues.ts'].flatMap((file) => {
      const queues = readFileSync(join(projectRoot, 'rest-facade/charge', file), 'utf8')
      return [...queues.matchAll(/(?:execute|queueOf)\('(\w+)'/g)].map(([, name = '']) => name)
    })

    expect(executed.length).toBeGreaterThan(0)
    expect(new Set(executed)).toEqual(new Set(holdOperations))
    for (const name of executed) {
      expect(callers.routes.get(name)).toContain('POST /v1/contacts/reveal')
    }
  })
})

describe('the fields that an operation uses', () => {
  const first = `
    type Query { me: Owner! }
    type Owner @key(fields: "id") { id: ID!, size: Int! }`
  const second = `
    type Owner @key(fields: "id") {
      id: ID!
      size: Int! @external
      price: Int! @requires(fields: "size")
    }`
  const schema = buildSchema(`
    interface Named { name: String! }
    type Person implements Named { name: String! }
    type Owner { id: ID!, size: Int!, price: Int!, friends: [Named!]! }
    type Query { me: Owner! }`)

  test.each([
    ['{ me { size } }', ['Owner', 'Owner.size', 'Query', 'Query.me']],
    ['{ me { price } }', ['Owner', 'Owner.id', 'Owner.price', 'Owner.size', 'Query', 'Query.me']],
    [
      '{ me { friends { name } } }',
      [
        'Named',
        'Named.name',
        'Owner',
        'Owner.friends',
        'Person',
        'Person.name',
        'Query',
        'Query.me',
      ],
    ],
  ])(
    '%s: include keys, required fields of joins, and all types of an interface',
    (document, used) => {
      const joins = joinsOf(
        new Map([
          ['first', first],
          ['second', second],
        ]),
      )

      const uses = usesOf(schema, [{ name: 'Get', file: '', document }], joins)

      const own = [...uses.keys()].filter((coordinate) => !/^(ID|Int|String)$/.test(coordinate))
      expect(own.sort()).toEqual(used)
    },
  )
})
