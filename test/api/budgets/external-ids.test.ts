import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { leadingElsewhere } from '../../support/requests/leading-elsewhere.ts'

const folder = mkdtempSync(join(tmpdir(), 'catalog-'))
cpSync(join(projectRoot, 'schema/catalog'), folder, { recursive: true })
const contacts = join(folder, 'contacts.yaml')
// An operator's catalog may say nothing about an id but that it is text.
const before = readFileSync(contacts, 'utf8')
const [start = '', end = ''] = before.split('path: /{contact_id}')
const ofAnyText = end.replace(/pattern: "\^\[A-Za-z0-9_-\]\+\$",/, '')
writeFileSync(contacts, `${start}path: /{contact_id}${ofAnyText}`)

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({}, { catalog: loadCatalog(folder) })
})
afterAll(async () => {
  await gateway.close()
  rmSync(folder, { recursive: true })
})

const budgets = [{ period: 'day', limit_credits: 7 }]
const path = '/v1/account'

/** Sends the path as it is: `fetch` and other clients resolve it before. */
function sendUnresolved(
  method: string,
  path: string,
  key: string,
  body?: unknown,
): Promise<Pick<TestResponse, 'status' | 'body'>> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(gateway.baseUrl)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const sent = request({ hostname, port, method, path, headers }, async (response) => {
      const text = (await response.setEncoding('utf8').toArray()).join('')
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) })
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

function refused(place: string, field = 'external_id') {
  return { status: 422, body: { error: { details: [{ field, in: place }] } } }
}

/** What no refused request may have changed. */
async function stateOf(key: string) {
  const read = async (rest: string) => (await gateway.live.get(path + rest, key)).body
  const { items } = Object(await read('/keys'))
  const keys = items.map(({ id, external_id }: Record<string, unknown>) => [id, external_id])
  return [await read('/budgets'), await read('/external-ids'), keys]
}

describe.each(leadingElsewhere)('the external id %j', (id) => {
  test('is refused wherever it is set or named, and nothing changes', async () => {
    const { liveKey } = await gateway.createAccount()
    const { id: keyId } = Object(
      (await gateway.live.post(`${path}/keys`, { name: 'Team', external_id: 'team' }, liveKey))
        .body,
    )
    const known = await stateOf(liveKey)
    const send = (method: string, place: string, body?: unknown) =>
      gateway.live.request(path + place, { method, key: liveKey, body })
    const encoded = encodeURIComponent(id)

    expect(await send('POST', '/keys', { name: 'x', external_id: id })).toMatchObject(
      refused('body'),
    )
    expect(await send('PATCH', `/keys/${keyId}`, { external_id: id })).toMatchObject(
      refused('body'),
    )
    expect(await send('GET', `/keys?external_id=${encoded}`)).toMatchObject(refused('query'))
    for (const read of ['log', 'summary']) {
      const answer = await send('GET', `/usage/${read}?external_id=${encoded}`)
      expect(answer).toMatchObject(refused('query'))
    }
    const exporting = { kind: 'requests', external_id: id }
    expect(await send('POST', '/audit/export', exporting)).toMatchObject(refused('body'))
    for (const place of [encoded, encoded.replaceAll('.', '%2e')]) {
      const put = await sendUnresolved('PUT', `${path}/external-ids/${place}/budgets`, liveKey, {
        budgets,
      })
      expect([place, put]).toMatchObject([place, refused('path')])
    }
    expect(await stateOf(liveKey)).toEqual(known)
  })

  test('is refused by the internal graph, which the command line asks too', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const known = await stateOf(liveKey)
    const input = { accountId, environment: 'LIVE', name: 'x', externalId: id }
    const create =
      'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { plaintext } }'
    const readLog = `query ($id: ID!) {
      account(id: "${accountId}") { usageLog(first: 1, externalId: $id) { nodes { requestId } } } }`

    await expect(gateway.graphql(create, { input })).rejects.toThrow(/external_id: must have/)
    await expect(gateway.graphql(readLog, { id })).rejects.toThrow(/externalId: must not have/)
    expect(await stateOf(liveKey)).toEqual(known)
  })

  test('is refused as the id of a product call before the backend module is asked', async () => {
    const { liveKey } = await gateway.createAccount()
    const place = `/v1/contacts/${encodeURIComponent(id).replaceAll('.', '%2e')}`

    const call = await sendUnresolved('GET', place, liveKey)
    const quote = await gateway.live.post(
      '/v1/quotes',
      { calls: [{ method: 'GET', path: place }] },
      liveKey,
    )

    expect(call).toMatchObject(refused('path', 'contact_id'))
    expect(quote).toMatchObject({
      status: 200,
      body: {
        items: [{ would_succeed: false, refusal: refused('path', 'contact_id').body.error }],
      },
    })
  })
})

describe('an external id with slashes', () => {
  test('is set by a body, and named by an encoded path', async () => {
    const { liveKey } = await gateway.createAccount()
    const external_id = 'eu/team.7/..x'
    const created = await gateway.live.post(`${path}/keys`, { name: 'x', external_id }, liveKey)
    const place = `${path}/external-ids/${encodeURIComponent(external_id)}/budgets`
    const put = await gateway.live.request(place, {
      method: 'PUT',
      key: liveKey,
      body: { budgets },
    })

    expect(created).toMatchObject({ status: 201, body: { external_id } })
    expect(put).toMatchObject({ status: 200, body: { external_id, keys: 1, budgets } })
    const list = await gateway.live.get(`${path}/external-ids`, liveKey)
    expect(list.body).toMatchObject({ items: [{ external_id, keys: 1, budgets }] })
    expect((await gateway.live.get(`${path}/budgets`, liveKey)).body).toEqual({ budgets: [] })
  })
})
