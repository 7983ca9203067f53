import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import express from 'express'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { type Listener, listen } from '../../../gateway/listeners/listener.ts'
import { createMetrics } from '../../../gateway/observability/metrics.ts'
import { type Admission, createAdmission } from '../../../gateway/overload/admission.ts'
import { createOverload, type Overload } from '../../../gateway/overload/overload.ts'
import { knownSender, recognizeSenders } from '../../../gateway/overload/sender.ts'
import { noteAccepted } from '../../../rest-facade/http/request-in-hand.ts'
import { publicHeaders } from '../../../rest-facade/http/respond.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { whileHeld } from '../../support/database/held-transaction.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { createClient, type TestResponse } from '../../support/requests/client.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'
import { whenReady } from '../../support/time/when-ready.ts'

describe('a listener at its limit of requests in hand', () => {
  let backend: StubBackend
  let gateway: TestGateway
  beforeAll(async () => {
    backend = await startStubBackend()
    gateway = await startTestGateway({
      MAX_CONCURRENT_REQUESTS: '2',
      BACKEND_CONTACT_FINDER_URL: backend.url,
    })
  })
  afterAll(async () => {
    await gateway.close()
    await backend.close()
  })

  test('refuses another one at once and for free, answers probes, and accepts again when one ends', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount({ credits: 100 })
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
    backend.answer(async (_, res) => {
      await finished
      sendBackendJson(res, 200, { contact_id: 'con_1' })
    })
    const reveal = () => gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)
    const calls = Promise.all([reveal(), reveal()])
    await vi.waitUntil(() => backend.received.length === 2, patience)

    const refused = await gateway.live.get('/v1/account', liveKey)
    const third = await reveal()

    for (const response of [refused, third]) {
      expectError(gateway, response, { status: 503, code: 'SERVICE_UNAVAILABLE' })
      expect(response.headers.get('retry-after')).toBe('1')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
    }
    expect((await gateway.live.get('/v1/health')).status).toBe(200)
    expect((await whenReady(() => gateway.live.get('/v1/ready'))).status).toBe(200)
    expect((await whenReady(() => gateway.internal.get('/ready'))).status).toBe(200)
    // The other environment has room of its own.
    expect((await gateway.sandbox.get('/v1/account', sandboxKey)).status).toBe(200)
    finish()
    expect((await calls).map(({ status }) => status)).toEqual([200, 200])
    expect(backend.received).toHaveLength(2)
    const credits = await gateway.live.get('/v1/account/credits', liveKey)
    expect(credits).toMatchObject({ status: 200, body: { balance: 90, held: 0 } })
    await vi.waitFor(async () => {
      const log = await gateway.live.get('/v1/account/usage/log', liveKey)
      const seen = Object(log.body).items.map(
        ({ endpoint, status }: { endpoint: string; status: number }) => `${status} ${endpoint}`,
      )
      // The caller is unknown when a request is refused, so no call is recorded.
      expect(seen.toSorted()).toEqual([
        '200 /v1/account/credits',
        ...Array(seen.length - 3).fill('200 /v1/account/usage/log'),
        '200 /v1/contacts/reveal',
        '200 /v1/contacts/reveal',
      ])
    }, patience)
  })
})

