import { buildClientSchema, getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedGateway, type TestGateway } from '../../../support/gateway/gateway.ts'

let gateway: TestGateway
let token: string
beforeAll(async () => {
  gateway = await sharedGateway()
  token = await gateway.internalToken('admin')
})
afterAll(() => gateway.close())

interface Body {
  readonly query: string
  readonly variables?: object
  readonly operationName?: string
}

function ask(body: Body) {
  return gateway.internal.post('/graphql', body, token)
}

/** Refused before anything of it runs: there is no data, not even null. */
async function expectRefusal(body: Body, code: string, message: RegExp): Promise<void> {
  const { status, body: answer } = await ask(body)

  expect(Object(answer)).not.toHaveProperty('data')
  const [error] = Object(answer).errors
  expect([status, error.extensions.code]).toEqual([400, code])
  expect(error.message).toMatch(message)
}

function times(count: number, part: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => part(index)).join(' ')
}

/** Fragments of which each spreads the next ten times. */
function fanOut(levels: number): string {
  return times(levels, (index) => {
    const next = index === levels - 1 ? '__typename' : `...f${index + 1}`
    return `fragment f${index} on Query { ${times(10, () => next)} }`
  })
}

const parse = 'GRAPHQL_PARSE_FAILED'
const validation = 'GRAPHQL_VALIDATION_FAILED'
const tooManyTokens = /1000 tokens/
const tooManySelections = /too many selections/
const circle = times(
  30,
  (index) =>
    `fragment f${index} on Query { ${times(10, (next) => `...f${(index + next + 1) % 30}`)} }`,
)

const bombs: readonly (readonly [string, Body, string, RegExp])[] = [
  ['a fan-out of 10 × 10', { query: `{ ...f0 } ${fanOut(10)}` }, validation, tooManySelections],
  ['a fan-out of three levels', { query: `{ ...f0 } ${fanOut(3)}` }, validation, tooManySelections],
  [
    'a fan-out that a variable leaves out',
    {
      query: `query ($no: Boolean!) { __typename ...f0 @include(if: $no) } ${fanOut(8)}`,
      variables: { no: false },
    },
    validation,
    tooManySelections,
  ],
  [
    'circular fragments',
    { query: '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }' },
    validation,
    /within itself/,
  ],
  ['circles of 30 fragments', { query: `{ ...f0 } ${circle}` }, validation, /within itself/],
  [
    '1,000 aliases',
    { query: `{ ${times(1000, (index) => `a${index}: jwks { keys { kid } }`)} }` },
    parse,
    tooManyTokens,
  ],
  [
    '16 aliases',
    { query: `{ jwks { ${times(16, (index) => `a${index}: keys { kid }`)} } }` },
    validation,
    /Aliases limit of 15/,
  ],
  ['10,000 braces', { query: '{a'.repeat(10_000) + '}'.repeat(10_000) }, parse, tooManyTokens],
  [
    'a depth of 12',
    { query: `{ ${'a { '.repeat(12)} b ${'}'.repeat(12)} }` },
    validation,
    /Cannot query|depth limit of 10/,
  ],
  [
    '1,000 equal fields',
    { query: `{ jwks { keys { ${times(1000, () => 'kid')} } } }` },
    parse,
    tooManyTokens,
  ],
  [
    'as many equal fields as tokens allow',
    { query: `{ jwks { keys { ${times(980, () => 'kid')} } } }` },
    validation,
    /aborted|Too many/,
  ],
  [
    'fields that overlap, each with fields that overlap',
    { query: `{ jwks { ${times(24, () => `keys { ${times(35, () => 'kid')} }`)} } }` },
    validation,
    /aborted|Too many/,
  ],
  [
    '11 root fields',
    { query: `{ ${times(11, () => 'jwks { keys { kid } }')} }` },
    validation,
    /Root fields limit of 10 exceeded, found 11/,
  ],
  [
    '11 root fields in fragments',
    {
      query: `{ ...a ... on Query { ${times(6, () => '__typename')} } }
        fragment a on Query { ${times(5, () => '__typename')} }`,
    },
    validation,
    /Root fields limit of 10 exceeded, found 11/,
  ],
  ['directives', { query: `{ __typename ${times(480, () => '@a')} }` }, validation, /directive/i],
  [
    '51 directives',
    {
      query: `query ($no: Boolean!) { jwks { ${times(51, () => '__typename @skip(if: $no)')} } }`,
      variables: { no: false },
    },
    validation,
    /Directives limit of 50/,
  ],
  [
    '300 declared variables',
    { query: `query (${times(300, (index) => `$v${index}: Int`)}) { __typename }` },
    parse,
    tooManyTokens,
  ],
  [
    '1,000 wrong items of a variable',
    {
      query: 'mutation ($all: [UsageLogEntryInput!]!) { recordUsage(entries: $all) }',
      variables: { all: Array.from({ length: 1_000 }, () => ({})) },
    },
    'BAD_USER_INPUT',
    /^Variable "\$all" got invalid value/,
  ],
  [
    'deep input',
    {
      query: `mutation { recordAuditEvents(events: [{ details: ${'{a:'.repeat(2000)}1${'}'.repeat(2000)} }]) }`,
    },
    parse,
    tooManyTokens,
  ],
  [
    'deep lists',
    { query: `mutation { recordAuditEvents(events: ${'['.repeat(480)}${']'.repeat(480)}) }` },
    validation,
    /^Expected value of type/,
  ],
  [
    'introspection that goes round',
    {
      query: '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
    },
    validation,
    /introspection depth/,
  ],
]

