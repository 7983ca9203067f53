import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openGraph } from '../../../gateway/launch/supergraph/graph.ts'
import type { AccountCaller, InternalCaller } from '../../../schema/credentials/caller.ts'
import { deriveKey } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestAccount, type TestGateway } from '../../support/gateway/gateway.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { sendBackendJson, startStubBackend } from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const path = '/v1/billing/notifications/simulated'
const taken = { status: 200, body: { received: true } }
const gatewaySecret = 'a secret for tests, long enough to pass'
const key = deriveKey(gatewaySecret, 'payment-notification')

type Environment = 'live' | 'sandbox'

/** Buys 1000 credits; the state of the payment is never polled afterwards. */
async function buy(
  { id, liveKey, sandboxKey }: TestAccount,
  paymentMethod: string,
  environment: Environment = 'live',
): Promise<{ readonly id: string; readonly status: string }> {
  const bearer = environment === 'live' ? liveKey : sandboxKey
  const order = { package_id: 'pack_starter', payment_method: paymentMethod }
  const { status, body } = await gateway[environment].post('/v1/billing/checkout', order, bearer)
  expect(status).toBe(201)
  await gateway.database.query(
    `UPDATE account.payment SET ask_at = now() + interval '1 day' WHERE account_id = $1`,
    [id],
  )
  return Object(body)
}

/** A payment that the provider has not decided, and will not by itself. */
async function buyUndecided(account: TestAccount, environment?: Environment): Promise<string> {
  const { id } = await buy(account, 'simulated_declined', environment)
  await gateway.database.query(
    `UPDATE account.payment SET status = 'pending', failure_reason = NULL, settled_at = NULL
     WHERE id = $1`,
    [id],
  )
  return id
}

async function effectOf({ id }: TestAccount, environment: Environment = 'live'): Promise<object> {
  const [row] = await gateway.database.query<object>(
    `SELECT array(SELECT status FROM account.payment
         WHERE account_id = $1 AND environment = $2) AS payments,
       (SELECT count(*)::int FROM account.invoice
         WHERE account_id = $1 AND environment = $2) AS invoices,
       array(SELECT credits::int FROM account.ledger_entry
         WHERE account_id = $1 AND environment = $2 AND kind = 'purchase') AS purchases`,
    [id, environment],
  )
  return row ?? {}
}

const undecided = { payments: ['pending'], invoices: 0, purchases: [] }
const oncePaid = { payments: ['paid'], invoices: 1, purchases: [1000] }

function payloadOf(payment_id: string, outcome: object = { status: 'succeeded' }): string {
  return `${JSON.stringify({ payment_id, outcome, note: 'größer — \u{1F4B3}' }, null, 1)}\n`
}

interface NotifyOptions {
  readonly environment?: Environment
  readonly key?: Uint8Array
  readonly ageSeconds?: number
  /** The signed body, if it differs from the sent one. */
  readonly signed?: string
}

function notify(payload: string, options: NotifyOptions = {}): Promise<TestResponse> {
  const { environment = 'live', ageSeconds = 0, signed = payload } = options
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds
  const hmac = createHmac('sha256', options.key ?? key).update(`${timestamp}.${signed}`)
  const headers = { 'simulated-signature': `t=${timestamp},v1=${hmac.digest('hex')}` }
  return gateway[environment].post(path, payload, undefined, headers)
}

