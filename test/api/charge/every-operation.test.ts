import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { productExamples } from '../../support/requests/every-row.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

/** docs/contract.md §7: what each operation costs, for the request of its examples. */
const creditsOf: Readonly<Record<string, number>> = {
  'POST /v1/contacts/search': 3,
  'POST /v1/contacts/reveal': 5,
  'GET /v1/contacts/{contact_id}': 0,
  'POST /v1/promote/sends': 1,
  'GET /v1/promote/sends/{send_id}': 0,
  'GET /v1/seo/keywords': 2,
  'POST /v1/seo/audits': 20,
  'GET /v1/seo/audits/{audit_id}': 0,
  'GET /v1/markets/segments': 3,
  'POST /v1/markets/reports': 50,
  'POST /v1/campaigns/drafts': 10,
  'GET /v1/campaigns/drafts/{draft_id}': 0,
  'POST /v1/cloud/files': 1,
  'GET /v1/cloud/files': 0,
  'GET /v1/reviews/items': 3,
  'POST /v1/reviews/replies': 2,
  'GET /v1/who-is-searching/visitors': 3,
  'GET /v1/who-is-searching/companies/{company_id}': 4,
}

const maximumOf: Readonly<Record<string, number>> = {
  'POST /v1/contacts/search': 25,
  'POST /v1/promote/sends': 1000,
  'GET /v1/reviews/items': 50,
  'GET /v1/who-is-searching/visitors': 100,
}

describe('the catalog', () => {
  test('contains the operations of the contract', () => {
    const titles = productExamples().map(({ title }) => title)

    expect(titles.toSorted()).toEqual(Object.keys(creditsOf).toSorted())
  })
})

describe.each(productExamples())('$title', ({ title, method, url, body, file, operation }) => {
  const price = creditsOf[title] ?? Number.NaN

  test(`costs ${price} credits live, and is logged with that price`, async () => {
    const { liveKey } = await gateway.createAccount({ credits: 1000 })

    const response = await gateway.live.request(url, { method, key: liveKey, body })

    expect([response.status, response.headers.get('x-credits-charged')]).toEqual([
      operation.response.status,
      String(price),
    ])
    expect(response.headers.get('x-credits-remaining')).toBe(String(1000 - price))
    expectRequired(response.body)
    const log = await gateway.live.get('/v1/account/usage/log', liveKey)
    expect(log.body).toMatchObject({
      items: [
        {
          method,
          endpoint: new URL(url, gateway.baseUrl).pathname,
          service: file.slug,
          status: operation.response.status,
          credits: price,
          backend_module: file.backend_module,
        },
      ],
    })
    await expectExactBooks(gateway)
  })

  test('gives the same answer in the sandbox, for free', async () => {
    const { sandboxKey } = await gateway.createAccount({ credits: 0 })

    const response = await gateway.sandbox.request(url, { method, key: sandboxKey, body })

    expect([response.status, response.headers.get('x-credits-charged')]).toEqual([
      operation.response.status,
      '0',
    ])
    expect(response.headers.get('x-credits-remaining')).toBe('100000')
    expectRequired(response.body)
    await expectExactBooks(gateway)
  })

  /** All that its response schema calls required, and nothing that it does not know. */
  function expectRequired(answer: unknown): void {
    const { required = [], properties = {} } = operation.response.schema
    const members = Object.keys(Object(answer))
    expect(members).toEqual(expect.arrayContaining(Array.isArray(required) ? required : []))
    expect(Object.keys(Object(properties))).toEqual(expect.arrayContaining(members))
  }

  test('is refused when one credit is missing for its highest price, unless it is free', async () => {
    const { liveKey } = await gateway.createAccount({ credits: Math.max(0, price - 1) })

    const response = await gateway.live.request(url, { method, key: liveKey, body })

    expect(response.status).toBe(price === 0 ? operation.response.status : 402)
    await expectExactBooks(gateway)
  })

  const { credits } = operation
  if ('flat' in credits) return
  test(`costs at most ${maximumOf[title]} credits`, () => {
    expect(credits.per_unit * credits.max_units).toBe(maximumOf[title])
  })
})
