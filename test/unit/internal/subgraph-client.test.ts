import { parse } from 'graphql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createSubgraphClient,
  type SubgraphClient,
} from '../../../gateway/internal/subgraph-client.ts'
import { isOutage, NotBegun } from '../../../rest-facade/http/errors.ts'
import { callerKey } from '../../../schema/credentials/caller-token.ts'
import { SpentTime, spending } from '../../../schema/process/spent-time.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

const caller = { kind: 'service', environment: 'live', requestId: '', traceId: '' } as const
const read = parse('query Read { accounts { id } }')
const change = parse('mutation Change { charge }')
/** Exchanges with one instance; more wait. */
const mostAtOnce = 128
const refusal = { error: { code: 'SERVICE_UNAVAILABLE', message: 'The gateway is starting.' } }

describe('a subgraph of two instances', () => {
  let instances: readonly [StubBackend, StubBackend]
  let client: SubgraphClient
  beforeEach(async () => {
    instances = [await startStubBackend(), await startStubBackend()]
    for (const instance of instances) instance.answer(well)
    client = open(instances)
  })
  afterEach(async () => {
    await client.close()
    for (const instance of instances) await instance.close()
  })

  const well: Parameters<StubBackend['answer']>[0] = ({ path }, res) =>
    sendBackendJson(res, 200, path === '/ready' ? {} : { data: { result: 'done' } })
  const silent = () => {}
  /** An answer that a proxy in between might send. */
  const strange: Parameters<StubBackend['answer']>[0] = (_request, res) =>
    void res.writeHead(502, { 'Content-Type': 'text/html' }).end('<html>')
  /** No answer to any document: it has neither what was asked for nor an error. */
  const empty: Parameters<StubBackend['answer']>[0] = (_request, res) =>
    sendBackendJson(res, 200, { data: null })
  const cut: Parameters<StubBackend['answer']>[0] = (_request, res) => void res.destroy()

  function open(of: readonly StubBackend[], timeoutMs = 60_000): SubgraphClient {
    const keys = [callerKey(Buffer.alloc(32, 1))]
    return createSubgraphClient({
      ...{ name: 'account', urls: of.map(({ url }) => url), timeoutMs },
      keys: () => keys,
    })
  }

  const ask = (document = read, variables = {}) => client.send({ document, variables, caller })
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => error,
    )
  const asked = ({ received }: StubBackend) => received.filter(({ path }) => path === '/graphql')
  const probed = ({ received }: StubBackend) => received.filter(({ path }) => path === '/ready')
  const total = () => asked(instances[0]).length + asked(instances[1]).length

  test('repeats a failed read on the other instance, whatever the reason', async () => {
    for (const trouble of [cut, strange, empty]) {
      instances[0].answer(trouble)
      for (let count = 0; count < 2; count += 1) {
        expect(await ask()).toEqual({ data: { result: 'done' } })
      }
    }
  })

  test('repeats a read without a timely answer on the other instance, never on the same', async () => {
    await client.close()
    client = open(instances, 1000)
    instances[0].answer(silent)
    expect(await ask()).toEqual({ data: { result: 'done' } })
    expect(await ask()).toEqual({ data: { result: 'done' } })
    await client.close()

    client = open([instances[0]], 1000)
    const before = asked(instances[0]).length
    expect(isOutage(await failureOf(ask()))).toBe(true)
    expect(asked(instances[0])).toHaveLength(before + 1)
  })

  test('gives a field that waits for servers of others its own time, whose end opens no circuit', async () => {
    await client.close()
    const fetching = parse('query Fetch { result: document { id } }')
    const keys = [callerKey(Buffer.alloc(32, 1))]
    client = createSubgraphClient({
      ...{ name: 'oauth', urls: [instances[0].url], keys: () => keys, timeoutMs: 500 },
      waiting: { fields: new Set(['document']), ms: 1000 },
    })
    instances[0].answer(silent)
    const begunAtMs = performance.now()

    const failures = await Promise.all(Array.from({ length: 6 }, () => failureOf(ask(fetching))))

    expect(failures.every(isOutage)).toBe(true)
    // Timers may be a millisecond early.
    expect(performance.now() - begunAtMs).toBeGreaterThanOrEqual(1490)
    instances[0].answer(well)
    expect(await ask()).toEqual({ data: { result: 'done' } })
    expect(probed(instances[0])).toEqual([])
  })

  test('counts the time of an exchange that ends without an answer, because the instance may have worked all that time', async () => {
    await client.close()
    client = open([instances[0]], 1000)
    instances[0].answer(silent)
    const spent = new SpentTime('acc_1')

    const failure = await spending(spent, () => failureOf(ask(change)))

    expect(isOutage(failure)).toBe(true)
    // Timers may be a millisecond early.
    expect(spent.ms).toBeGreaterThanOrEqual(990)
  })

  test('counts nothing for an exchange that has not begun, or whose answer says nothing', async () => {
    const spent = new SpentTime('acc_1')
    await spending(spent, () => ask())
    for (const instance of instances) await instance.close()

    const failure = await spending(spent, () => failureOf(ask(change)))

    expect(Object(failure).cause).toBeInstanceOf(NotBegun)
    expect(spent.ms).toBe(0)
  })

  test('counts that time for the request of the exchange, not for one whose end let it begin', async () => {
    await client.close()
    client = open([instances[0]], 3000)
    const held: (() => void)[] = []
    instances[0].answer((_request, res) => {
      if (held.length < mostAtOnce) held.push(() => sendBackendJson(res, 200, { data: {} }))
    })
    const first = new SpentTime('acc_1')
    const others = Array.from({ length: mostAtOnce }, () => spending(first, () => ask(change)))
    await vi.waitUntil(() => held.length === mostAtOnce, patience)
    const behind = new SpentTime('acc_1')

    const failure = spending(behind, () => failureOf(ask(change)))
    for (const answer of held) answer()
    await Promise.all(others)

    expect(isOutage(await failure)).toBe(true)
    expect(first.ms).toBe(0)
    expect(behind.ms).toBeGreaterThanOrEqual(2990)
  })

  test('does not repeat a change that may have begun, and its failure says so', async () => {
    for (const instance of instances) instance.answer(cut)

    const failure = await failureOf(ask(change))

    expect(isOutage(failure)).toBe(true)
    expect(Object(failure).cause).toBeInstanceOf(Error)
    expect(Object(failure).cause).not.toBeInstanceOf(NotBegun)
    expect(total()).toBe(1)
  })

  test('repeats a change that was refused before it began; when both refuse, the failure says that it did not begin', async () => {
    instances[0].answer((_request, res) => sendBackendJson(res, 503, refusal))
    for (let count = 0; count < 2; count += 1) {
      expect(await ask(change)).toEqual({ data: { result: 'done' } })
    }
    const unknownCaller = { error: { code: 'AUTHENTICATION_REQUIRED' } }
    instances[1].answer((_request, res) => sendBackendJson(res, 401, unknownCaller))

    const failure = await failureOf(ask(change))

    expect(isOutage(failure)).toBe(true)
    expect(Object(failure).cause).toBeInstanceOf(NotBegun)
  })

  test('does not repeat a change after a 503 of an intermediary', async () => {
    const other = { message: 'upstream connect error or disconnect/reset before headers' }
    for (const instance of instances) {
      instance.answer((_request, res) => sendBackendJson(res, 503, other))
    }

    const failure = await failureOf(ask(change))

    expect(Object(failure).cause).not.toBeInstanceOf(NotBegun)
    expect(total()).toBe(1)
  })

  test('skips an instance that fails repeatedly, probes it, and uses it again when it is ready', async () => {
    const [sick, other] = instances
    sick.answer(cut)
    await vi.waitUntil(async () => {
      await ask()
      return probed(sick).length > 0
    }, patience)
    const before = asked(sick).length
    const otherBefore = asked(other).length
    for (let count = 0; count < 20; count += 1) await ask()
    expect(asked(sick)).toHaveLength(before)
    expect(asked(other)).toHaveLength(otherBefore + 20)

    sick.answer(well)

    await vi.waitUntil(async () => {
      await ask()
      return asked(sick).length > before
    }, patience)
  })

  test('skips a failing instance also when it is the only one, until it is ready', async () => {
    const [only] = instances
    await client.close()
    client = open([only])
    only.answer(cut)
    const failures = []
    for (let count = 0; count < 10; count += 1) failures.push(await failureOf(ask(change)))
    expect(asked(only)).toHaveLength(5)
    expect(failures.every(isOutage)).toBe(true)
    expect(Object(failures.at(-1)).cause).toBeInstanceOf(NotBegun)

    only.answer(well)

    await vi.waitUntil(async () => (await failureOf(ask(change))) === null, patience)
  })

  test('sends the text to an instance that does not know the hash after a restart', async () => {
    const unknown = {
      errors: [{ message: '?', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    }
    for (const instance of instances) {
      instance.answer(({ body }, res) => {
        const { query } = JSON.parse(body)
        sendBackendJson(res, 200, query ? { data: { result: query } } : unknown)
      })
    }

    const { data } = await ask(change)

    expect(data?.result).toContain('mutation Change')
    expect(total()).toBe(2)
  })

  test('does not count a request that is too large as an outage, so that its batch is split', async () => {
    const failure = await failureOf(ask(change, { items: 'x'.repeat(65 * 1024 * 1024) }))

    expect(failure).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
    expect(total()).toBe(0)
    expect(await ask(change)).toEqual({ data: { result: 'done' } })
  })
})
