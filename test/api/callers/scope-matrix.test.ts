import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyScope, membersScope, scopes } from '../../../schema/vocabulary/scopes.ts'
import {
  fingerprintDatabase,
  requestTraces,
  restingVariables,
} from '../../support/database/database-dump.ts'
import { chosen } from '../../support/extent/extent.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { admitted } from '../../support/requests/admitted.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { type ApiRow, productRows, routeRows } from '../../support/requests/every-row.ts'
import { documentedScopes } from './documented-scopes.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway(restingVariables)
})
let cases = 0
afterAll(async () => {
  await gateway.close()
  console.info(`scope × operation: ${cases} cases`)
})

interface ProtectedRow extends ApiRow {
  /** The scopes of which a key needs one. */
  readonly needed: readonly string[]
}

const rows = [...routeRows(), ...productRows()].map((row) => ({
  ...row,
  needed: documentedScopes(row.method, row.template),
}))
const protectedRows = rows.flatMap((row): ProtectedRow[] => {
  const { needed } = row
  return needed ? [{ ...row, needed }] : []
})

const environments = ['live', 'sandbox'] as const
type Environment = (typeof environments)[number]
const graphName = { live: 'LIVE', sandbox: 'SANDBOX' } as const

interface MatrixRequest {
  readonly row: ApiRow
  readonly environment: Environment
  readonly key: string
}

/** An empty body where one is expected: wrong, but looked at only after the scope. */
function ask({ row, environment, key }: MatrixRequest): Promise<TestResponse> {
  const { method, path, hasBody } = row
  cases += 1
  const request = { method, key, body: hasBody ? {} : undefined }
  return admitted(() => gateway[environment].request(path, request))
}

async function keyWith(scope: string, environment: Environment): Promise<string> {
  const { id } = await gateway.createAccount()
  const options = { scopes: [scope], environment: graphName[environment] }
  return (await gateway.createKey(id, options)).plaintext
}

/**
 * Whether a refusal is tried on this listener. Both listeners share the code that decides, so each
 * refusal is tried on one of them, and in a fast run everything else too.
 */
function isTriedOn(environment: Environment, name: string): boolean {
  return chosen(name, environments).includes(environment)
}

describe.each(environments)('a key of the %s listener', (environment) => {
  const scopesHere = scopes.filter((scope) => isTriedOn(environment, scope))
  test.each(scopesHere)(
    'with %s alone is refused what needs another scope, and told what it lacks',
    async (scope) => {
      const key = await keyWith(scope, environment)
      const before = await fingerprintDatabase(gateway.database, requestTraces)

      const refused = protectedRows.filter(({ needed }) => !needed.includes(scope))
      const half = refused.filter((_, index) => index % 2 === environments.indexOf(environment))
      for (const row of chosen(scope, half, 8)) {
        const response = await ask({ row, environment, key })

        expectError(gateway, response, { status: 403, code: 'FORBIDDEN' })
        const [needed] = row.needed
        expect([row.title, Object(response.body).error.message]).toEqual([
          row.title,
          expect.stringContaining(`scope ${needed}`),
        ])
      }
      expect(await fingerprintDatabase(gateway.database, requestTraces)).toEqual(before)
    },
  )

  // A key for each case: some operations end the key that calls them.
  const rowsHere = protectedRows.filter(
    ({ title, needed }) => !needed.includes(membersScope) && isTriedOn(environment, title),
  )
  test.each(rowsHere)('with $needed or * gets past the scope check of $title', async (row) => {
    for (const scope of chosen(row.title, [everyScope, ...row.needed])) {
      const key = await keyWith(scope, environment)

      const { status } = await ask({ row, environment, key })

      const isPast = (status >= 200 && status < 300) || [402, 404, 409, 422].includes(status)
      expect([row.title, scope, status, isPast]).toEqual([row.title, scope, status, true])
    }
  })
})

describe('the route table', () => {
  test('needs a key exactly where the contract does', () => {
    const asked = rows.map(({ title, scope, isForAnyCaller }) => [
      title,
      scope !== undefined || isForAnyCaller,
    ])

    expect(asked).toEqual(rows.map(({ title, needed }) => [title, needed !== null]))
  })
})
