import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  AccountSuspendedError,
  ConnectionError,
  createGateway,
  type Gateway,
  GatewayError,
  type GatewayOptions,
  isRateLimited,
  OAuthError,
} from '../../../sdk/src/index.ts'
import { createAccountOnTier } from '../../support/gateway/account-on-tier.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { plantGrant } from '../../support/oauth/oauth.ts'
import { readPdf } from '../../support/requests/pdf.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { createFakeClock } from '../../support/time/fake-clock.ts'
import { patience } from '../../support/time/patience.ts'

let stub: StubBackend
let running: TestGateway
beforeAll(async () => {
  stub = await startStubBackend()
  running = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: stub.url })
})
afterAll(async () => {
  await running.close()
  await stub.close()
})

const contact = {
  contact_id: 'con_5f1e0c7a9b3d2e48',
  full_name: 'Amara Okafor',
  job_title: 'Growth Lead',
  company_name: 'Acme Robotics',
  emails: ['a.okafor@acme.example'],
  phones: [],
  verified_at: '2026-10-01T09:30:00Z',
}
const reveal = { contact_id: contact.contact_id }

function connect(apiKey: GatewayOptions['apiKey'], options: Partial<GatewayOptions> = {}): Gateway {
  return createGateway({ apiKey, baseUrl: running.baseUrl, clock: createFakeClock(), ...options })
}

async function open(options: Partial<GatewayOptions> = {}) {
  const account = await running.createAccount()
  return { account, gateway: connect(account.liveKey, options) }
}

/** Loses so many answers, as a proxy that breaks off does. */
function losing(count: number): typeof fetch {
  let losses = count
  return async (...args) => {
    const response = await fetch(...args)
    if (losses-- > 0) throw new TypeError('terminated')
    return response
  }
}

function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(() => null).catch((reason: unknown) => reason)
}

/** Newest first, without the grant of the first balance. */
async function charges({ liveKey }: TestAccount): Promise<number[]> {
  const { data } = await connect(liveKey).billing.get()
  return data.recent_ledger.filter(({ kind }) => kind === 'charge').map(({ credits }) => credits)
}

describe('an answer', () => {
  test('has the body, the price, the limit and the id in the usage log', async () => {
    stub.answer((_, res) => sendBackendJson(res, 200, contact))
    const { gateway } = await open()

    const answer = await gateway.contacts.reveal(reveal)
    const log = await gateway.usage.listLog({ request_id: answer.requestId ?? '' })

    expect(answer).toMatchObject({
      data: contact,
      status: 200,
      credits: { charged: 5, remaining: 995 },
      rateLimit: { limitRps: 100, remaining: expect.any(Number), resetAt: expect.any(Date) },
      isReplay: false,
      tries: 1,
    })
    expect(log.data.items).toMatchObject([
      { request_id: answer.requestId, endpoint: '/v1/contacts/reveal', credits: 5, status: 200 },
    ])
    expect(log.credits).toBeNull()
  })

  test('may be a PDF', async () => {
    const { gateway } = await open()
    const { data: paid } = await gateway.billing.checkout({
      package_id: 'pack_starter',
      payment_method: 'simulated',
    })

    const answer = await gateway.billing.getInvoicePdf({ invoice_id: paid.invoice_id ?? '' })

    const { text, title } = await readPdf(new Uint8Array(await answer.data.arrayBuffer()))
    expect(answer.data.type).toBe('application/pdf')
    expect(title).toMatch(/^Invoice /)
    expect(text).toContain('Total 10.00 USD')
  })

  test('may be a file', async () => {
    const { gateway } = await open()
    const { data: job } = await gateway.audit.createExport({ kind: 'activity' })
    const finished = async () => (await gateway.audit.getExport({ job_id: job.id })).data
    await expect.poll(async () => (await finished()).status, patience).toBe('completed')

    const { result_url } = await finished()
    const { expires = '', signature = '' } = Object.fromEntries(
      new URL(result_url ?? '').searchParams,
    )
    const { data } = await gateway.audit.followExportLink({ job_id: job.id, expires, signature })

    expect(data.split('\r\n')[0]).toContain('action')
  })

  test('is given to an access token too', async () => {
    const account = await running.createAccount()
    const { accessToken } = await plantGrant(running, {
      ownerId: account.id,
      accountId: account.id,
      scopes: ['openid', 'account:read'],
    })

    const { data } = await connect(() => Promise.resolve(accessToken)).account.get()

    expect(data).toMatchObject({ id: account.id, environment: 'live' })
  })
})

