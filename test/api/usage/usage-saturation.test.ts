import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { addressesOf, localUrl } from '../../../gateway/config/addresses.ts'
import { readConfig } from '../../../gateway/config/config.ts'
import { createBackendKeys } from '../../../gateway/internal/backend-keys.ts'
import { type Facade, startFacade } from '../../../gateway/launch/parts/facade.ts'
import { createInvalidation } from '../../../gateway/launch/parts/invalidation.ts'
import { openListeners } from '../../../gateway/launch/parts/listeners.ts'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { createReadiness } from '../../../gateway/listeners/readiness.ts'
import { createMetrics } from '../../../gateway/observability/metrics.ts'
import { alone } from '../../../gateway/processes/group/process-group.ts'
import { startHeartbeat } from '../../../gateway/sweeps/heartbeat.ts'
import { createMailbox } from '../../../gateway/trial/mailbox/mailbox.ts'
import {
  createUsageRecorder,
  type UsageEntry,
  type UsageRecorder,
} from '../../../rest-facade/charge/usage-log/usage-recorder.ts'
import type { Call } from '../../../rest-facade/http/call.ts'
import { admit } from '../../../rest-facade/steps/admit.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { callerOf } from '../../support/database/planted-tenant.ts'
import { variablesFor } from '../../support/gateway/gateway.ts'
import { createClient, type TestClient } from '../../support/requests/client.ts'
import { pathWith, productRequests, routeRequests } from '../../support/requests/valid-requests.ts'
import { patience } from '../../support/time/patience.ts'

describe('a usage log that cannot be written', () => {
  let graph: TestGraph
  beforeAll(async () => {
    graph = await openTestGraph()
  })
  afterAll(() => graph.close())

  function callOf(accountId: string): Call {
    return {
      ...{ requestId: newId('req'), traceId: '', environment: 'live', arrivedAt: new Date() },
      ...{ arrivedAtMs: performance.now(), method: 'GET', endpoint: '/v1/x', address: '' },
      ...{
        route: '/v1/x',
        service: 'account',
        backendModule: 'x',
        corsHeaders: {},
        routeHeaders: {},
        endUser: null,
      },
      ...{
        caller: callerOf(accountId),
        client: null,
        form: null,
        credential: '',
        credentialId: '',
      },
      clientChallenge: '',
      ...{
        budgetOwners: [],
        noticesBefore: 0,
        rateLimitRps: 1,
        rateWindow: null,
        limiter: 'account',
      },
      ...{
        isDispatched: true,
        toolStatus: null,
        whenAnswered: null,
        releaseRoom: null,
        spent: null,
        creditsCharged: 1,
        failure: null,
        settling: null,
      },
    }
  }

  /** Whether the next request would be let in. */
  function isAdmitted(recorder: UsageRecorder): boolean {
    const next = vi.fn()
    try {
      Reflect.apply(admit(recorder), undefined, [{}, {}, next])
    } catch (error) {
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 })
    }
    return next.mock.calls.length === 1
  }

  test('refuses new requests once 20,000 entries wait, and loses none of them', async () => {
    const accountId = newId('acct')
    const log = createLog({ level: 'silent', format: 'json' })
    const recorder = createUsageRecorder(graph.as, log)
    const blocker = new pg.Client({ connectionString: graph.database.ownerUrl })
    await blocker.connect()
    await blocker.query('BEGIN')
    await blocker.query('LOCK TABLE usage.usage_log IN ACCESS EXCLUSIVE MODE')
    const record = () => recorder.record(callOf(accountId), 200)

    for (let count = 1; count < 20_000; count += 1) record()
    const before = isAdmitted(recorder)
    record()
    const after = isAdmitted(recorder)
    // Requests that were admitted before are still recorded.
    for (let count = 0; count < 500; count += 1) record()
    await vi.waitUntil(() => !recorder.isCaughtUp(), patience)
    await blocker.query('ROLLBACK')
    await blocker.end()
    await recorder.recorded()
    await recorder.endEpoch()

    expect([before, after, isAdmitted(recorder)]).toEqual([true, false, true])
    expect(recorder.isCaughtUp()).toBe(true)
    const [row] = await graph.database.query(
      `SELECT count(*)::int AS entries, sum(credits)::int AS credits,
         (SELECT sum(requests)::int FROM usage.usage_service
           WHERE account_id = $1 AND unit = 'hour') AS summed
       FROM usage.usage_log WHERE account_id = $1`,
      [accountId],
    )
    expect(row).toEqual({ entries: 20_500, credits: 20_500, summed: 20_500 })
  })

  test('keeps the row of a process that could not record a charge, for others to write its entry', async () => {
    const log = createLog({ level: 'silent', format: 'json' })
    const recorder = createUsageRecorder(graph.as, log)
    const processId = newId('key')
    const heartbeat = await startHeartbeat({
      ...{ execute: graph.as, recorder, processId, log },
      keyUse: { note() {}, write: async () => {} },
      trail: { note() {}, write: async () => {}, writeAll: async () => {} },
    })
    await heartbeat.stop()
    // PostgreSQL stores no such text.
    const refused = (creditsCharged: number): Call => ({
      ...callOf(newId('acct')),
      ...{ traceId: '\0', creditsCharged },
    })
    const isBehind = async (credits: number) => {
      recorder.record(refused(credits), 200)
      await recorder.recorded()
      return !recorder.isCaughtUp()
    }

    expect(await isBehind(0)).toBe(false)
    expect(await isBehind(1)).toBe(true)
    await heartbeat.leave()
    const sql = 'SELECT id FROM account.facade_process WHERE id = $1'
    expect(await graph.database.query(sql, [processId])).toEqual([{ id: processId }])
  })
})

