import fc from 'fast-check'
import { type GraphQLError, parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mergedGraph } from '../../../../gateway/internal/free-form/merged-graph.ts'
import { createTestDatabase } from '../../../support/database/database.ts'
import { admin, openTestGraph, type TestGraph } from '../../../support/database/graph.ts'
import { rounds, seed } from '../../../support/extent/extent.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import { documentOf } from '../../../support/graph/random-document.ts'
import { referenceGraph } from '../../../support/graph/reference.ts'

const { schema } = mergedGraph()

let gateway: TestGateway
let graph: TestGraph
let token: string
let accountIds: string[]
let changedId: string
beforeAll(async () => {
  const database = await createTestDatabase()
  gateway = await startTestGateway({}, { database })
  graph = await openTestGraph({ database })
  token = await gateway.internalToken('admin')
  const made = [
    await gateway.createAccount({ tier: 'STARTER', subscriptionTier: 'pro_sub', credits: 7 }),
    await gateway.createAccount(),
  ]
  accountIds = made.map(({ id }) => id)
  changedId = (await gateway.createAccount()).id
  for (const { id, liveKey } of made) {
    await gateway.createKey(id)
    await gateway.createKey(id, { environment: 'SANDBOX', scopes: ['keys:read'] })
    await gateway.live.get('/v1/account', liveKey)
  }
})
afterAll(async () => {
  await gateway.close()
  await graph.close()
})

/** Roots that every internal tool may read, or nobody: then both answers are errors. */
const roots = new Set([
  ...['account', 'accounts', 'auditEvents', 'internalTokens', 'isInternalTokenRevoked', 'jwks'],
  ...['clientOrigins', 'unmatchedPaymentNotifications', 'credits', 'apiKey', 'webhookEventTypes'],
])
/** Fields whose values change while documents are compared, or are made anew for each answer. */
const unsteady = new Set([
  ...['Account.usageSummary', 'Account.usage', 'CreditBalance.asOf', 'PageInfo.endCursor'],
])
/** A mutation changes these again when it is repeated. */
const changing = new Set([
  ...['Account.auditEvents', 'Account.events', 'Account.apiKeys', 'CreateApiKeyPayload.plaintext'],
])
/** All else of a new key is its own. */
const ofNewKeys = new Set(['name', 'metadata', 'scopes', 'environment', 'status', 'budgets'])

function isSteady(field: string, isChange: boolean): boolean {
  const [type, name = ''] = field.split('.')
  if (type === 'Query') return roots.has(name)
  if (type === 'Mutation') return name === 'updateAccount' || name === 'createApiKey'
  if (isChange && type === 'ApiKey') return ofNewKeys.has(name)
  return !unsteady.has(field) && !(isChange && changing.has(field))
}

describe('a random document of an internal tool (docs/promises.md G7)', () => {
  test('is answered as graphql-js answers it over the merged schema and a snapshot', async () => {
    const reference = referenceGraph(schema, graph.subgraphs, admin)
    const world = { schema, ids: [...accountIds, 'acct_unknown'], changedId, isSteady }
    const numbers = fc.array(fc.nat({ max: 999 }), { maxLength: 150, size: 'max' })
    await fc.assert(
      fc.asyncProperty(numbers, async (chosen) => {
        const made = documentOf(chosen, world)
        const document = parse(made.query)
        expect({ ...made, invalid: validate(schema, document) }).toEqual({ ...made, invalid: [] })

        const { status, body } = await gateway.internal.post('/graphql', made, token)

        const { data, errors } = Object(body)
        // One above a limit is not counted.
        fc.pre(!(status === 400 && /limit of \d+ exceeded/.test(errors[0].message)))
        const expected = await reference.answer(document, made.variables)
        // Data is compared as text, so that the order of members counts.
        expect({ ...made, data: JSON.stringify(data), places: placesOf(errors) }).toEqual({
          ...made,
          data: JSON.stringify(expected.data),
          // GraphQL leaves open which of several errors below one null is told.
          places: expected.data ? placesOf(expected.errors) : expect.any(Array),
        })
        expect({ ...made, hasErrors: !!errors }).toEqual({ ...made, hasErrors: !!expected.errors })
      }),
      { seed, numRuns: rounds('RANDOM_DOCUMENTS', { all: 60, nightly: 5000 }) },
    )
  })
})

/** Where a document failed, in the answer and in its text. */
function placesOf(errors: readonly Partial<GraphQLError>[] = []): string[] {
  return errors.map(({ path, locations }) => JSON.stringify([path, locations])).sort()
}