describe('a call that fails temporarily', () => {
  test('is charged once when its backend fails at first', async () => {
    let count = 0
    stub.answer((_, res) => sendBackendJson(res, ++count < 3 ? 503 : 200, contact))
    const { account, gateway } = await open()

    const answer = await gateway.contacts.reveal(reveal)

    // For each attempt of the client the gateway makes two of its own.
    expect(answer).toMatchObject({ tries: 2, isReplay: false, credits: { charged: 5 } })
    expect(await charges(account)).toEqual([-5])
  })

  test('is charged once when its answer is lost', async () => {
    stub.answer((_, res) => sendBackendJson(res, 200, contact))
    const { account, gateway } = await open({ fetch: losing(2) })
    const reached = stub.received.length

    const answer = await gateway.contacts.reveal(reveal)

    expect(answer).toMatchObject({ data: contact, tries: 3, isReplay: true })
    expect(answer.credits).toEqual({ charged: 5, remaining: 995 })
    expect(stub.received.length - reached).toBe(1)
    expect(await charges(account)).toEqual([-5])
  })

  test('is charged once when it takes longer than the client waits', async () => {
    let finish = () => {}
    stub.answer((_, res) => {
      finish = () => sendBackendJson(res, 200, contact)
    })
    const seen: number[] = []
    const { account, gateway } = await open({
      ...{ maxRetries: 1000, totalTimeoutMs: 1e9 },
      async fetch(...args) {
        const response = await fetch(...args)
        seen.push(response.status)
        // The first one is known to run still; from now on it may finish.
        if (response.status === 409) finish()
        return response
      },
    })

    const answer = await gateway.contacts.reveal(reveal, { timeoutMs: 1000 })

    expect(answer).toMatchObject({ data: contact, isReplay: true })
    expect(seen).toContain(409)
    expect(await charges(account)).toEqual([-5])
  })

  test('is charged once when it only reads, and its answer is lost', async () => {
    const { account, gateway } = await open({ fetch: losing(1) })

    const answer = await gateway.seo.listKeywords({ topic: 'running shoes' })

    expect(answer).toMatchObject({ tries: 2, isReplay: true })
    expect(answer.credits).toEqual({ charged: 2, remaining: 998 })
    expect(await charges(account)).toEqual([-2])
  })

  test('issues one key on a route that issues keys', async () => {
    let losses = 1
    const { gateway } = await open({
      async fetch(...args) {
        const response = await fetch(...args)
        if (losses-- > 0) throw new TypeError('terminated')
        return response
      },
    })

    const { data, isReplay } = await gateway.keys.issue({ name: 'Once' })
    const { data: keys } = await gateway.keys.list()

    expect(isReplay).toBe(true)
    expect(data.plaintext).toMatch(/^svc_live_/)
    expect(keys.items.filter(({ name }) => name === 'Once')).toHaveLength(1)
  })
})

describe('a list', () => {
  test('is read completely while items are added and removed', async () => {
    const { gateway } = await open()
    const { trackKeyword, untrackKeyword, listTrackedKeywords } = gateway.subscription
    const ids = new Map<string, string>()
    for (const keyword of ['g', 'f', 'e', 'd', 'c', 'b', 'a']) {
      const { data } = await trackKeyword({ keyword, domain: 'shop.example' })
      ids.set(keyword, data.id)
    }

    const seen: string[] = []
    for await (const { keyword } of listTrackedKeywords.iterate({ limit: 2 })) {
      seen.push(keyword)
      if (keyword !== 'b') continue
      await trackKeyword({ keyword: 'new', domain: 'shop.example' })
      await untrackKeyword({ keyword_id: ids.get('d') ?? '' })
    }

    expect(seen).toEqual(['a', 'b', 'c', 'e', 'f', 'g'])
  })

  test('repeats its filters on each page', async () => {
    const { gateway } = await open()
    for (let i = 0; i < 3; i++) await gateway.account.get()
    await failureOf(gateway.keys.get({ key_id: 'key_none' }))

    const seen: unknown[] = []
    for await (const item of gateway.usage.listLog.iterate({ limit: 1, service: 'account' })) {
      seen.push(item.endpoint)
    }

    expect(seen).toEqual(['/v1/account', '/v1/account', '/v1/account'])
  })

  test('finds the calls of an end user', async () => {
    const { gateway } = await open()
    const { requestId } = await gateway.account.get({}, { endUser: 'user-1' })
    await gateway.account.get({}, { endUser: 'user-2' })

    const { data } = await gateway.usage.listLog({ end_user: 'user-1', extended: true })

    expect(data.items).toMatchObject([{ request_id: requestId, end_user: 'user-1' }])
  })

  test('fails when a page fails', async () => {
    const { gateway } = await open()
    const walk = async () => {
      for await (const item of gateway.usage.listLog.iterate({ limit: 999 })) return item
      return null
    }

    await expect(walk()).rejects.toMatchObject({ status: 422, code: 'INVALID_REQUEST' })
  })
})