function entryOf(accountId: string): UsageEntry {
  return {
    ...{ accountId, environment: 'live', requestId: newId('req'), ts: new Date().toISOString() },
    ...{ method: 'GET', endpoint: '/v1/before', route: '/v1/before', service: 'account' },
    ...{ status: 200, credits: 0, latencyMs: 1, traceId: '', backendModule: 'x', keyId: null },
  }
}

describe('a request that cannot be recorded', () => {
  let graph: TestGraph
  const log = createLog({ level: 'silent', format: 'json' })
  const resources = new AsyncDisposableStack()
  const written = Promise.withResolvers<void>()
  let facade: Facade
  let account: { readonly id: string; readonly liveKey: string }
  let live: TestClient

  beforeAll(async () => {
    graph = await openTestGraph()
    const input = { name: 'Test', email: 'test@example.com', tier: 'SCALE', credits: 1000 }
    const created = Object(await graph.asAdmin('CreateAccount', { input }))
    account = { id: created.account.id, liveKey: created.liveKey }
    const catalog = loadCatalog()
    const modules = catalog.services.map(({ backendModule }) => backendModule)
    const config = readConfig(variablesFor(graph.database), modules)
    const metrics = createMetrics()
    const mailbox = createMailbox()
    const own = { metrics, processGroup: alone, warmsUp: false, mailbox, resources }
    const context = { role: 'facade', config, catalog, log, ...own }
    const listeners = await openListeners(context, () => '')
    const base = localUrl('127.0.0.1', listeners.live.port)
    const gatewaySecret = 'a secret for tests, long enough to pass'
    facade = await startFacade(context, {
      listeners,
      async execute(operation, ...asked) {
        if (operation === 'RecordUsage') await written.promise
        return graph.as(operation, ...asked)
      },
      gatewaySecret,
      backendKeys: createBackendKeys({ execute: graph.as, gatewaySecret, log }),
      addresses: addressesOf(config, { live: base, sandbox: base }),
      invalidation: await createInvalidation(undefined, resources),
      readiness: createReadiness({ checks: new Map(), log }),
      exportFiles: { open: async () => null },
      isEmbedded: true,
    })
    live = createClient(base)
  })
  afterAll(async () => {
    written.resolve()
    await resources.disposeAsync()
    await graph.close()
  })

  test('is refused on every route, also where a caller is optional', async () => {
    const { id, liveKey: key } = account
    const entries = Array.from({ length: 20_000 }, () => entryOf(id))
    const recovered = entries.map((entry) => facade.recorder.recover(entry))

    const answers = new Map<string, number>()
    for (const { method, path, params, body, title } of [
      ...routeRequests(),
      ...productRequests(),
    ]) {
      const url = pathWith(path, Object.fromEntries(params.map((name) => [name, newId('key')])))
      answers.set(title, (await live.request(url, { method, key, body })).status)
    }
    written.resolve()
    await Promise.all(recovered)
    await facade.recorder.recorded()

    const rows = await graph.database.query<{ title: string }>(
      `SELECT DISTINCT method || ' ' || route AS title FROM usage.usage_log
       WHERE account_id = $1 AND route <> '/v1/before'`,
      [id],
    )
    expect(rows).toEqual([])
    expect(answers.get('GET /v1/oauth/authorize')).toBe(503)
    expect(answers.get('POST /v1/oauth/consent')).toBe(503)
    expect(answers.get('GET /v1/account')).toBe(503)
  })
})