describe('POST /v1/billing/checkout by', () => {
  test.each([
    ['simulated_slow', 'live'],
    ['simulated_slow', 'sandbox'],
    ['simulated_duplicated', 'live'],
    ['simulated_duplicated', 'sandbox'],
  ] as const)('%s in %s is settled by its notification, once', async (method, environment) => {
    const account = await gateway.createAccount()
    const other = environment === 'live' ? 'sandbox' : 'live'

    const { status } = await buy(account, method, environment)

    expect(status).toBe('pending')
    await vi.waitFor(
      async () => expect(await effectOf(account, environment)).toEqual(oncePaid),
      patience,
    )
    expect(await effectOf(account, other)).toEqual({ payments: [], invoices: 0, purchases: [] })
    await expectExactBooks(gateway)
  })

  test.each([
    ['simulated', 0],
    ['simulated_declined', 0],
    ['simulated_slow', 1],
    ['simulated_duplicated', 10],
  ])('%s notifies %i times over HTTP, each time signed', async (paymentMethod, count) => {
    const database = await createTestDatabase()
    const receiver = await startStubBackend()
    receiver.answer((_, res) => sendBackendJson(res, 503, {}))
    const graph = await openGraph({
      ...database,
      databaseTimeoutMs: 30_000,
      gatewaySecret,
      keyPrefix: 'svc',
      baseUrls: { live: 'http://live.test', sandbox: 'http://sandbox.test' },
      docsUrl: 'http://docs.test',
      billing: { period: 'P1M', lowCreditsThresholds: [] },
      oauth: {
        refreshGraceSeconds: 0,
        sessionHours: 12,
        stepUpMinutes: 30,
      },
      payments: {
        simulatesLive: true,
        notificationUrls: { live: `${receiver.url}/live`, sandbox: receiver.url },
      },
      invalidate: () => {},
      warn: () => {},
    })
    const base = { environment: 'live', requestId: 'req_test', traceId: '', address: null } as const
    const admin: InternalCaller = { ...base, kind: 'internal', role: 'admin', tokenId: 'tok_test' }
    const input = { name: 'T', email: 't@example.com', credits: 10 }
    const { account } = Object(await graph.execute('CreateAccount', { input }, admin))
    const accountId: string = account.id
    const caller: AccountCaller = { ...base, kind: 'account', accountId, keyId: '', scopes: [] }
    const buyBy = async (method: string): Promise<{ id: string }> => {
      const order = { package_id: 'pack_starter', payment_method: method }
      return Object(await graph.execute('Checkout', order, caller))
    }

    const { id } = await buyBy(paymentMethod)
    // The notification of this second payment comes after all of the first one's.
    const last = await buyBy('simulated_slow')

    const told = (paymentId: string) =>
      receiver.received.filter(({ body }) => JSON.parse(body).payment_id === paymentId)
    await vi.waitUntil(() => told(last.id).length === 1 && told(id).length >= count, patience)
    expect(told(id)).toHaveLength(count)
    for (const { method, path: sentTo, headers, body } of told(id)) {
      expect([method, sentTo]).toEqual(['POST', '/live/simulated'])
      expect(headers['content-type']).toBe('application/json')
      const signature = String(headers['simulated-signature'])
      const [, timestamp] = /^t=(\d+),/.exec(signature) ?? []
      const hmac = createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex')
      expect(signature).toBe(`t=${timestamp},v1=${hmac}`)
    }
    await graph.close()
    await receiver.close()
    await database.drop()
  })
})