describe('a listener whose places are taken by one credential', () => {
  let backend: StubBackend
  let gateway: TestGateway
  beforeAll(async () => {
    backend = await startStubBackend()
    gateway = await startTestGateway({
      MAX_CONCURRENT_REQUESTS: '16',
      BACKEND_CONTACT_FINDER_URL: backend.url,
    })
  })
  afterAll(async () => {
    await gateway.close()
    await backend.close()
  })

  test('keeps an eighth of them for others, and all for it again when it has none', async () => {
    const greedy = await gateway.createAccount()
    const modest = await gateway.createAccount()
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
    backend.answer(async (_, res) => {
      await finished
      sendBackendJson(res, 200, {})
    })
    const reveal = ({ liveKey }: TestAccount) =>
      gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)
    const ofGreedy = Array.from({ length: 14 }, () => reveal(greedy))
    await vi.waitUntil(() => backend.received.length === 14, patience)

    const refused = await reveal(greedy)
    const ofModest = reveal(modest)
    await vi.waitUntil(() => backend.received.length === 15, patience)
    const second = await reveal(modest)
    const read = await gateway.live.get('/v1/account', greedy.liveKey)
    finish()

    for (const response of [refused, second, read]) {
      expectError(gateway, response, { status: 503, code: 'SERVICE_UNAVAILABLE' })
    }
    const answers = await Promise.all([...ofGreedy, ofModest])
    expect(answers.map(({ status }) => status)).toEqual(Array(15).fill(200))
    await vi.waitUntil(async () => {
      const again = await Promise.all(Array.from({ length: 14 }, () => reveal(greedy)))
      return again.every(({ status }) => status === 200)
    }, patience)
  })
})

