import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { routes } from '../../../rest-facade/routes/index.ts'
import { templateOf } from '../../../rest-facade/routes/kinds/route.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { createAccountOnTier } from '../../support/gateway/account-on-tier.ts'
import { isOfRoles, startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

let backend: StubBackend
let gateway: TestGateway
beforeAll(async () => {
  backend = await startStubBackend()
  gateway = await startTestGateway({
    BACKEND_CONTACT_FINDER_URL: backend.url,
    // Also on a loaded machine a module that answers is in time.
    BACKEND_TIMEOUT_MS: '5000',
  })
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
})

async function scrape(): Promise<string> {
  const response = await fetch(`${gateway.internal.url}/metrics`)
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4')
  return response.text()
}

/** The value of a series such as `name{label="value"}`; 0 where there is none. */
async function valueNow(series: string): Promise<number> {
  const line = (await scrape()).split('\n').find((text) => text.startsWith(`${series} `))
  return Number(line?.split(' ').at(-1) ?? 0)
}

/** By how much each series grows while the work is done. */
async function growth(series: readonly string[], work: () => Promise<unknown>): Promise<number[]> {
  const before = await Promise.all(series.map(valueNow))
  await work()
  const after = await Promise.all(series.map(valueNow))
  return after.map((value, index) => value - (before[index] ?? 0))
}

const reveal = { contact_id: 'con_5f1e0c7a9b3d2e48' }

function revealed(status: number): string {
  const labels = `listener="live",method="POST",route="/v1/contacts/reveal",status="${status}"`
  return `gateway_http_requests_total{${labels}}`
}

function charges(outcome: string): string {
  return `gateway_charges_total{environment="live",service="contacts",outcome="${outcome}"}`
}

function backendCalls(outcome: string): string {
  const labels = `environment="live",module="contact-finder",outcome="${outcome}"`
  return `gateway_backend_requests_total{${labels}}`
}

const credits = 'gateway_credits_charged_total{service="contacts"}'
const durations =
  'gateway_http_request_duration_seconds_count' +
  '{listener="live",method="POST",route="/v1/contacts/reveal",status_class="2xx"}'

const added = 'gateway_added_duration_seconds'

// These are metrics of one process; each of its roles would have a part of them.
describe.skipIf(isOfRoles)('GET /metrics', () => {
  test('counts request, duration, credits, outcome and backend call of a charge once each', async () => {
    const { liveKey } = await gateway.createAccount()
    backend.answer((_, res) => sendBackendJson(res, 200, {}))
    const series = [
      revealed(200),
      durations,
      credits,
      charges('captured'),
      backendCalls('answered'),
      `${added}_count{environment="live"}`,
    ]

    const grown = await growth(series, () =>
      gateway.live.post('/v1/contacts/reveal', reveal, liveKey),
    )

    expect(grown).toEqual([1, 1, 5, 1, 1, 1])
    expect(await valueNow('gateway_open_holds')).toBe(0)
  })

  test('counts a repetition as replayed, and its credits not again', async () => {
    const { liveKey } = await gateway.createAccount()
    backend.answer((_, res) => sendBackendJson(res, 200, {}))
    const again = { 'x-svc-idempotency-key': 'one-key' }
    const send = () => gateway.live.post('/v1/contacts/reveal', reveal, liveKey, again)
    await send()

    const calls = `${added}_count{environment="live"}`
    const grown = await growth([credits, charges('captured'), charges('replayed'), calls], send)

    expect(grown).toEqual([0, 0, 1, 0])
  })

  test('shows the age of the oldest epoch that is not added to the sums, by the clock of the database', async () => {
    const name = 'gateway_usage_epoch_oldest_seconds'
    await gateway.database.query(
      `INSERT INTO usage.usage_epoch (from_id, from_at, started_at)
       VALUES ('req_', now() - interval '1 h', now() - interval '1 h')`,
    )

    await vi.waitUntil(async () => (await valueNow(name)) >= 3600, patience)
    expect(await valueNow(name)).toBeLessThan(7200)

    // The epoch looks like that of a process that died, so it is added to the sums.
    await vi.waitUntil(async () => (await valueNow(name)) < 3600, patience)
  })

  test('leaves the time of the module out of what the gateway adds', async () => {
    const { liveKey } = await gateway.createAccount()
    backend.answer((_, res) => {
      setTimeout(() => sendBackendJson(res, 200, {}), 1500)
    })
    const series = [durations.replace('_count', '_sum'), `${added}_sum{environment="live"}`]

    const [all = 0, ours = 0] = await growth(series, async () => {
      const { status } = await gateway.live.post('/v1/contacts/reveal', reveal, liveKey)
      expect(status).toBe(200)
    })

    expect(ours).toBeGreaterThan(0)
    // The clock of a timer may be a few milliseconds ahead, and the process may stand still in between.
    expect(all - ours).toBeGreaterThan(1.4)
  })

  test('counts calls that cost nothing: refused for credits, failed and late backends', async () => {
    const poor = await gateway.createAccount({ credits: 4 })
    const { liveKey } = await gateway.createAccount()
    const series = [
      ...[revealed(402), revealed(502), revealed(504), credits],
      ...[charges('refused'), charges('released')],
      ...[backendCalls('failed'), backendCalls('timeout')],
    ]

    const grown = await growth(series, async () => {
      await gateway.live.post('/v1/contacts/reveal', reveal, poor.liveKey)
      backend.answer((_, res) => sendBackendJson(res, 500, {}))
      await gateway.live.post('/v1/contacts/reveal', reveal, liveKey)
      backend.answer(() => {})
      await gateway.live.post('/v1/contacts/reveal', reveal, liveKey)
    })

    expect(grown).toEqual([1, 1, 1, 0, 1, 2, 1, 1])
    expect(await valueNow('gateway_backend_breaker_open{module="contact-finder"}')).toBe(0)
  })

  test('counts refusals of each limiter', async () => {
    const { liveKey } = await createAccountOnTier(gateway, 'STARTER')
    const series = ['gateway_rate_limited_total{listener="live",limiter="account"}']
    const ask = () => gateway.live.get('/v1/account/credits', liveKey)

    let refused = 0
    const [counted] = await growth(series, async () => {
      // On a slow machine a second may end before its limit is reached.
      while (refused === 0) {
        const answers = await Promise.all(Array.from({ length: 100 }, ask))
        refused = answers.filter(({ status }) => status === 429).length
      }
    })

    expect(counted).toBe(refused)
  })

  test('shows queues, connections and the state of each dependency', async () => {
    const text = await scrape()

    for (const series of [
      'gateway_queue_depth{queue="usage_log"}',
      'gateway_queue_limit{queue="usage_log"} 20000',
      'gateway_queue_depth{queue="reserve"} 0',
      'gateway_queue_depth{queue="settle"} 0',
      'gateway_batches_total{queue="reserve"}',
      'gateway_batch_items_total{queue="settle"}',
      'gateway_database_connections{subgraph="account",state="idle"}',
      'gateway_database_connections{subgraph="usage",state="in_use"}',
      'gateway_database_connections_waiting{subgraph="keys"} 0',
      'gateway_rate_limiter_open 0',
      'gateway_rate_limit_unchecked_total 0',
      'gateway_dead_jobs 0',
      'gateway_ledger_drifts 0',
      'nodejs_eventloop_lag_p99_seconds',
      'process_cpu_seconds_total',
    ]) {
      expect(text).toContain(`\n${series}`)
    }
  })

  test('has a fixed number of series and no id, for any number of paths, methods and accounts', async () => {
    const account = await gateway.createAccount()
    const { id: keyId, plaintext } = await gateway.createKey(account.id)
    backend.answer((_, res) => sendBackendJson(res, 200, {}))
    const requestIds: string[] = []
    async function wander(): Promise<void> {
      for (const method of ['GET', 'POST', 'PROPFIND', 'PURGE']) {
        for (const path of [
          `/v1/${newId('req')}`,
          `/v1/contacts/${newId('kw')}/x`,
          '/v1/account',
        ]) {
          const response = await gateway.live.request(path, { method, key: plaintext })
          requestIds.push(response.headers.get('x-request-id') ?? '')
        }
      }
      await gateway.live.get(`/v1/contacts/${newId('kw')}`, plaintext)
      await gateway.live.get(`/v1/account/keys/${newId('key')}`, plaintext)
    }
    const countSeries = async () =>
      (await scrape()).split('\n').filter((text) => text.startsWith('gateway_http')).length
    await wander()
    const before = await countSeries()

    for (let round = 0; round < 5; round += 1) await wander()

    const text = await scrape()
    expect(await countSeries()).toBe(before)
    for (const id of [account.id, keyId, plaintext, ...requestIds]) expect(text).not.toContain(id)
    expect(text).not.toMatch(/\b(acct|key|req|kw|hold|led|proc|app|tok)_[0-9a-hjkmnp-tv-z]{26}/i)
    expect(text).toContain('method="other",route="unmatched",status="404"')
  })

  test('names routes by the templates of the API only', async () => {
    const templates = new Set([
      ...['unmatched', '/v1/health', '/v1/ready'],
      ...routes.map(templateOf),
      ...loadCatalog().services.flatMap(({ slug, operations }) =>
        operations.map(({ path }) => `/v1/${slug}${path}`),
      ),
    ])
    await gateway.live.get('/v1/health')

    const seen = [...(await scrape()).matchAll(/route="([^"]*)"/g)].map(([, route = '']) => route)

    expect(seen).toContain('/v1/health')
    expect(seen.filter((route) => !templates.has(route))).toEqual([])
  })
})
