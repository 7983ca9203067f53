import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { chosen } from '../../support/extent/extent.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace, type Workplace } from '../../support/processes/workplace.ts'
import { createClient, type TestResponse } from '../../support/requests/client.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

/** With these times, only a test ends a call or a drain. */
const endless = {
  BACKEND_TIMEOUT_MS: '600000',
  HOLD_TTL_SECONDS: '3600',
  DRAIN_TIMEOUT_SECONDS: '3600',
}

/** Mistakes that no code of ours makes, on demand. */
const mishaps = `
  process.on('SIGUSR2', () => { void Promise.reject(new Error('nobody handled this')) })
  process.on('SIGHUP', () => { throw new Error('nobody caught this') })`

// Each test starts on the folder that the one before has left: a stop leaves nothing in the way.
describe('gateway start, signalled', () => {
  let place: Workplace
  let backend: StubBackend
  let finishCalls: () => void
  beforeAll(async () => {
    await compileProgram()
    place = openWorkplace()
    backend = await startStubBackend()
  })
  afterAll(async () => {
    await place.close()
    await backend.close()
  })

  /** A live call that its backend has in hand until `finishCalls()`. */
  async function callUnderWay(
    connection = 'close',
  ): Promise<{ answer: Promise<TestResponse | null> }> {
    const { promise, resolve } = Promise.withResolvers<void>()
    finishCalls = resolve
    backend.answer(async (_, res) => {
      await promise
      sendBackendJson(res, 200, { contact_id: 'con_1' })
    })
    const before = backend.received.length
    const { base_url, live_key } = place.demo()
    const answer = createClient(base_url)
      .post('/v1/contacts/reveal', { contact_id: 'con_1' }, live_key, { connection })
      .catch(() => null)
    await vi.waitUntil(() => backend.received.length > before, patience)
    return { answer }
  }

  /** A sandbox call that the simulator takes so long for; resolves to its status once it runs. */
  async function slowCallUnderWay(durationMs: number): Promise<{ status: Promise<number> }> {
    const { sandbox_url, sandbox_key } = place.demo()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const call = (scenario: string, connection: string) =>
      new Promise<number>((resolve) => {
        const sent = request(`${sandbox_url}/v1/contacts/reveal`, {
          method: 'POST',
          agent,
          headers: {
            authorization: `Bearer ${sandbox_key}`,
            'content-type': 'application/json',
            'x-sandbox-scenario': scenario,
            connection,
          },
        })
        sent.on('error', () => resolve(0))
        sent.on('response', (response) => {
          response.resume()
          void once(response, 'close').then(() => resolve(response.statusCode ?? 0))
        })
        sent.end('{"contact_id":"con_1"}')
      })
    // On a connection that is accepted already, a request is read before one that comes later.
    expect(await call('ok', 'keep-alive')).toBe(200)
    const status = call(`slow=${durationMs}`, 'close')
    expect((await createClient(sandbox_url).get('/v1/account', sandbox_key)).status).toBe(200)
    return { status }
  }

  test.each(chosen('signal', ['SIGTERM', 'SIGINT'] as const))(
    '%s finishes running requests and exits with 0',
    async (signal) => {
      const gateway = await place.start({ ...endless, BACKEND_CONTACT_FINDER_URL: backend.url })
      const { answer } = await callUnderWay()
      const sandbox = await slowCallUnderWay(500)

      gateway.signal(signal)
      await vi.waitUntil(() => isRefused(gateway.baseUrl), patience)
      finishCalls()

      expect(await answer).toMatchObject({ status: 200 })
      expect(await sandbox.status).toBe(200)
      expect(await gateway.finished).toMatchObject({ code: 0, signal: null })
      expect(place.postmasters()).toEqual([])
    },
  )

  test('SIGTERM finishes and charges a call whose client has hung up', async () => {
    const gateway = await place.start({ ...endless, BACKEND_CONTACT_FINDER_URL: backend.url })
    const { live_key } = place.demo()
    const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>()
    const { promise: arrived, resolve: hasArrived } = Promise.withResolvers<string>()
    backend.answer(async ({ headers }, res) => {
      hasArrived(String(headers['x-request-id']))
      await mayAnswer
      sendBackendJson(res, 200, { contact_id: 'con_1' })
    })
    const hangUp = new AbortController()
    const lost = fetch(`${gateway.baseUrl}/v1/contacts/reveal`, {
      method: 'POST',
      headers: { authorization: `Bearer ${live_key}`, 'content-type': 'application/json' },
      body: '{"contact_id":"con_1"}',
      signal: hangUp.signal,
    })
    const requestId = await arrived
    hangUp.abort()
    await expect(lost).rejects.toThrow()

    gateway.signal('SIGTERM')
    await vi.waitUntil(() => isRefused(gateway.baseUrl), patience)
    letAnswer()

    expect(await gateway.finished).toMatchObject({ code: 0, signal: null })
    const again = await place.start()
    // The first process tries to write it for three seconds; after that the next one writes it.
    const entry = await vi.waitUntil(async () => {
      const { body } = await createClient(again.baseUrl).get('/v1/account/usage/log', live_key)
      return Object(body).items.find(
        ({ request_id }: { request_id: string }) => request_id === requestId,
      )
    }, patience)
    expect(entry).toMatchObject({ status: 200, credits: 5 })
    again.signal('SIGTERM')
    expect(await again.finished).toMatchObject({ code: 0, signal: null })
  })

  test('counts the same signal twice within two seconds, to the whole group, as one', async () => {
    const gateway = await place.start({ ...endless, BACKEND_CONTACT_FINDER_URL: backend.url })
    const { answer } = await callUnderWay()

    // All at once: however slow the machine, it hears them together.
    gateway.signalGroup('SIGINT')
    gateway.signal('SIGTERM')
    gateway.signalGroup('SIGINT')
    await vi.waitUntil(() => isRefused(gateway.baseUrl), patience)
    expect(place.postmasters()).toHaveLength(1)
    finishCalls()

    expect(await answer).toMatchObject({ status: 200 })
    expect(await gateway.finished).toMatchObject({ code: 0, signal: null })
    expect(place.postmasters()).toEqual([])
  })

  test('accepts requests during the shutdown notice; another signal two seconds later exits at once', async () => {
    const gateway = await place.start({
      ...endless,
      DRAIN_NOTICE_SECONDS: '1800',
      BACKEND_CONTACT_FINDER_URL: backend.url,
    })
    const { answer } = await callUnderWay()
    const live = createClient(gateway.baseUrl)
    const internal = createClient(gateway.internalUrl)
    await vi.waitUntil(async () => (await live.get('/v1/ready')).status === 200, patience)
    await vi.waitUntil(async () => (await internal.get('/ready')).status === 200, patience)

    gateway.signal('SIGTERM')
    const unready = await vi.waitUntil(async () => {
      const response = await live.get('/v1/ready')
      const { error } = Object(response.body)
      return Object(error).message === 'The gateway is stopping.' && response
    }, patience)
    // The program has heard the first signal; the rule is about time itself.
    const impatience = sleep(2100)

    expectError(gateway, unready, {
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      message: 'The gateway is stopping.',
    })
    expect(unready.headers.get('retry-after')).toBe('1')
    const health = await live.get('/v1/health', undefined, { connection: 'keep-alive' })
    expect(health).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect(health.headers.get('connection')).toBe('close')
    expect((await internal.get('/ready')).status).toBe(503)
    expect((await internal.get('/live')).status).toBe(200)
    await impatience
    expect(gateway.isRunning()).toBe(true)
    gateway.signal('SIGTERM')

    // Neither its call nor its drain has ended.
    expect(await gateway.finished).toMatchObject({ signal: null })
    finishCalls()
    expect(await answer).toBeNull()
  })

  test('logs uncaught failures, finishes running requests, and exits with 1', async () => {
    const gateway = await place.start({
      ...endless,
      BACKEND_CONTACT_FINDER_URL: backend.url,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(mishaps)}`,
    })
    const { answer } = await callUnderWay()

    gateway.signal('SIGUSR2')
    await vi.waitUntil(() => isRefused(gateway.baseUrl), patience)
    gateway.signal('SIGHUP')
    await vi.waitUntil(() => gateway.stderr().includes('nobody caught this'), patience)
    finishCalls()

    expect(await answer).toMatchObject({ status: 200 })
    const { code, signal, stderr } = await gateway.finished
    expect({ code, signal }).toEqual({ code: 1, signal: null })
    expect(stderr).toContain('nobody handled this')
    expect(place.postmasters()).toEqual([])
  })

  test('exits although a client keeps its connection open', async () => {
    const gateway = await place.start({ ...endless, BACKEND_CONTACT_FINDER_URL: backend.url })
    const { answer } = await callUnderWay('keep-alive')

    gateway.signal('SIGTERM')
    await vi.waitUntil(() => isRefused(gateway.baseUrl), patience)
    finishCalls()

    const answered = await answer
    expect(answered).toMatchObject({ status: 200 })
    expect(answered?.headers.get('connection')).toBe('close')
    // Sooner than an idle connection is closed for being idle, which takes 75 seconds.
    await vi.waitUntil(() => !gateway.isRunning(), { ...patience, timeout: 60_000 })
    expect(await gateway.finished).toMatchObject({ code: 0, signal: null })
  })

  test('a signal during the start stops it cleanly', async () => {
    const before = new Set(place.postmasters())
    const gateway = place.spawn(['start'])
    const hasNew = () => place.postmasters().some((pid) => !before.has(pid))
    await vi.waitUntil(hasNew, patience)

    gateway.signal('SIGTERM')

    expect(await gateway.finished).toMatchObject({ code: 0, signal: null })
    expect(place.postmasters()).toEqual([])
  })
})

/** Whether nobody accepts connections there. */
async function isRefused(url: string): Promise<boolean> {
  return await fetch(`${url}/v1/health`, { headers: { connection: 'close' } }).then(
    () => false,
    () => true,
  )
}