describe('a refusal', () => {
  const refusals: readonly [number, string, (account: TestAccount) => Promise<unknown>][] = [
    [401, 'INVALID_API_KEY', () => connect('svc_live_nobody').account.get()],
    [
      402,
      'INSUFFICIENT_CREDITS',
      async () => {
        const { liveKey } = await running.createAccount({ credits: 1 })
        return connect(liveKey).contacts.reveal(reveal)
      },
    ],
    [
      403,
      'FORBIDDEN',
      async ({ id }) => {
        const { plaintext } = await running.createKey(id, { scopes: ['usage:read'] })
        return connect(plaintext).account.get()
      },
    ],
    [
      403,
      'IP_NOT_ALLOWED',
      async ({ id }) => {
        const { plaintext } = await running.createKey(id, { ipAllowlist: ['203.0.113.7'] })
        return connect(plaintext).account.get()
      },
    ],
    [404, 'NOT_FOUND', ({ liveKey }) => connect(liveKey).keys.get({ key_id: 'key_none' })],
    [409, 'CONFLICT', ({ liveKey }) => connect(liveKey).subscription.resume()],
    [
      413,
      'PAYLOAD_TOO_LARGE',
      ({ liveKey }) => connect(liveKey).keys.issue({ name: 'x'.repeat(2 ** 20) }),
    ],
    [
      502,
      'BACKEND_ERROR',
      ({ liveKey }) => {
        stub.answer((_, res) => void res.destroy())
        return connect(liveKey, { maxRetries: 0 }).contacts.reveal(reveal)
      },
    ],
  ]

  test('of a suspended account is an AccountSuspendedError with the contact', async () => {
    const { id, liveKey } = await running.createAccount()
    await running.graphql(
      'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
      { input: { id, status: 'SUSPENDED' } },
    )

    const error = await failureOf(connect(liveKey).account.get())

    expect(error).toBeInstanceOf(AccountSuspendedError)
    expect(error).toMatchObject({ status: 403, code: 'ACCOUNT_SUSPENDED', contact: null })
  })

  test.each(refusals)('of status %i is a GatewayError: %s', async (status, code, call) => {
    const error = await failureOf(call(await running.createAccount()))

    expect(error).toBeInstanceOf(GatewayError)
    expect(error).toMatchObject({
      status,
      code,
      documentationUrl: `${running.baseUrl}/docs/errors/${code}`,
      requestId: expect.stringMatching(/^req_/),
      details: [],
      tries: 1,
    })
  })

  test('of invalid input names every field', async () => {
    const { gateway } = await open()

    const error = await failureOf(gateway.keys.issue({ name: ' ', ip_allowlist: ['nowhere'] }))

    expect(error).toMatchObject({
      code: 'INVALID_REQUEST',
      details: [
        { field: 'name', in: 'body', message: 'must not be blank' },
        { field: 'ip_allowlist.0', in: 'body', message: 'is not an address or CIDR block' },
      ],
    })
  })

  test('of too many requests says when to try again', async () => {
    const { liveKey } = await createAccountOnTier(running, 'STARTER')
    const gateway = connect(liveKey, { maxRetries: 0 })

    // Ten windows cannot take them all.
    const calls = Array.from({ length: 101 }, () => failureOf(gateway.account.get()))
    const errors = (await Promise.all(calls)).filter((error) => error !== null)

    expect(errors.length).toBeGreaterThan(0)
    expect(errors.every(isRateLimited)).toBe(true)
    expect(errors[0]).toMatchObject({
      status: 429,
      retryAfterSeconds: 1,
      documentationUrl: `${running.baseUrl}/docs/rate-limits`,
    })
  })

  test('of the OAuth protocol is an OAuthError', async () => {
    const { gateway } = await open()

    const error = await failureOf(
      gateway.oauth.token({ grant_type: 'refresh_token', refresh_token: 'x', client_id: 'app_x' }),
    )

    expect(error).toBeInstanceOf(OAuthError)
    expect(error).toMatchObject({ status: 401, code: 'invalid_client', tries: 1 })
    expect(error).toHaveProperty('message', expect.stringMatching(/\S/))
  })

  test('is not made up when no answer arrived', async () => {
    const { gateway } = await open({
      maxRetries: 2,
      fetch: () => Promise.reject(new TypeError('x')),
    })

    const error = await failureOf(gateway.contacts.reveal(reveal))

    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({
      tries: 3,
      idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
  })
})