describe('a listener that refuses because of overload', () => {
  const baseUrl = 'http://gateway.test'
  const listeners: Listener[] = []
  const sockets: Socket[] = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await Promise.all(listeners.splice(0).map((listener) => listener.close(0)))
  })

  async function startListener(overload: Pick<Overload, 'guard'>): Promise<Listener> {
    const listener = await listen({
      ...{ host: '127.0.0.1', port: 0, anonymousRps: 50, docsUrl: () => `${baseUrl}/docs` },
      ...{ overload, headers: publicHeaders('https://gateway.test') },
    })
    listeners.push(listener)
    return listener
  }

  const refusing = { guard: () => () => null }

  /** Sends the bytes, and reads until the connection is closed. */
  async function exchange({ port }: Listener, bytes: string): Promise<string> {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    socket.write(bytes)
    await once(socket, 'close')
    return text
  }

  test('answers with the headers of every other early answer', async () => {
    const listener = await startListener(refusing)
    const client = createClient(`http://127.0.0.1:${listener.port}`)
    const keep = { connection: 'keep-alive' }
    const starting = await startListener({ guard: () => () => knownSender })
    const ofStarting = createClient(`http://127.0.0.1:${starting.port}`)
    const unready = await ofStarting.get('/v1/account', undefined, keep)

    const refused = await client.get('/v1/account', undefined, keep)

    expectError({ baseUrl }, refused, {
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      message: 'There are more requests than the gateway can serve.',
    })
    const changing = ['content-length', 'x-request-id', 'x-ratelimit-reset', 'date']
    const fixed = ({ headers }: TestResponse) =>
      [...headers].filter(([name]) => !changing.includes(name))
    expect(fixed(refused)).toEqual(fixed(unready))
    expect([...refused.headers.keys()]).toEqual([...unready.headers.keys()])
    expect(Date.parse(refused.headers.get('date') ?? '')).not.toBeNaN()
  })

  test('answers each of many requests of a connection in turn, and keeps it open until one closes it', async () => {
    const listener = await startListener(refusing)
    const body = '{"contact_id":"con_1"}'
    const length = `Content-Length: ${body.length}`

    const text = await exchange(
      listener,
      `POST /v1/contacts/reveal HTTP/1.1\r\nHost: x\r\n${length}\r\n\r\n${body}` +
        'HEAD /v1/account HTTP/1.1\r\nHost: x\r\n\r\n' +
        'GET /v1/account HTTP/1.1\r\nHost: x\r\nIdempotency-Key: a-key-that-goes-first\r\n\r\n' +
        'GET /v1/account HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )

    const heads = text.match(/HTTP\/1\.1 503 Service Unavailable\r\n/g)
    const ids = [...text.matchAll(/X-Request-Id: (req_\w+)\r\n/g)].map(([, id]) => id)
    const named = [...text.matchAll(/"request_id":"(req_\w+)"/g)].map(([, id]) => id)
    expect(heads).toHaveLength(4)
    expect(new Set(ids).size).toBe(4)
    // HEAD has no body.
    expect(named).toEqual([ids[0], ids[2], ids[3]])
    expect(text.match(/Connection: (.+)\r\n/g)).toEqual([
      ...Array(3).fill('Connection: keep-alive\r\n'),
      'Connection: close\r\n',
    ])
  })

  test.each([
    ['of HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n'],
    ['while it stops', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('closes the connection of a request %s', async (reason, bytes) => {
    const listener = await startListener(refusing)
    if (reason === 'while it stops') listener.letGo()

    const text = await exchange(listener, bytes)

    expect(text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/)
    expect(text).toContain('Connection: close\r\n')
  })

  test('never refuses health and readiness', async () => {
    const listener = await startListener(refusing)
    listener.serve((_, res) => void res.end('{}'))
    const client = createClient(`http://127.0.0.1:${listener.port}`)

    for (const path of ['/v1/health', '/v1/health?backends=1', '/v1/ready']) {
      expect((await client.get(path)).status).toBe(200)
    }
    for (const path of ['/v1/healthy', '/metrics', '/ready', '/live']) {
      expect((await client.get(path)).status).toBe(503)
    }
  })
})

describe('a process whose event loop is late', () => {
  test('refuses new requests while 96 are at work, not the probes, and serves again when it is in time', async () => {
    const log = createLog({ level: 'silent', format: 'json' })
    const overload = createOverload({
      maxRequests: 1000,
      maxDelayMs: 20,
      log,
      metrics: createMetrics(),
    })
    const listener = await listen({
      ...{ host: '127.0.0.1', port: 0, anonymousRps: 50, docsUrl: () => 'http://x/docs', overload },
    })
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
    let taken = 0
    listener.serve(async (req, res) => {
      taken += 1
      if (req.url === '/slow') await finished
      res.end('{}')
    })
    const client = createClient(`http://127.0.0.1:${listener.port}`)
    const slow = Array.from({ length: 96 }, () => client.get('/slow'))
    await vi.waitUntil(() => taken === 96, patience)
    let isLate = true
    function delay(): void {
      const untilMs = performance.now() + 40
      while (performance.now() < untilMs);
      if (isLate) globalThis.setImmediate(delay)
    }

    expect((await client.get('/v1/account')).status).toBe(200)
    delay()
    await vi.waitUntil(async () => (await client.get('/v1/account')).status === 503, patience)
    const withKey = await client.post('/v1/account', {}, 'key', { 'idempotency-key': 'first' })
    const probe = await client.get('/v1/ready')
    isLate = false
    finish()

    expect(withKey.status).toBe(503)
    expect(probe.status).toBe(200)
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual(Array(96).fill(200))
    expect((await client.get('/v1/account')).status).toBe(200)
    overload.close()
    await listener.close(0)
  })
})

describe('a process with a bound of 64 requests at work', () => {
  const customers = Array.from({ length: 10 }, (_, customer) => `customer-${customer}`)
  const names = new Set(customers.map(sha256))
  let listener: Listener
  let overload: Overload
  /** Ends the look-ups of unknown keys. */
  let find: () => void
  beforeEach(async () => {
    overload = createOverload({
      ...{ maxRequests: 1000, maxDelayMs: 20, admission: boundedAdmission() },
      ...{ log: createLog({ level: 'silent', format: 'json' }), metrics: createMetrics() },
      senderOf: recognizeSenders({ has: (name) => names.has(name) }),
    })
    listener = await listen({
      ...{ host: '127.0.0.1', port: 0, anonymousRps: 50, docsUrl: () => 'http://x/docs', overload },
    })
    const found = Promise.withResolvers<void>()
    find = found.resolve
    const app = express().set('trust proxy', '127.0.0.1')
    listener.serve(async (req, res) => {
      const isKnown = names.has(sha256((req.headers.authorization ?? '').replace('Bearer ', '')))
      if (isKnown) noteAccepted(res)
      else await found.promise
      res.statusCode = isKnown ? 200 : 401
      res.end('{}')
    }, app)
  })
  afterEach(async () => {
    overload.close()
    await listener.close(0)
  })

  /**
   * An admission with a bound. Its clock stands still, so the bound stays as it is, however fast
   * this machine is.
   */
  function boundedAdmission(): Admission {
    const admission = createAdmission(20)
    for (const nowMs of [-300, -150, 0]) admission.noteDelay(nowMs, 40, 64)
    return {
      noteDelay() {},
      isBounded: () => admission.isBounded(0),
      admits: (_nowMs, asked, atWork) => admission.admits(0, asked, atWork),
    }
  }

  const client = () => createClient(`http://127.0.0.1:${listener.port}`)

  /** Sends strangers' requests of one address; `refused` counts those that are answered at once. */
  function attack(address: string, keyOf: (request: number) => string, requests: number) {
    const counts = { refused: 0, unknown: 0 }
    const headers = { 'x-forwarded-for': address }
    const answers = Array.from({ length: requests }, async (_, request) => {
      const { status } = await client().get('/v1/account', keyOf(request), headers)
      if (status === 503) counts.refused += 1
      if (status === 401) counts.unknown += 1
    })
    return { counts, done: Promise.all(answers) }
  }

  test.each([
    ['another key each', (request: number) => `invented-${request}`],
    ['one key', () => 'invented'],
  ])(
    'looks up a tenth of it for a client of strangers with %s, a quarter for all, and serves known callers',
    async (_keys, keyOf) => {
      const first = attack('192.0.2.1', keyOf, 256)
      await vi.waitUntil(() => first.counts.refused === 256 - 7, patience)
      const others = Array.from({ length: 9 }, (_, other) =>
        attack(`2001:db8:0:${other}::1`, keyOf, 1),
      )
      const calls = customers.flatMap((customer) => Array.from({ length: 4 }, () => customer))
      const served = await Promise.all(calls.map((key) => client().get('/v1/account', key)))

      expect(served.map(({ status }) => status)).toEqual(calls.map(() => 200))
      const late = attack('192.0.2.2', keyOf, 10)
      await vi.waitUntil(() => late.counts.refused === 10, patience)
      find()
      await Promise.all([first, late, ...others].map(({ done }) => done))
      expect(first.counts).toEqual({ refused: 249, unknown: 7 })
      expect(others.map(({ counts }) => counts)).toEqual(
        others.map(() => ({ refused: 0, unknown: 1 })),
      )
      // The places of the ended requests are free again.
      await vi.waitUntil(
        async () => (await client().get('/v1/account', keyOf(0))).status === 401,
        patience,
      )
    },
  )
})

describe('a commit that takes long', () => {
  let database: TestDatabase
  let gateway: TestGateway
  beforeAll(async () => {
    database = await createTestDatabase()
    gateway = await startTestGateway({ MAX_QUEUE_DELAY_MS: '20' }, { database })
    await database.query(
      `CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS
         'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END';
       CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON account.hold DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION public.wait()`,
    )
  })
  afterAll(async () => {
    await gateway.close()
    await database.drop()
  })

  test('is no overload: 200 calls wait for it, and all are served and charged', async () => {
    const owners = await Promise.all(
      Array.from({ length: 10 }, () => gateway.createAccount({ credits: 100 })),
    )
    const reveal = ({ liveKey }: TestAccount) =>
      gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)

    async function sendAll() {
      const calls: Promise<TestResponse>[] = []
      for (let round = 0; round < 20; round += 1) {
        for (const owner of owners) {
          calls.push(reveal(owner))
          // The client is in the process of the gateway, and must not delay it.
          await setImmediate()
        }
      }
      return Promise.all(calls)
    }
    const answers = await whileHeld(database, ['SELECT pg_advisory_xact_lock(1)', []], {
      started: sendAll,
      waiting: 1,
      patientMs: 300,
    })

    expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(200))
    for (const { liveKey } of owners) {
      const credits = await gateway.live.get('/v1/account/credits', liveKey)
      expect(credits).toMatchObject({ status: 200, body: { balance: 0, held: 0 } })
    }
  })
})
