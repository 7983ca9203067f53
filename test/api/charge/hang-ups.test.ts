import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { whileHeld } from '../../support/database/held-transaction.ts'
import { rounds, seed } from '../../support/extent/extent.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

const reveal = { method: 'POST', path: '/v1/contacts/reveal', body: { contact_id: 'con_1' } }

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly idempotencyKey?: string
}

/** The bytes of a request, to be cut where the test says. */
function bytesOf({ method, path, body, idempotencyKey }: Asked, { liveKey }: TestAccount): Buffer {
  const text = body ? JSON.stringify(body) : ''
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: gateway.example',
    `Authorization: Bearer ${liveKey}`,
    ...(body ? ['Content-Type: application/json', `Content-Length: ${text.length}`] : []),
    ...(idempotencyKey ? [`X-SVC-Idempotency-Key: ${idempotencyKey}`] : []),
    '',
    text,
  ]
  return Buffer.from(lines.join('\r\n'))
}

/** A connection of a client's own, which may go at any moment. */
async function dial(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

interface LogRow {
  readonly request_id: string
  readonly account_id: string
  readonly status: number
  readonly credits: number
}

async function logOf({ live }: TestGateway, { liveKey }: TestAccount, service = 'contacts') {
  const { body } = await live.get(`/v1/account/usage/log?service=${service}`, liveKey)
  return Object(body).items.map(({ status, credits }: LogRow) => `${status} for ${credits}`)
}

describe('a metered call whose client hangs up', () => {
  let backend: StubBackend
  let gateway: TestGateway
  beforeAll(async () => {
    backend = await startStubBackend()
    gateway = await startTestGateway({
      BACKEND_CONTACT_FINDER_URL: backend.url,
      BACKEND_PROMOTE_URL: backend.url,
    })
  })
  afterEach(() => expectExactBooks(gateway))
  afterAll(async () => {
    await gateway.close()
    await backend.close()
  })

  /** Has the backend keep every request until the test answers it. */
  function keepRequests(): ServerResponse[] {
    const kept: ServerResponse[] = []
    backend.received.length = 0
    backend.answer((_, res) => void kept.push(res))
    return kept
  }

  const creditsOf = async ({ liveKey }: TestAccount) =>
    (await gateway.live.get('/v1/account/credits', liveKey)).body

  test.each([
    ['200', 200, { balance: 95, held: 0, available: 95 }, '200 for 5'],
    ['404', 404, { balance: 100, held: 0, available: 100 }, '404 for 0'],
    ['500', 500, { balance: 100, held: 0, available: 100 }, '502 for 0'],
  ])(
    'is finished once its backend was asked, and logged and charged as usual: %s',
    async (_, status, credits, logged) => {
      const account = await gateway.createAccount({ credits: 100 })
      const kept = keepRequests()
      const socket = await dial(gateway.baseUrl)
      socket.write(bytesOf(reveal, account))
      await vi.waitUntil(() => kept.length === 1, patience)

      socket.resetAndDestroy()
      // The gateway has heard of it once it has answered a request that came later.
      await gateway.live.get('/v1/health')
      for (const res of kept) sendBackendJson(res, status, { contact_id: 'con_1' })

      await expect.poll(() => logOf(gateway, account), patience).toEqual([logged])
      expect(await creditsOf(account)).toMatchObject(credits)
      expect(backend.received).toHaveLength(1)
    },
  )

  test('POST /v1/promote/sends with 1000 recipients, cut off after 25 ms, five times, charges everything sent', async () => {
    const account = await gateway.createAccount({ credits: 10_000 })
    const recipients = Array.from({ length: 1000 }, (_, index) => `r${index}@acme.example`)
    const send = { subject: 'Free', body: 'For nothing', recipients }
    const kept = keepRequests()
    let sent = 0
    backend.answer((_, res) => {
      sent += 1000
      kept.push(res)
    })

    for (let call = 0; call < 5; call += 1) {
      const socket = await dial(gateway.baseUrl)
      socket.write(bytesOf({ method: 'POST', path: '/v1/promote/sends', body: send }, account))
      await vi.waitUntil(() => kept.length > call, patience)
      await sleep(25)
      socket.destroy()
    }
    await gateway.live.get('/v1/health')
    for (const res of kept) sendBackendJson(res, 202, { send_id: 'snd_1', recipients })

    const logged = Array.from({ length: 5 }, () => '202 for 1000')
    await expect.poll(() => logOf(gateway, account, 'promote'), patience).toEqual(logged)
    expect(sent).toBe(5000)
    expect(await creditsOf(account)).toMatchObject({ balance: 5000, held: 0 })
  })

  test('before its caller is known costs nothing, is not sent, and 499 is logged', async () => {
    const account = await gateway.createAccount({ credits: 100 })
    keepRequests()

    await whileHeld(gateway.database, ['LOCK TABLE keys.api_key IN ACCESS EXCLUSIVE MODE', []], {
      async started(untilOneWaits) {
        const socket = await dial(gateway.baseUrl)
        socket.write(bytesOf(reveal, account).subarray(0, -1))
        // Tasks of the gateway wait for the table too: only the look-up of the key counts.
        await untilOneWaits('FROM keys.api_key k')
        socket.resetAndDestroy()
        // The gateway has heard of it once it has answered a request that came later.
        await gateway.live.get('/v1/health')
      },
    })

    await expect.poll(() => logOf(gateway, account), patience).toEqual(['499 for 0'])
    expect(await creditsOf(account)).toMatchObject({ balance: 100, held: 0 })
    expect(backend.received).toHaveLength(0)
  })

  test('leaves the queue if it still waits for a place: nothing is sent or held, and 499 is logged', async () => {
    const account = await gateway.createAccount({ credits: 1000 })
    const kept = keepRequests()
    const others = await Promise.all(Array.from({ length: 8 }, () => gateway.createAccount()))
    const running = Array.from({ length: 128 }, (_, index) =>
      gateway.live.post(reveal.path, reveal.body, others[index % others.length]?.liveKey),
    )
    await vi.waitUntil(() => kept.length === 128, patience)
    const waiting = await Promise.all([dial(gateway.baseUrl), dial(gateway.baseUrl)])
    // The second one has sent the same call twice on its connection.
    for (const [index, socket] of waiting.entries()) {
      for (let call = 0; call <= index; call += 1) socket.write(bytesOf(reveal, account))
    }
    await vi.waitUntil(async () => Object(await creditsOf(account)).held === 3 * 5, patience)

    for (const socket of waiting) socket.destroy()

    // All 128 hang still.
    const gone = ['499 for 0', '499 for 0', '499 for 0']
    await expect.poll(() => logOf(gateway, account), patience).toEqual(gone)
    expect(await creditsOf(account)).toMatchObject({ balance: 1000, held: 0 })
    for (const res of kept) sendBackendJson(res, 200, { contact_id: 'con_1' })
    const statuses = (await Promise.all(running)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(backend.received).toHaveLength(128)
    expect(await creditsOf(account)).toMatchObject({ balance: 1000, held: 0 })
  })
})

/** How a client of the fuzz asks, and when it leaves; the numbers are shares of what there is. */
const cutCalls = fc.record({
  operation: fc.constantFrom('reveal', 'send', 'keywords'),
  recipients: fc.integer({ min: 1, max: 40 }),
  hasKey: fc.boolean(),
  /** Whether a call with a key is asked for again, until its answer is known. */
  isRetried: fc.boolean(),
  cut: fc.oneof(
    { weight: 2, arbitrary: fc.record({ sent: fc.double({ min: 0, max: 1, noNaN: true }) }) },
    { weight: 6, arbitrary: fc.record({ afterMs: fc.integer({ min: 0, max: 60 }) }) },
    { weight: 2, arbitrary: fc.record({ readBytes: fc.integer({ min: 1, max: 800 }) }) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  isReset: fc.boolean(),
  /** Whether the same connection has sent the same call just before. */
  isPipelined: fc.boolean(),
})

type CutCall = typeof cutCalls extends fc.Arbitrary<infer Call> ? Call : never

/** The effects of the backend: request id → credits, once for each key. */
interface Effects {
  readonly credits: Map<string, number>
  readonly asked: Set<string>
}

/**
 * Answers after a while, one time in eight with a failure; a retry with the same key gets the same.
 */
function workAndCount(backend: StubBackend, seed: number): Effects {
  const effects: Effects = { credits: new Map(), asked: new Set() }
  const byKey = new Map<string, object>()
  const whims = fc.sample(fc.record({ ms: fc.nat(20), fails: fc.nat(7), page: fc.boolean() }), {
    numRuns: 997,
    seed,
  })
  backend.answer(async ({ headers, path, body }, res) => {
    const requestId = String(headers['x-request-id'])
    const key = headers['idempotency-key']
    const whim = whims[effects.asked.size % whims.length]
    effects.asked.add(requestId)
    if (!whim) throw new Error('No whim.')
    await sleep(whim.ms)
    if (whim.fails === 0) return sendBackendJson(res, whim.page ? 500 : 404, {})
    const known = typeof key === 'string' ? byKey.get(key) : undefined
    const recipients = path === '/sends' ? JSON.parse(body).recipients : []
    const answer = known ?? { recipients, items: [] }
    if (typeof key === 'string') byKey.set(key, answer)
    const price = path === '/sends' ? recipients.length : path === '/reveal' ? 5 : 2
    if (!known) effects.credits.set(requestId, price)
    sendBackendJson(res, path === '/sends' ? 202 : 200, answer)
  })
  return effects
}

function askedBy({ operation, recipients, hasKey }: CutCall, index: number): Asked {
  const idempotencyKey = hasKey ? `cut-${index}` : undefined
  if (operation === 'reveal') return { ...reveal, idempotencyKey }
  if (operation === 'keywords') {
    return { method: 'GET', path: `/v1/seo/keywords?topic=t${index}`, idempotencyKey }
  }
  const addresses = Array.from({ length: recipients }, (_, number) => `r${number}@acme.example`)
  const body = { subject: 'Hello', body: 'Text', recipients: addresses }
  return { method: 'POST', path: '/v1/promote/sends', body, idempotencyKey }
}

/** Resolves when so many bytes came, or nothing more will come. */
async function read(socket: Socket, bytes: number): Promise<void> {
  let read = 0
  const { promise: enough, resolve } = Promise.withResolvers<void>()
  socket.on('data', (chunk: Buffer) => {
    read += chunk.length
    if (read >= bytes) resolve()
  })
  await Promise.race([enough, once(socket, 'close')])
}

async function askAndLeave(url: string, call: CutCall, bytes: Buffer): Promise<void> {
  const { cut, isReset, isPipelined } = call
  const socket = await dial(url)
  if (isPipelined) socket.write(bytes)
  const isWhole = cut === null || !('sent' in cut)
  socket.write(isWhole ? bytes : bytes.subarray(0, Math.floor(cut.sent * bytes.length)))
  if (cut === null) await read(socket, 1)
  else if ('readBytes' in cut) await read(socket, cut.readBytes)
  else await sleep('afterMs' in cut ? cut.afterMs : 0)
  if (isReset) socket.resetAndDestroy()
  else socket.destroy()
}

describe('calls that are cut off at any byte or moment, with and without idempotency keys', () => {
  const cases = rounds('HANG_UPS', { all: 60, nightly: 20_000 })
  let database: TestDatabase
  let backend: StubBackend
  beforeAll(async () => {
    database = await createTestDatabase()
    backend = await startStubBackend()
  })
  afterAll(async () => {
    await backend.close()
    await database.drop()
  })

  test(`TEST_SEED=${seed}: each call that the backend has done, and no other, is charged and logged`, async () => {
    const variables = {
      BACKEND_CONTACT_FINDER_URL: backend.url,
      BACKEND_PROMOTE_URL: backend.url,
      BACKEND_SEO_URL: backend.url,
      DRAIN_TIMEOUT_SECONDS: '120',
    }
    const gateway = await startTestGateway(variables, { database })
    const accounts = await Promise.all(
      Array.from({ length: 16 }, () => gateway.createAccount({ credits: 1_000_000 })),
    )
    const effects = workAndCount(backend, seed)
    const calls = fc.sample(cutCalls, { numRuns: cases, seed }).entries()

    async function client(): Promise<void> {
      for (const [index, call] of calls) {
        const account = accounts[index % accounts.length]
        if (!account) throw new Error('No account.')
        const asked = askedBy(call, index)
        await askAndLeave(gateway.baseUrl, call, bytesOf(asked, account))
        if (!call.hasKey || !call.isRetried) continue
        await vi.waitUntil(async () => {
          const { method, path, body } = asked
          const headers = { 'X-SVC-Idempotency-Key': `cut-${index}` }
          const options = { method, key: account.liveKey, body, headers }
          const { status } = await gateway.live.request(path, options)
          return status === 200 || status === 202
        }, patience)
      }
    }
    await Promise.all(Array.from({ length: 48 }, client))
    // The clients are gone, but the gateway finishes the calls that it has started.
    await gateway.close()

    const charges = await database.query<{ ref: string; credits: number }>(
      "SELECT ref, -delta::int AS credits FROM account.ledger_audit WHERE kind = 'charge'",
    )
    const log = await database.query<LogRow>(
      'SELECT request_id, account_id, status, credits::int AS credits FROM usage.usage_log',
    )
    const logged = new Map(log.map((row) => [row.request_id, row]))
    const byId = ([one]: [string, number], [other]: [string, number]) => (one < other ? -1 : 1)
    const charged = charges.map(({ ref, credits }): [string, number] => [ref, credits])
    expect(charged.sort(byId)).toEqual([...effects.credits].sort(byId))
    expect(
      [...effects.credits].filter(([id, credits]) => {
        const row = logged.get(id)
        return row?.credits !== credits || (row.status !== 200 && row.status !== 202)
      }),
    ).toEqual([])
    // A call that reached the backend is logged with its status; one that left before has 499, for
    // free.
    const gone = log.filter(({ status }) => status === 499)
    expect(gone.filter(({ request_id }) => effects.asked.has(request_id))).toEqual([])
    expect([...effects.asked].filter((id) => !logged.has(id))).toEqual([])
    expect(gone.length).toBeGreaterThan(0)
    expect(effects.credits.size).toBeGreaterThan(cases / 4)
    expect(await database.query('SELECT * FROM account.hold')).toEqual([])
    await expectExactBooks({ ...gateway, database })
    console.log(
      `${cases} calls cut off: ${effects.asked.size} sent, ${effects.credits.size} done and charged, ` +
        `${gone.length} gone before`,
    )
  })
})
