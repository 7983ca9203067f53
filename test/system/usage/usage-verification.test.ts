import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { variablesFor } from '../../support/gateway/gateway.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace } from '../../support/processes/workplace.ts'

function entryOf(accountId: string, index: number): object {
  const ts = new Date(Date.parse('2026-05-31T22:00:00Z') + index * 60_000)
  return {
    ...{ accountId, environment: index % 2 ? 'live' : 'sandbox', ts: ts.toISOString() },
    ...{ requestId: newId('req', ts.getTime()), method: 'GET', endpoint: '/v1/x', traceId: '' },
    ...{ route: `/v1/${index % 3}`, service: index % 5 ? 'seo' : 'contacts' },
    ...{ status: [200, 404, 500][index % 3], credits: index % 4, latencyMs: index * 3 },
    backendModule: 'x',
  }
}

describe('usage verify', () => {
  let graph: TestGraph
  beforeAll(async () => {
    await compileProgram()
    graph = await openTestGraph()
  })
  afterAll(() => graph.close())

  const audit = () => graph.asAdmin('AuditUsage')

  test('finds no difference while 20 writers record at a time, some of it twice', async () => {
    const accounts = Array.from({ length: 5 }, () => newId('acct'))
    const batches = Array.from({ length: 40 }, (_, batch) =>
      Array.from({ length: 50 }, (_, index) =>
        entryOf(accounts[(batch + index) % 5] ?? '', batch * 7 + index),
      ),
    )
    let isDone = false
    const audits: unknown[] = []
    async function look(): Promise<void> {
      while (!isDone) audits.push(await audit())
    }
    const looking = look()

    await Promise.all(
      [...batches, ...batches.slice(0, 20)].map((entries) =>
        graph.asService('RecordUsage', { entries }),
      ),
    )
    isDone = true
    await looking

    expect(await audit()).toEqual({ entries: 2000, drifts: [] })
    expect(audits.length).toBeGreaterThan(0)
    for (const one of audits) expect(one).toMatchObject({ drifts: [] })
  })

  const changes: readonly (readonly [what: string, sql: string, drift: string])[] = [
    [
      'an entry that was removed',
      'DELETE FROM usage.usage_log WHERE request_id = $1',
      'usage_service',
    ],
    [
      'an entry that was invented',
      `INSERT INTO usage.usage_log (account_id, environment, request_id, ts, method, endpoint, service,
         status, credits, latency_ms, trace_id, backend_module)
       SELECT account_id, environment, request_id || '0', ts, method, endpoint, service, status,
         credits, latency_ms, trace_id, backend_module FROM usage.usage_log WHERE request_id = $1`,
      'usage_service',
    ],
    [
      'credits that were changed',
      'UPDATE usage.usage_log SET credits = credits + 1 WHERE request_id = $1',
      'usage_service',
    ],
    [
      'a latency that was changed',
      'UPDATE usage.usage_log SET latency_ms = latency_ms + 5000 WHERE request_id = $1',
      'usage_endpoint',
    ],
    [
      'a sum of an hour that was changed',
      `UPDATE usage.usage_service SET requests = requests + 1
       WHERE account_id = (SELECT account_id FROM usage.usage_log WHERE request_id = $1)`,
      'usage_service',
    ],
    [
      'a sum of a day that was removed',
      `DELETE FROM usage.usage_endpoint WHERE unit = 'day'
         AND account_id = (SELECT account_id FROM usage.usage_log WHERE request_id = $1)`,
      'usage_endpoint',
    ],
    [
      'a sum of a key that was changed',
      `UPDATE usage.usage_key SET credits = credits + 1
       WHERE account_id = (SELECT account_id FROM usage.usage_log WHERE request_id = $1)`,
      'usage_key',
    ],
    [
      'a kind that was removed',
      `DELETE FROM usage.usage_kind
       WHERE account_id = (SELECT account_id FROM usage.usage_log WHERE request_id = $1)`,
      'usage_kind',
    ],
  ]

  test.each(changes)('names the account of %s', async (_what, sql, rollUp) => {
    const accountId = newId('acct')
    const entry = Object(entryOf(accountId, 1))
    await graph.asService('RecordUsage', { entries: [entry] })
    await graph.database.query(sql, [entry.requestId])

    const { drifts } = Object(await audit())

    const ours = drifts.filter((drift: { account_id: string }) => drift.account_id === accountId)
    expect(ours).toContainEqual({
      account_id: accountId,
      environment: 'live',
      problem: expect.stringMatching(new RegExp(`^${rollUp} `)),
    })
    await forget(accountId)
    expect(await audit()).toMatchObject({ drifts: [] })
  })

  async function forget(accountId: string): Promise<void> {
    const tables = ['usage_log', 'usage_service', 'usage_endpoint', 'usage_key', 'usage_kind']
    for (const table of tables) {
      await graph.database.query(`DELETE FROM usage.${table} WHERE account_id = $1`, [accountId])
    }
  }

  test('is a command with exit code 1 on a difference', async () => {
    const place = openWorkplace()
    const run = (...more: string[]) =>
      place.run(['usage', 'verify', ...more], variablesFor(graph.database))
    const accountId = newId('acct')
    const entry = Object(entryOf(accountId, 1))
    await graph.asService('RecordUsage', { entries: [entry] })

    try {
      const whole = await run('--json')
      await graph.database.query('DELETE FROM usage.usage_log WHERE request_id = $1', [
        entry.requestId,
      ])
      const broken = await run('--json')
      const inWords = await run()

      expect(whole).toMatchObject({ code: 0 })
      expect(JSON.parse(whole.stdout)).toMatchObject({ drifts: [] })
      expect(broken).toMatchObject({ code: 1 })
      expect(JSON.parse(broken.stdout).drifts).toContainEqual(
        expect.objectContaining({ account_id: accountId }),
      )
      expect(inWords).toMatchObject({ code: 1, stdout: expect.stringContaining(accountId) })
    } finally {
      await place.close()
      await forget(accountId)
    }
  })
})
