import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type Ask,
  type AuditWindow,
  findLogDrifts,
} from '../../../gateway/books/compare-with-ledger.ts'
import { serviceCaller } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { charge } from '../../support/database/charge-batches.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'

describe('the comparison of the usage log with the ledger', () => {
  let graph: TestGraph
  beforeEach(async () => {
    graph = await openTestGraph()
  })
  afterEach(() => graph.close())

  async function openAccount(): Promise<string> {
    const input = { name: 'Test', email: 'test@example.com', tier: 'STARTER', credits: 1000 }
    const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
    return account.id
  }

  async function record(accountId: string, requestId: string, credits: number): Promise<void> {
    const entry = {
      accountId,
      environment: 'live',
      requestId,
      ts: new Date().toISOString(),
      method: 'POST',
      endpoint: '/test',
      service: 'contacts',
      status: 200,
      credits,
      latencyMs: 1,
      traceId: '',
      backendModule: 'contact-finder',
    }
    await graph.asService('RecordUsage', { entries: [entry] })
  }

  async function refund(accountId: string, requestId: string): Promise<void> {
    const input = { accountId, requestId, reason: 'Test', idempotencyKey: requestId }
    await graph.asAdmin('RefundCharge', { input })
  }

  async function chargeAndRecord(accountId: string, credits: number): Promise<string> {
    const requestId = await charge(graph, { accountId, credits })
    await record(accountId, requestId, credits)
    return requestId
  }

  /** What differs; by default nothing may still be on its way. */
  function drifts(window: Partial<AuditWindow> = {}) {
    // Ids are made by a clock that may be in the same millisecond still.
    const nowMs = Date.now() + 1000
    const ask: Ask = (operation, variables) => graph.as(operation, variables, serviceCaller())
    return findLogDrifts(ask, { fromMs: 0, settlingSeconds: 0, nowMs, ...window })
  }

  test('agrees when every charge was recorded, and ignores calls that cost nothing', async () => {
    const [one, other] = [await openAccount(), await openAccount()]
    for (const accountId of [one, other, one]) await chargeAndRecord(accountId, 5)
    await record(one, newId('req'), 0)

    expect(await drifts()).toEqual([])
  })

  test('names a charge without an entry, an entry without a charge, and other amounts', async () => {
    const [one, other] = [await openAccount(), await openAccount()]
    const kept = await chargeAndRecord(one, 1)
    const removed = await chargeAndRecord(one, 5)
    await graph.database.query('DELETE FROM usage.usage_log WHERE request_id = $1', [removed])
    const invented = newId('req')
    await record(one, invented, 7)
    const changed = await charge(graph, { accountId: other, credits: 3 })
    await record(other, changed, 4)

    const found = await drifts()

    const live = { environment: 'live' }
    expect(found).toHaveLength(3)
    expect(found).toEqual(
      expect.arrayContaining([
        {
          ...live,
          accountId: one,
          requestId: removed,
          charged: 5,
          logged: 0,
          problem: '5 credits were charged, the usage log says 0',
        },
        expect.objectContaining({ accountId: one, requestId: invented, charged: 0, logged: 7 }),
        expect.objectContaining({ accountId: other, requestId: changed, charged: 3, logged: 4 }),
      ]),
    )
    expect(JSON.stringify(found)).not.toContain(kept)
  })

  test('accepts a refunded charge that is logged with its first or its final amount', async () => {
    const accountId = await openAccount()
    for (const logged of [0, 5]) {
      const requestId = await charge(graph, { accountId, credits: 5 })
      await record(accountId, requestId, logged)
      await refund(accountId, requestId)
    }

    expect(await drifts()).toEqual([])
  })

  test('names a refunded charge that was never logged', async () => {
    const accountId = await openAccount()
    const requestId = await charge(graph, { accountId, credits: 5 })
    await refund(accountId, requestId)

    expect(await drifts({ settlingSeconds: 3600 })).toEqual([])
    expect(await drifts()).toMatchObject([{ requestId, charged: 5, logged: 0 }])
  })

  test('names a charge that is logged as free, though it was not refunded', async () => {
    const accountId = await openAccount()
    const requestId = await charge(graph, { accountId, credits: 5 })
    await record(accountId, requestId, 0)

    expect(await drifts()).toMatchObject([{ requestId, charged: 5, logged: 0 }])
  })

  test('ignores the charges of a silent process until others have recovered them', async () => {
    const accountId = await openAccount()
    const processId = newId('proc')
    await graph.asService('ReportFacade', { id: processId, isRecorded: true })
    const requestId = await charge(graph, { accountId, credits: 5 }, processId)
    const refunded = await charge(graph, { accountId, credits: 5 }, processId)
    await refund(accountId, refunded)

    const silent = await drifts()
    await graph.asService('RemoveFacade', { id: processId })
    const lookedAfter = await drifts()

    expect(silent).toEqual([])
    expect(lookedAfter).toMatchObject([{ requestId }, { requestId: refunded }])
  })

  test('takes charges that were made up to a minute before a report for perhaps unrecorded', async () => {
    const accountId = await openAccount()
    const processId = newId('proc')
    const requestId = await charge(graph, { accountId, credits: 5 }, processId)
    // The entry is as old as with DATABASE_TIMEOUT_MS=60000, when only the acknowledgement of the
    // settlement is missing.
    await graph.database.query(
      `UPDATE account.ledger_entry SET created_at = now() - interval '60 s' WHERE ref = $1`,
      [requestId],
    )
    await graph.asService('ReportFacade', { id: processId, isRecorded: true })

    const silent = await drifts()
    await graph.asService('RemoveFacade', { id: processId })

    expect(silent).toEqual([])
    expect(await drifts()).toMatchObject([{ requestId }])
  })

  test('finds differences though the sums are equal', async () => {
    const accountId = await openAccount()
    const unlogged = await charge(graph, { accountId, credits: 5 })
    const invented = newId('req')
    await record(accountId, invented, 5)

    const found = await drifts()

    expect(found.map(({ requestId }) => requestId)).toEqual([unlogged, invented].toSorted())
  })

  test('allows for the time until a charge is in the log', async () => {
    const accountId = await openAccount()
    await charge(graph, { accountId, credits: 5 })
    // This call arrived two hours ago, and was charged only now.
    await charge(graph, { accountId, credits: 5, requestId: newId('req', Date.now() - 7_200_000) })

    expect(await drifts({ settlingSeconds: 3600 })).toEqual([])
    expect(await drifts()).toHaveLength(2)
  })

  test('compares requests since a given time only, when asked', async () => {
    const accountId = await openAccount()
    await charge(graph, { accountId, credits: 5, requestId: newId('req', Date.now() - 3_600_000) })
    const newer = await charge(graph, { accountId, credits: 5 })

    const found = await drifts({ fromMs: Date.now() - 60_000 })

    expect(found.map(({ requestId }) => requestId)).toEqual([newer])
  })

  test('reads long logs page by page, and names a hundred requests at most', async () => {
    const accountId = await openAccount()
    const ids = Array.from({ length: 12_000 }, () => newId('req'))
    await graph.database.query(
      `INSERT INTO account.ledger_entry (account_id, environment, seq, id, kind, credits,
         balance_after, description, ref, request, created_at, hash)
       SELECT $1, 'live', n + 1, 'led_' || n, 'charge', -2, 0, '', ref, '{}', now(), ''
       FROM unnest($2::text[]) WITH ORDINALITY AS r (ref, n)`,
      [accountId, ids],
    )
    await graph.database.query(
      `INSERT INTO usage.usage_log (account_id, environment, request_id, ts, method, endpoint,
         service, status, credits, latency_ms, trace_id, backend_module)
       SELECT $1, 'live', ref, now(), 'GET', '/test', 'contacts', 200, 2, 1, '', ''
       FROM unnest($2::text[]) AS ref`,
      [accountId, ids],
    )
    const missing = [ids.at(0), ids.at(4999), ids.at(5000), ids.at(-1)]
    const remove = (some: readonly unknown[]) =>
      graph.database.query('DELETE FROM usage.usage_log WHERE request_id = ANY ($1)', [some])
    expect(await drifts()).toEqual([])

    await remove(missing)
    const few = await drifts()
    await remove(ids.slice(0, 500))
    const many = await drifts()

    expect(few.map(({ requestId }) => requestId)).toEqual(missing)
    expect(many.map(({ requestId }) => requestId)).toEqual(ids.slice(0, 100))
  })
})
