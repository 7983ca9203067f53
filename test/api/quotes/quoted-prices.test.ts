import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { schemaValues } from '../../../proof/fuzz/schema-values.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import type { Operation } from '../../../schema/catalog/operation.ts'
import { readApiDocument } from '../../support/conformity/api-document.ts'
import { rounds, seed } from '../../support/extent/extent.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { sharedGateway, type TestAccount, type TestGateway } from '../../support/gateway/gateway.ts'
import { admitted } from '../../support/requests/admitted.ts'
import type { TestResponse } from '../../support/requests/client.ts'

let gateway: TestGateway
let account: TestAccount
beforeAll(async () => {
  gateway = await sharedGateway()
  account = await gateway.createAccount({ credits: 1_000_000_000 })
  console.info(`quoted calls: seed ${seed}`)
})
afterAll(async () => {
  await expectExactBooks(gateway)
  await gateway.close()
})

/** One call: as it is quoted, and as it is made. */
interface RandomCall {
  readonly path: string
  readonly params: unknown
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  /** Whether the query is quoted as a part of the path. */
  readonly isQueryInPath: boolean
}

const valuesOf = schemaValues(readApiDocument())
const operations = loadCatalog().services.flatMap((service) => service.operations)

/** Calls as the schemas of the operation allow them, and calls with one mistake. */
function randomCalls({ service, path, request }: Operation): fc.Arbitrary<RandomCall> {
  const { path: inPath = {}, query = {}, body } = request.schemas
  return fc
    .record({
      params: valuesOf({ type: 'object', ...inPath }),
      query: valuesOf({ type: 'object', ...query }),
      body: body ? valuesOf(body) : fc.constant(undefined),
      isQueryInPath: fc.boolean(),
      mistake: fc.option(
        fc.record({
          place: fc.constantFrom('query', 'body'),
          name: fc.constantFrom('surprise', 'limit', ...membersOf(query), ...membersOf(body)),
          value: fc.constantFrom('', 'x', -1, 0, 1.5, 1e21, true, ['a', 'a']),
        }),
        { freq: 3 },
      ),
    })
    .map(({ params, mistake, ...call }) => {
      const filled = path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) =>
        encodeURIComponent(String(Object(params)[name])),
      )
      const change = mistake && { [mistake.name]: mistake.value }
      return {
        path: `/v1/${service}${filled}`,
        params,
        query: { ...Object(call.query), ...(mistake?.place === 'query' ? change : {}) },
        body: mistake?.place === 'body' ? { ...Object(call.body), ...change } : call.body,
        isQueryInPath: call.isQueryInPath,
      }
    })
}

/** Whether a random call is valid: half of the calls are, so that some succeed whatever the seed is. */
function isValid({ request }: Operation, { params, query, body }: RandomCall): boolean {
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)])
  const checked = request.check({
    ...{ path: params, query: Object.fromEntries(texts) },
    body: structuredClone(body),
  })
  return 'query' in checked
}

function membersOf(schema: unknown): string[] {
  return Object.keys(Object(Object(schema).properties))
}

function searchOf(query: RandomCall['query']): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)]),
  )
  const text = new URLSearchParams(pairs).toString()
  return text === '' ? '' : `?${text}`
}

function quoted(method: string, { path, query, body, isQueryInPath }: RandomCall) {
  return isQueryInPath
    ? { method, path: path + searchOf(query), body }
    : { method, path, query, body }
}

function make(method: string, { path, query, body }: RandomCall): Promise<TestResponse> {
  const target = path + searchOf(query)
  return admitted(() => gateway.live.request(target, { method, key: account.liveKey, body }))
}

describe.each(operations)('the quote of $id', (operation) => {
  const { method, price, request } = operation
  const numRuns = rounds('QUOTED_CALLS', { all: 3, nightly: 50 })

  test('has the charge of the real call in it, or the refusal of the real call', async () => {
    // An operation without a body reads none, and fetch sends none with GET.
    const readsBody = request.hasBody
    const any = randomCalls(operation).map((call) =>
      readsBody ? call : { ...call, body: undefined },
    )
    const valid = any.filter((call) => isValid(operation, call))
    const calls = [any, valid].flatMap((some) => fc.sample(some, { numRuns, seed }))

    const { status, body } = await admitted(() =>
      gateway.live.post(
        '/v1/quotes',
        { calls: calls.map((call) => quoted(method, call)) },
        account.liveKey,
      ),
    )

    expect([status, body]).toEqual([200, body])
    const { items } = Object(body)
    const answers = await Promise.all(calls.map((call) => make(method, call)))
    let succeeded = 0
    for (const [index, call] of calls.entries()) {
      const item = items[index]
      const real = answers[index]
      if (!real) throw new Error('A call has no answer.')
      const seen = [seed, index, call, item, real.status, real.body]
      if (real.status === 422) {
        const { code, message, details } = Object(real.body).error
        expect([item.refusal, ...seen]).toEqual([{ code, message, details }, ...seen])
        expect([item.min_credits, item.max_credits, ...seen]).toEqual([0, 0, ...seen])
        continue
      }
      expect([item.refusal, item.would_succeed, ...seen]).toEqual([null, true, ...seen])
      const charged = Number(real.headers.get('x-credits-charged'))
      // The simulator does not know each id; a failure costs nothing.
      const least = real.status < 300 ? item.min_credits : 0
      expect([charged >= least && charged <= item.max_credits, ...seen]).toEqual([true, ...seen])
      if (!price.unitsAt) expect([item.min_credits, ...seen]).toEqual([price.maximum, ...seen])
      if (real.status >= 300) continue
      succeeded += 1
      const isKnown = item.min_credits === item.max_credits
      if (isKnown) expect([charged, ...seen]).toEqual([item.max_credits, ...seen])
    }
    // A stored answer can be found only after it was made.
    if (!operation.path.includes('{')) expect(succeeded).toBeGreaterThan(0)
  })
})

describe('a list that the answer repeats', () => {
  test('has one price, which is charged', async () => {
    const recipients = ['a@acme.example', 'b@acme.example', 'c@acme.example']
    const body = { subject: 'a', body: 'b', recipients }
    const call = { method: 'POST', path: '/v1/promote/sends', body }

    const quote = await admitted(() =>
      gateway.live.post('/v1/quotes', { calls: [call] }, account.liveKey),
    )
    const real = await admitted(() => gateway.live.post(call.path, body, account.liveKey))

    expect(Object(quote.body).items).toMatchObject([{ min_credits: 3, max_credits: 3 }])
    expect([real.status, real.headers.get('x-credits-charged')]).toEqual([202, '3'])
  })
})