describe('a document that is too large (docs/promises.md G2)', () => {
  // One after the other, so that each has the event loop to itself.
  test.each(bombs)('is refused before it runs: %s', async (_, body, code, message) => {
    const startedAtMs = performance.now()
    await expectRefusal(body, code, message)

    // On a quiet machine it takes 100 ms at most, and the first one loads the server of GraphQL. A document
    // that runs takes minutes.
    expect(performance.now() - startedAtMs).toBeLessThan(20_000)
  })

  test.each([
    ['10,001 items', Array.from({ length: 10_001 }, () => ({}))],
    ['a depth of 100', JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`)],
  ])('is refused before it is read: variables with %s', async (_, all) => {
    const query = 'mutation ($all: [UsageLogEntryInput!]!) { recordUsage(entries: $all) }'

    const response = await ask({ query, variables: { all } })

    expect(response.status).toBe(422)
    expect(response.body).toMatchObject({
      error: {
        code: 'INVALID_REQUEST',
        message: 'body: has too many or too deep members',
        status: 422,
      },
    })
  })
})

const ledgers = (size: string) => `accounts${size} { nodes { ledger${size} { nodes { id } } } }`

/** The document, and its cost if it is too high. */
const costs: readonly (readonly [string, string, number | null])[] = [
  ['a page of pages', `{ ${ledgers('(first: 50)')} }`, null],
  ['pages of the usual size', `{ ${ledgers('')} }`, null],
  ['large pages of a large page', `{ ${ledgers('(first: 100)')} }`, 10_100],
  ['such pages by a variable', `query ($n: Int! = 100) { ${ledgers('(first: $n)')} }`, 10_100],
  ['such pages in fragments', `{ ... on Query { ... { ${ledgers('(first: 100)')} } } }`, 10_100],
  [
    'a size below nothing, which makes nothing cheaper',
    '{ accounts(first: 200) { nodes { ledger(first: -1000) { nodes { id } } apiKeys { id } } } }',
    40_400,
  ],
  ['pages side by side', `{ a: ${ledgers('')} b: ${ledgers('')} }`, 5100],
  ['lists without a size', '{ accounts { nodes { apiKeys { id } } } }', 10_050],
  ['roll-ups', '{ accounts { nodes { usage { today { credits } } } } }', 50_050],
  [
    'what is looked up for each entry',
    '{ accounts(first: 200) { nodes { credits { balance } subscription { tier } } } }',
    null,
  ],
  ['an audit of whole tables', '{ ledgerAudit { entries drifts { problem } } }', null],
  ['two of them', '{ ledgerAudit { entries } usageAudit { entries } }', 8000],
  ['a part of the audit trail', '{ auditChains(limit: 5000) { events last { id } } }', null],
]

describe('the limit of 5000 rows for one document', () => {
  test.each(costs)('counts %s', async (_, query, excess) => {
    if (excess !== null) {
      const message = new RegExp(`^Cost limit of 5000 exceeded, found ${excess}: `)
      return expectRefusal({ query }, validation, message)
    }
    const { status, body } = await ask({ query })

    expect([status, Object(body).errors]).toEqual([200, undefined])
  })
})

describe('every limit', () => {
  test('allows introspection as graphql-js writes it, for any role', async () => {
    for (const role of ['admin', 'support', 'readonly'] as const) {
      const roleToken = await gateway.internalToken(role)
      const query = getIntrospectionQuery({ oneOf: true, inputValueDeprecation: true })

      const { status, body } = await gateway.internal.post('/graphql', { query }, roleToken)

      expect(status).toBe(200)
      const schema = buildClientSchema(Object(body).data)
      expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toContain('accounts')
    }
  })
})

describe('a request that is not one document as JSON', () => {
  test('is refused: several documents', async () => {
    const one = { query: '{ __typename }' }

    const response = await gateway.internal.post('/graphql', [one, one], token)

    expect(response.status).toBe(422)
    expect(response.body).toMatchObject({
      error: {
        code: 'INVALID_REQUEST',
        details: [{ field: 'body', in: 'body', message: 'must be an object' }],
      },
    })
  })

  // Types of bodies that a browser lets a page of another site send without asking first (CSRF).
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a'])(
    'is refused: a body of %s',
    async (type) => {
      const response = await gateway.internal.request('/graphql', {
        method: 'POST',
        key: token,
        body: '{"query":"{ __typename }"}',
        headers: { 'content-type': type },
      })

      expect(response.status).toBe(415)
      expect(response.body).toMatchObject({ error: { code: 'UNSUPPORTED_MEDIA_TYPE' } })
    },
  )

  test('is refused: GET', async () => {
    const response = await gateway.internal.get('/graphql?query=%7B__typename%7D', token)

    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
    expect(response.body).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED', status: 405 } })
  })

  test('is refused: a body over 1 MiB', async () => {
    const body = { query: `{ __typename } # ${'x'.repeat(1024 * 1024)}` }

    const response = await gateway.internal.post('/graphql', body, token)

    expect(response.status).toBe(413)
    expect(response.body).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE', status: 413 } })
  })
})

describe('the answer to an expected error', () => {
  const wrong: readonly (readonly [string, Body, string, string])[] = [
    ['no GraphQL', { query: '{' }, parse, 'Syntax Error: Expected Name, found <EOF>.'],
    [
      'a field that is not there, and no guess which was meant',
      { query: '{ acounts { nodes { id } } }' },
      validation,
      'Cannot query field "acounts" on type "Query".',
    ],
    [
      'a value that is none, and no guess which was meant',
      {
        query: 'query ($e: Environment!) { auditEvents(environment: $e) { nodes { id } } }',
        variables: { e: 'liv' },
      },
      'BAD_USER_INPUT',
      'Variable "$e" got invalid value "liv"; Value "liv" does not exist in "Environment" enum.',
    ],
    [
      'a variable that is missing',
      { query: 'query ($id: ID!) { account(id: $id) { id } }' },
      'BAD_USER_INPUT',
      'Variable "$id" of required type "ID!" was not provided.',
    ],
    [
      'an operation that is not there',
      { query: 'query A { __typename }', operationName: 'B' },
      'OPERATION_RESOLUTION_FAILURE',
      'Name one of the operations of the document.',
    ],
  ]

  test.each(wrong)('keeps its code: %s', async (_, body, code, message) => {
    const { status, body: answer } = await ask(body)

    expect(status).toBe(400)
    expect(answer).toMatchObject({ errors: [{ message, extensions: { code } }] })
  })
})
