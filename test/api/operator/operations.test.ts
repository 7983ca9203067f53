import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildSchema,
  type GraphQLInputType,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  parse,
  typeFromAST,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readOperatorOperations } from '../../../gateway/operator/operator-operations.ts'
import { internalRoles } from '../../../schema/credentials/caller.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import type { OperatorOperations } from '../../../schema/generated/operator-operations.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { operatorActs } from '../../../schema/vocabulary/operators.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  newOperator,
  operate,
  signInOperator,
  withOperators,
} from '../../support/gateway/operator-page.ts'
import { patience } from '../../support/time/patience.ts'

const schema = buildSchema(readFileSync(join(projectRoot, 'schema/generated/api.graphql'), 'utf8'))
const operations = [...readOperatorOperations()]

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway(withOperators)
})
afterAll(() => gateway.close())

/** A value that the graph accepts and that stands for nothing. */
function blank(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return blank(type.ofType)
  if (isListType(type)) return []
  if (isEnumType(type)) return type.getValues()[0]?.name
  if (isInputObjectType(type)) {
    const members = Object.values(type.getFields()).filter(isRequiredInputField)
    return Object.fromEntries(members.map((member) => [member.name, blank(member.type)]))
  }
  const values = new Map<string, unknown>([
    ['Int', 1],
    ['SafeInt', 1],
    ['Boolean', false],
    ['JSONObject', {}],
    ['DateTimeISO', '2026-01-01T00:00:00.000Z'],
  ])
  return values.get(type.name) ?? ''
}

function blankVariables(document: string, given: Readonly<Record<string, unknown>>): object {
  const { variableDefinitions = [] } = getOperationAST(parse(document)) ?? {}
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, type: node }) => {
      const type = typeFromAST(schema, node)
      if (!isInputType(type) || !isNonNullType(type)) return []
      const name = variable.name.value
      return [[name, given[name] ?? blank(type)]]
    }),
  )
}

async function makeStale(cookie: string): Promise<void> {
  await gateway.database.query(
    `UPDATE keys.operator_session SET proven_at = now() - interval '15 minutes'
     WHERE secret_hash = $1`,
    [sha256(cookie.slice(cookie.indexOf('=') + 1))],
  )
}

const isForbidden = (code: unknown) => code === 'FORBIDDEN'

describe('an operation of the page', () => {
  test.each(operations)(
    '%s: each role may what it may in internal GraphQL',
    async (name, known) => {
      const { id } = await gateway.createAccount()
      const variables = blankVariables(known.document, { id, accountId: id })
      for (const role of internalRoles) {
        const token = await gateway.internalToken(role)
        const query = known.document
        const cookie = await signInOperator(gateway, newOperator(role))

        const byToken = await gateway.internal.post('/graphql', { query, variables }, token)
        const byPage = await operate(gateway, name, variables, { cookie })

        const errors: { extensions: { code: string } }[] = Object(byToken.body).errors ?? []
        const mayNot = errors.some(({ extensions }) => isForbidden(extensions.code))
        const { code } = Object(byPage.body).error ?? {}
        expect([role, byPage.status, code]).not.toContain('INTERNAL_ERROR')
        expect([role, isForbidden(code)]).toEqual([role, mayNot])
      }
    },
  )

  test.each(operations)('%s: needs a session', async (name, { document }) => {
    expectError(gateway, await operate(gateway, name, blankVariables(document, {})), {
      ...{ status: 401, code: 'AUTHENTICATION_REQUIRED', details: { methods: ['link'] } },
    })
  })

  test.each(operations.filter(([, { provenRole }]) => provenRole !== null))(
    '%s: needs a proof of the last 15 minutes',
    async (name, { document }) => {
      const cookie = await signInOperator(gateway, newOperator('admin'))
      await makeStale(cookie)
      const lesser = await signInOperator(gateway, newOperator('readonly'))
      await makeStale(lesser)

      const answer = await operate(gateway, name, blankVariables(document, {}), { cookie })
      const refused = await operate(gateway, name, blankVariables(document, {}), { cookie: lesser })

      expectError(gateway, answer, {
        ...{ status: 403, code: 'STEP_UP_REQUIRED', details: { methods: ['link'] } },
      })
      expectError(gateway, refused, { status: 403, code: 'FORBIDDEN' })
    },
  )

  test('is one of those that were built: a document of the page is not run', async () => {
    const cookie = await signInOperator(gateway, newOperator())

    const unknown = await operate(gateway, 'ListAccounts', { first: 1 }, { cookie })
    const inherited = await operate(gateway, 'constructor', {}, { cookie })

    const message = 'The page of operators has no such operation.'
    for (const answer of [unknown, inherited]) {
      expectError(gateway, answer, { status: 404, code: 'NOT_FOUND', message })
    }
  })

  test('with values that do not fit is refused before it runs', async () => {
    const cookie = await signInOperator(gateway, newOperator())
    for (const first of ['1', null, 1_000_000]) {
      const answer = await operate(gateway, 'AccountList', { first }, { cookie })

      expect([first, answer.status, Object(answer.body).error]).toMatchObject([
        ...[first, 422],
        { code: 'INVALID_REQUEST', details: [{ field: 'variables', in: 'body' }] },
      ])
    }
  })
})

describe('operatorActs', () => {
  test('names mutations of the graph', () => {
    const fields = schema.getMutationType()?.getFields() ?? {}

    expect([...operatorActs.keys()].filter((name) => !(name in fields))).toEqual([])
  })
})

describe('AccountList', () => {
  test('answers what the graph answers', async () => {
    const { id } = await gateway.createAccount()
    const cookie = await signInOperator(gateway, newOperator('readonly'))

    const answer = await operate(gateway, 'AccountList', { search: id, first: 5 }, { cookie })

    expect([answer.status, answer.body]).toMatchObject([
      200,
      { data: { result: { nodes: [{ id, status: 'ACTIVE' }] } } },
    ])
  })
})

describe('GrantCredits', () => {
  test('is made in the name of the operator, who stands in the audit trail', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount({ credits: 10 })
    const operator = newOperator('admin')
    const cookie = await signInOperator(gateway, operator)
    const of = { accountId, reason: 'Goodwill', idempotencyKey: 'one' }
    const variables: OperatorOperations['GrantCredits']['variables'] = {
      input: { ...of, credits: 5 },
    }

    const answers = [
      await operate(gateway, 'GrantCredits', variables, { cookie }),
      await operate(gateway, 'GrantCredits', variables, { cookie }),
    ]

    for (const { status, body } of answers) {
      expect([status, body]).toMatchObject([200, { data: { result: { credits: 5 } } }])
    }
    const { body } = await gateway.live.get('/v1/account/credits', liveKey)
    expect(body).toMatchObject({ balance: 15 })
    const granted = () =>
      gateway.database.query(
        `SELECT actor_id AS by FROM usage.audit_event
         WHERE account_id = $1 AND action = 'credits.grant' AND result = 'succeeded'`,
        [accountId],
      )
    await expect.poll(granted, patience).toContainEqual({ by: operator.name })
  })
})
