import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

const manifest: Record<string, { sha256: string }> = JSON.parse(
  readFileSync(join(projectRoot, 'schema/generated/operations.json'), 'utf8'),
)

const operations = join(projectRoot, 'schema/operations')

/** The documents of the command line, as the first line of each file says. */
const ofInternalTools = readdirSync(operations, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.graphql'))
  .filter((file) => readFileSync(join(operations, file), 'utf8').startsWith('# gateway '))
  .map((file) => basename(file, '.graphql'))

interface Failure {
  readonly extensions: { readonly code: string }
}

interface Body {
  readonly query?: string
  readonly variables?: object
}

/** Asks by hash; `more` is what else is sent. */
async function askByHash(
  sha256Hash: string | undefined,
  more: Body = {},
  role: 'admin' | 'readonly' = 'admin',
) {
  const extensions = { persistedQuery: { version: 1, sha256Hash } }
  const token = await gateway.internalToken(role)
  const { status, body } = await gateway.internal.post('/graphql', { extensions, ...more }, token)
  return { status, body: Object(body) }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const notFound = {
  message: 'PersistedQueryNotFound',
  extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' },
}

describe('a document by its hash', () => {
  test('is answered from the first call, if it is an operation of the manifest', async () => {
    const { id } = await gateway.createAccount({ credits: 10 })

    const { status, body } = await askByHash(manifest.ShowAccount?.sha256, { variables: { id } })

    expect([status, body.errors]).toEqual([200, undefined])
    expect(body.data.result).toMatchObject({ id, balance: 10 })
  })

  test.each(ofInternalTools)('is known from the start, and within the limits: %s', async (name) => {
    const { body } = await askByHash(manifest[name]?.sha256)

    // Some need variables, and say so.
    const codes = (body.errors ?? []).map(({ extensions }: Failure) => extensions.code)
    expect(codes.filter((code: string) => code !== 'BAD_USER_INPUT')).toEqual([])
  })

  test('changes data once for one idempotency key', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 10 })
    const input = { accountId: id, credits: 5, reason: 'Goodwill', idempotencyKey: randomUUID() }

    for (let count = 0; count < 2; count += 1) {
      const { body } = await askByHash(manifest.GrantCredits?.sha256, { variables: { input } })
      expect(body.errors).toBeUndefined()
    }

    const { body } = await gateway.live.get('/v1/account/credits', liveKey)
    expect(body).toMatchObject({ balance: 15 })
  })

  test('grants nothing: the role decides', async () => {
    const { id } = await gateway.createAccount({ credits: 10 })
    const input = { accountId: id, credits: 5, reason: 'Goodwill', idempotencyKey: randomUUID() }

    const { body } = await askByHash(
      manifest.GrantCredits?.sha256,
      { variables: { input } },
      'readonly',
    )

    expect(body.data ?? null).toBeNull()
    expect(body.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
  })

  test('is unknown until it was sent with its text, and known from then on', async () => {
    const query = `query A${randomUUID().replaceAll('-', '')} { jwks { __typename } }`
    const sha256 = hashOf(query)

    const before = await askByHash(sha256)
    const registering = await askByHash(sha256, { query })
    const after = await askByHash(sha256)

    expect(before).toEqual({ status: 200, body: { errors: [notFound] } })
    const data = { jwks: { __typename: 'Jwks' } }
    expect([registering.body, after.body]).toEqual([{ data }, { data }])
  })

  test('is not stored when the hash does not match the text, or the document is refused', async () => {
    const unknownField = '{ nothing }'
    const large = '{ accounts(first: 200) { nodes { apiKeys { id } } } }'

    const foreign = await askByHash(hashOf('another'), { query: '{ __typename }' })
    const refused = [
      await askByHash(hashOf(unknownField), { query: unknownField }),
      await askByHash(hashOf(large), { query: large }),
    ]

    expect(foreign).toEqual({
      status: 400,
      body: {
        errors: [
          { message: 'provided sha does not match query', extensions: { code: 'BAD_REQUEST' } },
        ],
      },
    })
    expect(refused.map(({ status }) => status)).toEqual([400, 400])
    for (const text of ['another', unknownField, large]) {
      expect((await askByHash(hashOf(text))).body).toEqual({ errors: [notFound] })
    }
  })
})