describe(`POST ${path}`, () => {
  test('adds one entry and one invoice when it is sent ten times in parallel', async () => {
    const account = await gateway.createAccount()
    const payload = payloadOf(await buyUndecided(account))

    const answers = await Promise.all(Array.from({ length: 10 }, () => notify(payload)))

    for (const answer of answers) expect(answer).toMatchObject(taken)
    expect(await effectOf(account)).toEqual(oncePaid)
    await expectExactBooks(gateway)
  })

  test('adds one entry and one invoice when it is sent ten times while the provider is asked too', async () => {
    const account = await gateway.createAccount()
    const id = await buyUndecided(account)
    await gateway.database.query(
      `UPDATE account.payment SET payment_method = 'simulated', ask_at = now() WHERE id = $1`,
      [id],
    )

    const answers = await Promise.all(Array.from({ length: 10 }, () => notify(payloadOf(id))))

    for (const answer of answers) expect(answer).toMatchObject(taken)
    expect(await effectOf(account)).toEqual(oncePaid)
    await expectExactBooks(gateway)
  })

  test('changes nothing when it contradicts a settled payment', async () => {
    const account = await gateway.createAccount()
    const id = await buyUndecided(account)
    const failed = { status: 'failed', reason: 'Too late.' }

    await notify(payloadOf(id))
    const late = await notify(payloadOf(id, failed))

    expect(late).toMatchObject(taken)
    expect(await effectOf(account)).toEqual(oncePaid)
  })

  test('of a failure adds nothing, whatever follows', async () => {
    const account = await gateway.createAccount()
    const id = await buyUndecided(account)

    await notify(payloadOf(id, { status: 'failed', reason: 'The card was declined.' }))
    const late = await notify(payloadOf(id))

    expect(late).toMatchObject(taken)
    expect(await effectOf(account)).toEqual({ ...undecided, payments: ['failed'] })
  })

  test('of an unknown payment is accepted', async () => {
    expect(await notify(payloadOf(newId('pay')))).toMatchObject(taken)
  })

  test('settles nothing of the other environment', async () => {
    const account = await gateway.createAccount()
    const live = await buyUndecided(account)
    const sandbox = await buyUndecided(account, 'sandbox')

    const answers = [
      await notify(payloadOf(live), { environment: 'sandbox' }),
      await notify(payloadOf(sandbox)),
    ]

    for (const answer of answers) expect(answer).toMatchObject(taken)
    expect(await effectOf(account)).toEqual(undecided)
    expect(await effectOf(account, 'sandbox')).toEqual(undecided)
  })

  test('with a foreign or an old signature is refused and changes nothing', async () => {
    const account = await gateway.createAccount()
    const id = await buyUndecided(account)
    const payload = payloadOf(id)
    const post = (signature: string) =>
      gateway.live.post(path, payload, undefined, { 'simulated-signature': signature })

    const answers = [
      await notify(payload, { signed: payload.trim() }),
      await notify(payload, { key: deriveKey(gatewaySecret, 'cursor') }),
      await notify(payload, { ageSeconds: 310 }),
      await notify(payload, { ageSeconds: -310 }),
      await post(`t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`),
      await post('nonsense'),
      await gateway.live.post(path, payload),
      await gateway.live.post(path, '{'),
    ]

    for (const answer of answers) {
      const message = 'does not sign this body, or is older than 300 s'
      expectError(gateway, answer, {
        status: 422,
        code: 'INVALID_REQUEST',
        message: `Simulated-Signature: ${message}`,
        details: [{ field: 'Simulated-Signature', in: 'header', message }],
      })
    }
    expect(await effectOf(account)).toEqual(undecided)
    expect(await notify(payload, { ageSeconds: 290 })).toMatchObject(taken)
    expect(await effectOf(account)).toEqual(oncePaid)
  })

  test('is JSON of at most 1 MiB', async () => {
    const fits = `{"padding":"${'x'.repeat(1024 * 1024 - 14)}"}`
    const send = (headers: Record<string, string>, body: string) =>
      gateway.live.request(path, { method: 'POST', headers, body })
    const json = { 'content-type': 'application/json' }

    expectError(gateway, await send(json, `${fits} `), {
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
      message: 'The body exceeds 1 MiB.',
    })
    expect((await send(json, fits)).status).toBe(422)
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { ...json, 'content-encoding': 'gzip' },
    ]) {
      const answer = await send(headers, '{}')
      expectError(gateway, answer, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' })
    }
  })

  test.each(['stripe', 'nobody', 'Simulated', '__proto__'])(
    'does not exist for %s, which collects nothing',
    async (provider) => {
      const account = await gateway.createAccount()
      const payload = payloadOf(await buyUndecided(account))

      const answer = await gateway.live.post(`/v1/billing/notifications/${provider}`, payload)

      const message = 'No payment provider is there.'
      expectError(gateway, answer, { status: 404, code: 'NOT_FOUND', message })
      expect(await effectOf(account)).toEqual(undecided)
    },
  )
})
