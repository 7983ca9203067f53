import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSchema } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../../rest-facade/routes/index.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { openapiDocument } from '../../../tools/openapi/document.ts'
import { apiDocument } from '../../support/conformity/api-document.ts'
import { requireConformity } from '../../support/conformity/conformity.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import type { TestResponse } from '../../support/requests/client.ts'

const row = routes.find(({ path }) => path === '/account/credits')
if (!row) throw new Error('There is no such route.')
// The table is data: this gateway serves one in which a route will end.
Object.assign(row, {
  deprecated: {
    since: '2026-03-01',
    sunset: '2027-03-01',
    successor: '/v1/account',
    reason: 'The account says it too.',
  },
})
afterAll(() => Reflect.deleteProperty(row, 'deprecated'))

const folder = mkdtempSync(join(tmpdir(), 'catalog-'))
cpSync(join(projectRoot, 'schema/catalog'), folder, { recursive: true })
const cloud = join(folder, 'cloud.yaml')
const without = readFileSync(cloud, 'utf8')
writeFileSync(
  cloud,
  without.replace(
    '  - id: listFiles\n',
    `  - id: listFiles
    deprecated: { since: 2026-03-01, sunset: 2027-03-01, reason: Files are listed elsewhere. }
`,
  ),
)
const catalog = loadCatalog(folder)

const read = (file: string) => readFileSync(join(projectRoot, 'schema/generated', file), 'utf8')
const document = openapiDocument({
  ...{ localRoutes: [], pageRoutes: [], routes, catalog, examples: {} },
  schema: buildSchema(read('api.graphql')),
  manifest: JSON.parse(read('operations.json')),
})

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({}, { catalog })
  const origins = { live: gateway.baseUrl, sandbox: gateway.sandbox.url, hasStubs: true }
  requireConformity({ ...origins, document: apiDocument(document) })
})
afterAll(async () => {
  await gateway.close()
  rmSync(folder, { recursive: true })
})

function noticesOf({ headers }: TestResponse) {
  return ['deprecation', 'sunset', 'link'].map((name) => headers.get(name))
}

/** RFC 9745: Unix seconds; RFC 8594: an HTTP date. */
const dates = ['@1772323200', 'Mon, 01 Mar 2027 00:00:00 GMT']

describe('a deprecated route', () => {
  test('says that it is deprecated in every answer, refusals included, on both listeners', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount()
    const link = `<${gateway.baseUrl}/docs/versioning>; rel="deprecation"; type="text/html", </v1/account>; rel="successor-version"`
    const path = '/v1/account/credits'

    const answers = [
      await gateway.live.get(path, liveKey),
      await gateway.sandbox.get(path, sandboxKey),
      await gateway.live.get(path),
      await gateway.live.get(`${path}?surprise=1`, liveKey),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 422])
    for (const answer of answers) expect(noticesOf(answer)).toEqual([...dates, link])
    expect(answers[0]?.headers.get('access-control-expose-headers')).toContain('Sunset')
  })

  test('leaves other routes unmarked', async () => {
    const { liveKey } = await gateway.createAccount()

    const answer = await gateway.live.get('/v1/account', liveKey)

    expect(answer.status).toBe(200)
    expect(noticesOf(answer)).toEqual([null, null, null])
  })
})

describe('a deprecated product operation', () => {
  test('says that it is deprecated in every answer, and is charged as before', async () => {
    const { liveKey } = await gateway.createAccount()
    const link = `<${gateway.baseUrl}/docs/versioning>; rel="deprecation"; type="text/html"`

    const answers = [
      await gateway.live.get('/v1/cloud/files', liveKey),
      await gateway.live.get('/v1/cloud/files?limit=0', liveKey),
    ]
    const other = await gateway.live.post('/v1/cloud/files', {}, liveKey)

    expect(answers.map(({ status }) => status)).toEqual([200, 422])
    for (const answer of answers) expect(noticesOf(answer)).toEqual([...dates, link])
    expect(noticesOf(other)).toEqual([null, null, null])
  })
})

describe('the OpenAPI document', () => {
  test('marks deprecated operations with the date, the sunset and the replacement', () => {
    const { paths } = Object(document)

    const { get: route } = paths['/v1/account/credits']
    const { get: product } = paths['/v1/cloud/files']
    for (const operation of [route, product]) {
      expect(operation).toMatchObject({
        deprecated: true,
        'x-deprecated-since': '2026-03-01',
        'x-sunset': '2027-03-01',
      })
      expect(Object.keys(operation.responses[200].headers)).toEqual(
        expect.arrayContaining(['Deprecation', 'Sunset', 'Link']),
      )
    }
    expect(route.description).toContain('The account says it too. Use `/v1/account`.')
    expect(product.description).toContain('Files are listed elsewhere.')
    expect(paths['/v1/account'].get).not.toHaveProperty('deprecated')
  })
})
