import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

/** The items that an answer lists. */
function itemsOf(body: unknown): Readonly<Record<string, unknown>>[] {
  const { items } = Object(body)
  return Array.isArray(items) ? items : []
}

describe('simulated contacts', () => {
  test('are the same person wherever their id is, for every account', async () => {
    const [ada, grace] = [await gateway.createAccount(), await gateway.createAccount()]
    const query = { query: 'head of marketing', limit: 25 }
    const found = await gateway.sandbox.post('/v1/contacts/search', query, ada.sandboxKey)
    expect(found.status).toBe(200)
    const contacts = itemsOf(found.body)
    expect(new Set(contacts.map(({ contact_id: id }) => id)).size).toBe(25)

    for (const { contact_id, full_name, job_title, company_name } of contacts.slice(0, 8)) {
      for (const { sandboxKey } of [ada, grace]) {
        const path = '/v1/contacts/reveal'
        const revealed = await gateway.sandbox.post(path, { contact_id }, sandboxKey)
        const shown = await gateway.sandbox.get(`/v1/contacts/${String(contact_id)}`, sandboxKey)

        expect([revealed.status, revealed.body]).toEqual([
          200,
          expect.objectContaining({ contact_id, full_name, job_title, company_name }),
        ])
        expect([shown.status, shown.body]).toEqual([200, revealed.body])
      }
    }
  })

  test('are 404 until the account reveals them, in each environment', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount({ credits: 100 })
    const contact_id = 'con_1'
    const path = `/v1/contacts/${contact_id}`
    const before = await gateway.sandbox.get(path, sandboxKey)
    expectError(gateway, before, { status: 404, code: 'NOT_FOUND' })

    const revealed = await gateway.sandbox.post('/v1/contacts/reveal', { contact_id }, sandboxKey)

    expect(revealed.status).toBe(200)
    const after = await gateway.sandbox.get(path, sandboxKey)
    expect([after.status, after.body]).toEqual([200, revealed.body])
    const live = await gateway.live.get(path, liveKey)
    expectError(gateway, live, { status: 404, code: 'NOT_FOUND' })
  })
})

test.each([
  ['/v1/contacts/reveal', { contact_id: 'con_5f1e0c7a9b3d2e49' }],
  ['/v1/reviews/replies', { review_id: 'rev_0000000000000000', text: 'Thank you!' }],
])('POST %s about an id that was never shown is 404, and costs nothing', async (path, body) => {
  const { liveKey } = await gateway.createAccount({ credits: 100 })

  const answer = await gateway.live.post(path, body, liveKey)

  expectError(gateway, answer, { status: 404, code: 'NOT_FOUND' })
  expect(answer.headers.get('x-credits-charged')).toBe('0')
  const { body: credits } = await gateway.live.get('/v1/account/credits', liveKey)
  expect(credits).toMatchObject({ balance: 100, held: 0 })
})

describe('simulated companies', () => {
  test('are the visitors that were listed', async () => {
    const { sandboxKey } = await gateway.createAccount()
    const path = '/v1/who-is-searching/visitors?domain=acme.example&limit=20'
    const listed = await gateway.sandbox.get(path, sandboxKey)
    expect(listed.status).toBe(200)
    const visitors = itemsOf(listed.body)
    expect(visitors).toHaveLength(20)

    for (const { company_id, company_name } of visitors.slice(0, 8)) {
      const answer = await gateway.sandbox.get(
        `/v1/who-is-searching/companies/${String(company_id)}`,
        sandboxKey,
      )

      expect([answer.status, answer.body]).toEqual([
        200,
        expect.objectContaining({ company_id, company_name }),
      ])
    }
  })

  test.each(['cmp_0000000000000000', 'cmp_1', 'nobody'])('with the id %s are 404', async (id) => {
    const { liveKey } = await gateway.createAccount({ credits: 100 })

    const answer = await gateway.live.get(`/v1/who-is-searching/companies/${id}`, liveKey)

    expectError(gateway, answer, { status: 404, code: 'NOT_FOUND' })
    expect(answer.headers.get('x-credits-charged')).toBe('0')
  })
})

describe('a simulated file', () => {
  test.each([
    ['', 0],
    ['PHN2Zy8+', 6],
    ['YWI=', 2],
    [Buffer.alloc(70_000).toString('base64'), 70_000],
  ])('has the size of its content, also in the list: %#', async (content_base64, size_bytes) => {
    const { sandboxKey } = await gateway.createAccount()
    const file = { name: 'own.svg', content_base64 }

    const stored = await gateway.sandbox.post('/v1/cloud/files', file, sandboxKey)

    expect([stored.status, stored.body]).toEqual([
      201,
      { file_id: expect.stringMatching(/^fil_/), name: 'own.svg', size_bytes },
    ])
    const listed = await gateway.sandbox.get('/v1/cloud/files', sandboxKey)
    expect(itemsOf(listed.body)[0]).toEqual(stored.body)
  })
})
