import { buildSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { coordinatesIn } from '../../../tools/check/graphql/coordinates.ts'
import { undescribed } from '../../../tools/check/graphql/descriptions.ts'
import { type NameException, nameExceptions } from '../../../tools/check/graphql/name-rules.ts'
import { misnamed } from '../../../tools/check/graphql/names.ts'
import { costLimits, costly, costOf } from '../../../tools/check/graphql/operation-costs.ts'
import { shortNotices } from '../../../tools/check/openapi/deprecations.ts'
import { acknowledge } from '../../../tools/check/report/acknowledgements.ts'
import type { Finding } from '../../../tools/check/report/finding.ts'
import { callers, checkEdited } from './contract.ts'

describe('the check of descriptions', () => {
  test('names every type, field, argument, member, enum and value without one, at its line', () => {
    const sdl = `type Query {
  key(id: ID!): Key
}
"""   """
type Key { id: ID! }
enum Kind { ONE }
input KeyInput { id: ID! }
scalar Day
`
    const findings = undescribed(buildSchema(sdl), sdl)

    expect(findings.map(({ id, line }) => [id.replace('description/missing/', ''), line])).toEqual([
      ['Query', 1],
      ['Query.key', 2],
      ['Query.key(id:)', 2],
      ['Key', 5],
      ['Key.id', 5],
      ['Kind', 6],
      ['Kind.ONE', 6],
      ['KeyInput', 7],
      ['KeyInput.id', 7],
      ['Day', 8],
    ])
  })
})

describe('the check of names', () => {
  const sdl = `
    scalar DateTimeISO
    type Query { apiKey(key_id: ID!, accountId: String!): api_key }
    type Mutation { keyRevoke: Boolean! revokeKey: Boolean! }
    type api_key {
      owner: ID!
      valid: Boolean!
      isValid: Boolean!
      created: DateTimeISO!
      usedAt: Int!
      msLatency: Int!
      latencyMsMax: Int!
    }
    enum Kind { one TWO }
    input NewKey { scopes: [String!]! }`

  function names(exceptions: readonly NameException[], document = 'query GetKey { result }') {
    return misnamed({
      ...{ named: coordinatesIn(buildSchema(sdl)), sdl, exceptions },
      operations: [{ name: 'GetKey', file: 'GetKey.graphql', document }],
      isPublic: () => true,
      openapi: {},
    }).map(({ id }) => id.replace('name/', ''))
  }

  test('names what breaks each rule', () => {
    expect(names([]).sort()).toEqual([
      'boolean-prefix/api_key.valid',
      'field-case/Query.apiKey(key_id:)',
      'id-suffix/Query.apiKey(accountId:)',
      'id-suffix/Query.apiKey(key_id:)',
      'id-suffix/api_key.owner',
      'input-suffix/NewKey',
      'instant-suffix/api_key.created',
      'instant-suffix/api_key.usedAt',
      'type-case/api_key',
      'unit-last/api_key.latencyMsMax',
      'value-case/Kind.one',
      'verb-first/Mutation.keyRevoke',
    ])
  })

  test('limits an exception to its rule and name, and reports unused ones', () => {
    const exceptions: readonly NameException[] = [
      { rule: 'value-case', names: ['Kind.*'], reason: 'A word of the contract.' },
      { rule: 'id-suffix', names: ['*.owner', '*.nobody'], reason: 'A word of the contract.' },
    ]

    const found = names(exceptions)

    expect(found).not.toContain('value-case/Kind.one')
    expect(found).not.toContain('id-suffix/api_key.owner')
    expect(found).toContain('id-suffix/Query.apiKey(accountId:)')
    expect(found).toContain('needless-exception/id-suffix/*.nobody')
  })

  test('treats aliases and variables of a public operation as REST members, and its name as a verb', () => {
    const document =
      'query GetKey($keyId: ID!) { result: key(id: $keyId) { createdAt  used_at: usedAt } }'

    const found = names([], document)

    expect(found).toEqual(
      expect.arrayContaining(['rest-case/GetKey.keyId', 'rest-case/GetKey.createdAt']),
    )
    expect(found).not.toContain('rest-case/GetKey.used_at')
  })

  test('requires snake_case for members and parameters of the OpenAPI document', () => {
    const findings = misnamed({
      ...{ named: [], sdl: 'scalar A', operations: [], isPublic: () => true, exceptions: [] },
      openapi: {
        paths: {
          '/a': {
            get: {
              parameters: [
                { in: 'query', name: 'keyId' },
                { in: 'header', name: 'X-Id' },
              ],
            },
          },
        },
        components: { schemas: { Key: { properties: { createdAt: {}, used_at: {} } } } },
      },
    })

    expect(findings.map(({ id }) => id)).toEqual([
      'name/rest-case/keyId',
      'name/rest-case/createdAt',
    ])
  })

  test('requires a reason for every exception', () => {
    for (const { reason } of nameExceptions) expect(reason).toMatch(/^[A-Z].{15,}\.$/)
  })
})

describe('the cost of an operation', () => {
  const schema = buildSchema(`
    type Query { keys(first: Int!): [Key!]!  me: Account! }
    type Account { keys(first: Int!): [Key!]! }
    type Key { id: ID!  account: Account! }`)

  test('is counted with the largest pages, whatever the variables', () => {
    const document = `query Get($first: Int!) {
      result: keys(first: $first) { id account { a: keys(first: 10) { id } b: keys(first: 10) { id } } }
    }`

    expect(costOf(schema, document)).toEqual({
      ...{ rows: 200 * (1 + 2 * 10), depth: 4, fields: 7, rootFields: 1, aliases: 2 },
    })
  })

  test.each([
    [
      'rows',
      '{ keys(first: 100) { account { keys(first: 100) { id } } } }',
      'costs 10100 rows to read; at most 5000',
    ],
    ['depth', deep(costLimits.depth + 1), 'costs 9 levels of fields; at most 8'],
    [
      'aliases',
      '{ a: me { keys(first: 1) { id } } b: me { keys(first: 1) { id } } c: me { keys(first: 1) { id } } }',
      'costs 3 times the same field in one selection; at most 2',
    ],
    [
      'rootFields',
      `{ ${'keys(first: 1) { id } '.repeat(11)} }`,
      'costs 11 root fields; at most 10',
    ],
    [
      'fields',
      `{ me { keys(first: 1) { ${'id '.repeat(100)} } } }`,
      'costs 102 fields; at most 100',
    ],
  ])('has a limit of %s', (measure, document, message) => {
    const findings = costly(schema, [{ name: 'GetAccount', file: 'a.graphql', document }], callers)

    const finding = findings.find(({ id }) => id === `cost/${measure}/GetAccount`)
    expect(finding?.message).toContain(message)
    expect(finding).toMatchObject({ severity: 'error', file: 'a.graphql' })
    expect(finding?.breaks).toEqual([
      { operation: 'GetAccount', routes: ['GET /v1/account'], gateway: [] },
    ])
  })

  /** `levels` of fields below one another. */
  function deep(levels: number): string {
    return levels <= 2
      ? '{ me { keys(first: 1) { id } } }'
      : `{ me { keys(first: 1) { account { keys(first: 1) { account { keys(first: 1) { account { keys(first: 1) { id } } } } } } } } }`
  }
})

describe('the check of deprecations', () => {
  test.each([
    ['2026-03-01', '2026-09-01', null],
    ['2026-03-01', '2026-08-31', '2026-09-01'],
    ['2026-08-31', '2027-03-01', null],
    // There is no 31 February.
    ['2026-08-31', '2027-02-28', '2027-03-01'],
  ])('from %s to %s requires at least 6 months', (since, sunset, earliest) => {
    const get = { 'x-deprecated-since': since, 'x-sunset': sunset, 'x-operation': 'GetOld' }

    const findings = shortNotices(JSON.stringify({ paths: { '/v1/old': { get } } }))

    const [id, severity] = ['openapi/short-notice/GET /v1/old', 'error']
    const message = expect.stringContaining(`must be ${earliest} or later`)
    expect(findings).toMatchObject(earliest === null ? [] : [{ id, severity, message }])
  })
})

describe('the acknowledgement of breaks', () => {
  const file = 'schema/acknowledged-breaks.yaml'
  const finding = 'graphql/field-removed/Account.balance'
  const entry = `- finding: ${finding}
  reason: The balance is in credits, and nobody reads it here.
  acknowledged_by: Ada
  date: 2026-01-10
`
  const drop = (text: string) =>
    text.replace(/\n {2}"""Credits: the sum[^"]*"""\n {2}balance: SafeInt!/, '')
  const gone = { 'schema/generated/account.graphql': drop, 'schema/generated/api.graphql': drop }

  test('accepts a break that the change acknowledges with a reason', async () => {
    const { findings } = await checkEdited({ tree: { ...gone, [file]: entry } })

    expect(findings).toMatchObject([
      { id: finding, severity: 'breaking', acknowledgement: { acknowledged_by: 'Ada' } },
    ])
  })

  const removed: Finding = {
    ...{
      id: finding,
      severity: 'breaking',
      file: 'schema/generated/account.graphql',
      message: 'Gone.',
    },
  }
  const today = '2026-01-15'

  test.each<[string, { now: string; found?: Finding[]; atBase?: string }, string, string]>([
    ['matches nothing is an error', { now: entry, found: [] }, 'stale', 'error'],
    ['came with the base counts no more', { now: entry, atBase: entry }, 'spent', 'dangerous'],
    ['has expired is an error', { now: `${entry}  expires: 2026-01-14\n` }, 'expired', 'error'],
  ])('refuses an entry that %s', (_, { found = [removed], atBase = null, now }, kind, severity) => {
    const { byFinding, findings } = acknowledge(found, { now, atBase, today })

    expect(findings).toMatchObject([
      { id: `acknowledgement/${kind}/${finding}`, severity, file, line: 1 },
    ])
    expect(byFinding.size).toBe(0)
  })

  test('accepts no acknowledgement of an error, which must be fixed', () => {
    const error: Finding = { ...removed, severity: 'error' }

    const { findings } = acknowledge([error], { now: entry, atBase: null, today })

    expect(findings).toMatchObject([{ id: `acknowledgement/stale/${finding}` }])
  })

  test.each([
    ['has no reason', entry.replace(/ {2}reason.*\n/, ''), '1.reason'],
    ['says too little', entry.replace(/reason: .*/, 'reason: because'), '1.reason'],
    ['has another member', `${entry}  force: true\n`, '1'],
    ['is no list', 'finding: all\n', '1'],
    ['is no YAML', '- finding: [\n', '2'],
  ])('ignores an entry that %s', (_, now, where) => {
    const { byFinding, findings } = acknowledge([removed], { now, atBase: null, today })

    expect(findings.map(({ id }) => id)).toContain(`acknowledgement/malformed/${where}`)
    expect(byFinding.size).toBe(0)
  })

  test('reports a check that throws, and keeps the findings of the others', async () => {
    const openapi = 'schema/generated/openapi.json'
    const other = entry.replace('balance', 'nickname')

    const report = await checkEdited({
      tree: { ...gone, [file]: other, [openapi]: '{}' },
      base: { [openapi]: '{' },
    })

    const message = expect.stringContaining('JSON')
    expect(report.failures).toContainEqual({ check: 'OpenAPI changes', message })
    // The finding of the entry may be one of those that were not checked.
    const others = report.findings.filter(({ id }) => !id.startsWith('openapi/spectral/'))
    expect(others).toMatchObject([{ id: finding, acknowledgement: null }])
    // An empty document is no OpenAPI, which is another check's finding.
    expect(report.findings.length).toBeGreaterThan(others.length)
  })
})
