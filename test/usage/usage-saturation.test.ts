import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createLog } from '../../rest-facade/bin/log.ts'
import type { Call } from '../../rest-facade/call.ts'
import { admit } from '../../rest-facade/middleware/admit.ts'
import { createUsageRecorder, type UsageRecorder } from '../../rest-facade/usage-recorder.ts'
import { newId } from '../../schema/ids.ts'
import { openTestGraph, type TestGraph } from '../support/graph.ts'
import { patience } from '../support/patience.ts'
import { callerOf } from '../support/planted-tenant.ts'

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
      ...{ route: '/v1/x', service: 'account', backendModule: 'x', corsHeaders: {} },
      ...{ caller: callerOf(accountId), client: null, credential: '', credentialId: '' },
      clientChallenge: '',
      ...{ rateLimitRps: 1, rateWindow: null, limiter: 'account' },
      ...{ creditsCharged: 1, settling: null },
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

  test('has nobody let in once 20,000 entries wait, and loses none of them', async () => {
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
    // What was let in before is recorded all the same.
    for (let count = 0; count < 500; count += 1) record()
    await vi.waitUntil(() => !recorder.isCaughtUp(), patience)
    await blocker.query('ROLLBACK')
    await blocker.end()
    await recorder.recorded()

    expect([before, after, isAdmitted(recorder)]).toEqual([true, false, true])
    expect(recorder.isCaughtUp()).toBe(true)
    const [row] = await graph.database.query(
      `SELECT count(*)::int AS entries, sum(credits)::int AS credits,
         (SELECT sum(requests)::int FROM usage.usage_hour WHERE account_id = $1) AS summed
       FROM usage.usage_log WHERE account_id = $1`,
      [accountId],
    )
    expect(row).toEqual({ entries: 20_500, credits: 20_500, summed: 20_500 })
  })
})
