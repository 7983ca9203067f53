import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import {
  isOfRoles,
  startTestGateway,
  type TestAccount,
  type TestGateway,
  variablesFor,
} from '../../support/gateway/gateway.ts'
import { startRoles } from '../../support/gateway/roles.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

/** OpenTelemetry Protocol, the JSON form: as much of a span as is looked at. */
const attribute = z.object({
  key: z.string(),
  value: z.object({ stringValue: z.string().optional(), intValue: z.number().optional() }),
})
const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  attributes: z.array(attribute),
  links: z.array(z.object({ traceId: z.string() })),
  status: z.object({ code: z.number() }),
  endTimeUnixNano: z.string(),
})
const exported = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
})
type Span = z.infer<typeof span>

const kinds = { internal: 1, server: 2, client: 3, consumer: 5 }
const failed = 2
const callerSpanId = '00f067aa0ba902b7'
const newTraceId = () => randomBytes(16).toString('hex')

function spansOf({ received }: StubBackend): Span[] {
  return received
    .flatMap(({ body }) => exported.parse(JSON.parse(body)).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
}

/** Variables that OpenTelemetry's SDK reads from the environment of this process, while it starts. */
async function whileSet<Started>(
  variables: Readonly<Record<string, string>>,
  start: (variables: Readonly<Record<string, string>>) => Promise<Started>,
): Promise<Started> {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  return start(variables).finally(() => vi.unstubAllEnvs())
}

/** One request with its answer and its lines of the log. */
interface Asked {
  readonly account: TestAccount
  readonly requestId: string
  readonly loggedTraceId: string
}

describe.skipIf(isOfRoles)('with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  let database: TestDatabase
  let backend: StubBackend
  let collector: StubBackend
  let gateway: TestGateway
  let spans: readonly Span[] = []
  /** The key of an account whose making is traced. */
  let tracedKey = ''
  const traceIds = {
    metered: newTraceId(),
    failed: newTraceId(),
    unsampled: newTraceId(),
    left: newTraceId(),
  }
  const asked = new Map<string, Asked>()

  async function reveal(name: string, traceparent?: string): Promise<void> {
    const account = await gateway.createAccount()
    const headers: Record<string, string> = traceparent === undefined ? {} : { traceparent }
    const body = { contact_id: 'con_5f1e0c7a9b3d2e48' }
    const response = await gateway.live.post('/v1/contacts/reveal', body, account.liveKey, headers)
    const log = await gateway.live.get('/v1/account/usage/log', account.liveKey)
    const requestId = response.headers.get('x-request-id') ?? ''
    const entry = Object(log.body).items.find(
      (item: { request_id: string }) => item.request_id === requestId,
    )
    asked.set(name, { account, requestId, loggedTraceId: entry.trace_id })
  }

  /** Hangs up once the backend has been asked; returns when the gateway has heard of that. */
  async function leave(traceparent: string): Promise<void> {
    const { liveKey } = await gateway.createAccount()
    const before = backend.received.length
    const hangUp = new AbortController()
    const left = fetch(`${gateway.baseUrl}/v1/contacts/reveal`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${liveKey}`,
        'content-type': 'application/json',
        traceparent,
      },
      body: JSON.stringify({ contact_id: 'con_1' }),
      signal: hangUp.signal,
    }).catch(() => {})
    await vi.waitUntil(() => backend.received.length > before, patience)
    hangUp.abort()
    await left
    await gateway.live.get('/v1/health')
  }

  beforeAll(async () => {
    database = await createTestDatabase()
    collector = await startStubBackend()
    backend = await startStubBackend()
    const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>()
    backend.answer(async ({ headers }, res) => {
      const traceparent = String(headers.traceparent)
      if (traceparent.includes(traceIds.left)) await mayAnswer
      sendBackendJson(res, traceparent.includes(traceIds.failed) ? 500 : 200, {})
    })
    const ofSdk = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=a%20key',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_SERVICE_NAME: 'gateway-under-test',
    }
    gateway = await whileSet(ofSdk, (set) =>
      startTestGateway({ ...set, BACKEND_CONTACT_FINDER_URL: backend.url }, { database }),
    )
    const input = { name: 'Traced', email: 'traced@example.com', credits: 0 }
    const { createAccount } = Object(
      await gateway.graphql(
        'mutation ($input: CreateAccountInput!) { createAccount(input: $input) { liveKey } }',
        { input },
      ),
    )
    tracedKey = createAccount.liveKey
    await reveal('metered', `00-${traceIds.metered}-${callerSpanId}-01`)
    await reveal('failed', `00-${traceIds.failed}-${callerSpanId}-01`)
    await reveal('unsampled', `00-${traceIds.unsampled}-${callerSpanId}-00`)
    await reveal('own')
    await leave(`00-${traceIds.left}-${callerSpanId}-01`)
    letAnswer()
    await vi.waitUntil(async () => {
      const metrics = await (await fetch(`${gateway.internal.url}/metrics`)).text()
      return metrics.includes('{operation="RecordAuditEvents",outcome="completed"}')
    }, patience)
    // Closing sends the remaining spans.
    await gateway.close()
    spans = spansOf(collector)
  })
  afterAll(async () => {
    await collector.close()
    await backend.close()
    await database.drop()
  })

  function ask(name: string): Asked {
    const found = asked.get(name)
    if (!found) throw new Error(`Nobody asked ${name}.`)
    return found
  }

  const traceOf = (traceId: string) => spans.filter((one) => one.traceId === traceId)
  const childrenOf = (parent: Span | undefined) =>
    spans.filter((one) => parent && one.parentSpanId === parent.spanId)
  const named = (name: string, among: readonly Span[]) => among.find((one) => one.name === name)
  const attributeOf = (one: Span | undefined, key: string) => {
    const value = one?.attributes.find((attribute) => attribute.key === key)?.value
    return value?.stringValue ?? value?.intValue
  }

  test('a metered call is one trace: server, operations, statements and backend, each below its cause', () => {
    const trace = traceOf(traceIds.metered)

    const server = named('POST /v1/contacts/reveal', trace)
    expect(server).toMatchObject({ kind: kinds.server, parentSpanId: callerSpanId })
    const below = childrenOf(server)
    const backendCall = named('POST contact-finder', below)
    expect(backendCall).toMatchObject({ kind: kinds.client })
    for (const [batch, operation] of [
      ['reserve', 'account ReserveBatch'],
      ['settle', 'account SettleBatch'],
    ] as const) {
      const [resolved] = childrenOf(named(batch, below))
      expect(resolved).toMatchObject({ name: operation, kind: kinds.internal })
      const [statement] = childrenOf(resolved)
      expect(statement).toMatchObject({ kind: kinds.client })
      expect(attributeOf(statement, 'db.system.name')).toBe('postgresql')
    }
    const ids = new Set([callerSpanId, ...trace.map(({ spanId }) => spanId)])
    expect(trace.filter(({ parentSpanId = '' }) => !ids.has(parentSpanId))).toEqual([])
  })

  test('a trace id is that of the caller, the usage log and the backend, whose parent is the backend call', () => {
    const { loggedTraceId, requestId, account } = ask('metered')
    const trace = traceOf(traceIds.metered)

    expect(loggedTraceId).toBe(traceIds.metered)
    const received = backend.received.find(({ headers }) => headers['x-request-id'] === requestId)
    const backendCall = named('POST contact-finder', trace)
    expect(received?.headers.traceparent).toBe(`00-${traceIds.metered}-${backendCall?.spanId}-01`)
    const server = named('POST /v1/contacts/reveal', trace)
    expect(attributeOf(server, 'gateway.request_id')).toBe(requestId)
    expect(attributeOf(server, 'gateway.account_id')).toBe(account.id)
    expect(attributeOf(server, 'http.response.status_code')).toBe(200)
  })

  test('a failing backend marks its span and the span of the request as failed', () => {
    const trace = traceOf(traceIds.failed)

    const server = named('POST /v1/contacts/reveal', trace)
    const backendCall = named('POST contact-finder', trace)
    expect([server?.status.code, backendCall?.status.code]).toEqual([failed, failed])
    expect(attributeOf(server, 'http.response.status_code')).toBe(502)
    expect(attributeOf(backendCall, 'http.response.status_code')).toBe(500)
  })

  test('a call whose client hung up is one trace with the status of its backend, and ends after it', () => {
    const trace = traceOf(traceIds.left)

    const server = named('POST /v1/contacts/reveal', trace)
    const backendCall = named('POST contact-finder', trace)
    expect(attributeOf(server, 'http.response.status_code')).toBe(200)
    expect(attributeOf(backendCall, 'http.response.status_code')).toBe(200)
    expect(server?.status.code).not.toBe(failed)
    const endOf = (one: Span | undefined) => BigInt(one?.endTimeUnixNano ?? 0)
    expect(endOf(server)).toBeGreaterThan(endOf(backendCall))
  })

  test('a trace that its caller does not sample is sampled like any other, and keeps its id', () => {
    const { loggedTraceId, requestId } = ask('unsampled')

    expect(named('POST /v1/contacts/reveal', traceOf(traceIds.unsampled))).toBeDefined()
    expect(loggedTraceId).toBe(traceIds.unsampled)
    const received = backend.received.find(({ headers }) => headers['x-request-id'] === requestId)
    expect(received?.headers.traceparent).toMatch(new RegExp(`^00-${traceIds.unsampled}-.{16}-01$`))
  })

  test('a request without a trace starts one, which the usage log shows', () => {
    const server = named('POST /v1/contacts/reveal', traceOf(ask('own').loggedTraceId))

    expect(server).toMatchObject({ kind: kinds.server })
    expect(server?.parentSpanId ?? '').toBe('')
  })

  test('internal GraphQL and the jobs that follow from it are traces too', () => {
    const asked = spans.filter(
      ({ kind, name }) => kind === kinds.server && name === 'POST /graphql',
    )
    const jobs = spans.filter(
      ({ kind, name }) => kind === kinds.consumer && name === 'RecordAuditEvents',
    )

    const below = asked.flatMap(({ traceId }) => traceOf(traceId).map(({ name }) => name))
    expect(below).toContain('account transaction')
    expect(new Set(jobs.map(({ parentSpanId = '' }) => parentSpanId))).toEqual(new Set(['']))
    // A job may be tried again on a loaded machine; one that is done has asked the subgraph.
    expect(jobs.map((job) => childrenOf(job).map(({ name }) => name))).toContainEqual([
      'usage RecordAuditEvents',
    ])
  })

  test('internal timers start no trace', () => {
    const roots = spans.filter(({ parentSpanId = '' }) => parentSpanId === '')

    const kindsOfRoots = new Set(roots.map(({ kind }) => kind))
    expect(kindsOfRoots).toEqual(new Set([kinds.server, kinds.consumer]))
  })

  test("spans name their service, go where OpenTelemetry's variables say, and contain no key", () => {
    const texts = collector.received.map(({ body }) => body).join('\n')
    const [first] = exported.parse(JSON.parse(collector.received[0]?.body ?? '')).resourceSpans
    const said = (name: string) =>
      first?.resource.attributes.find(({ key }) => key === name)?.value.stringValue

    expect(said('service.name')).toBe('gateway-under-test')
    expect(said('deployment.environment.name')).toBe('test')
    const sent = collector.received.map(({ path, headers }) => [path, headers['x-collector-key']])
    expect(new Set(sent.map(String))).toEqual(new Set(['/v1/traces,a key']))
    const keys = [tracedKey, ...[...asked.values()].map(({ account }) => account.liveKey)]
    for (const key of keys) {
      expect(key).not.toBe('')
      expect(texts).not.toContain(key)
    }
  })
})

describe('a facade whose subgraphs are other processes', () => {
  test("shows them in the trace: each call below its cause, and the subgraph's work below the call", async () => {
    const database = await createTestDatabase()
    const collector = await startStubBackend()
    const roles = await whileSet({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, (set) =>
      startRoles(
        { ...variablesFor(database), ...set, REDIS_URL: '' },
        {
          modules: [],
          catalog: loadCatalog(),
          log: createLog({ level: 'silent', format: 'json' }),
        },
      ),
    )
    const traceId = newTraceId()

    const headers = { traceparent: `00-${traceId}-${callerSpanId}-01` }
    const response = await fetch(`${roles.baseUrl}/v1/.well-known/jwks.json`, { headers })
    await roles.close()

    expect(response.status).toBe(200)
    const trace = spansOf(collector).filter((one) => one.traceId === traceId)
    const path: Span[] = []
    for (
      let next = trace.find(({ parentSpanId }) => parentSpanId === callerSpanId);
      next;
      next = trace.find(({ parentSpanId }) => parentSpanId === path.at(-1)?.spanId)
    ) {
      path.push(next)
    }
    expect(path.slice(0, 3)).toMatchObject([
      { kind: kinds.server, name: 'GET /v1/.well-known/jwks.json' },
      { kind: kinds.client, name: 'POST oauth' },
      { kind: kinds.internal, name: expect.stringMatching(/^oauth /) },
    ])
    expect(path[3]).toMatchObject({ kind: kinds.client })
    await collector.close()
    await database.drop()
  })
})

describe.skipIf(isOfRoles)('with a collector that first refuses, then never answers', () => {
  test('requests are served, failures are counted and logged once, a wrong variable is logged, and the gateway still stops', async () => {
    const collector = await startStubBackend()
    collector.answer((_, res) => {
      if (collector.received.length === 1) sendBackendJson(res, 400, {})
    })
    const written: string[] = []
    const into = { write: (text: string) => void written.push(text) }
    const log = createLog({ level: 'warn', format: 'json', into })
    const ofSdk = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: 'soon',
      OTEL_BSP_SCHEDULE_DELAY: '10',
    }
    const gateway = await whileSet(ofSdk, (set) => startTestGateway(set, { log }))
    const { liveKey } = await gateway.createAccount()

    const metrics = async () => (await fetch(`${gateway.internal.url}/metrics`)).text()
    // The next export may have failed as well by then.
    const hasFailed = /gateway_trace_exports_total\{outcome="failed"\} [1-9]/
    await expect.poll(metrics, patience).toMatch(hasFailed)
    const response = await gateway.live.get('/v1/account/credits', liveKey)
    await vi.waitUntil(() => collector.received.length > 1, patience)
    await gateway.close()

    expect(response.status).toBe(200)
    const text = written.join('')
    expect(text).toContain("Unknown value 'soon' for OTEL_EXPORTER_OTLP_TIMEOUT")
    expect(text.match(/Traces cannot be exported/g)).toHaveLength(1)
    await collector.close()
  })
})
