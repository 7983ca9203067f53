import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { rounds } from '../../support/extent/extent.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { authorize, registerApp } from '../../support/oauth/oauth-flow.ts'
import { createClient } from '../../support/requests/client.ts'
import { csvRecords, parseCsv } from '../../support/requests/csv.ts'
import { patience } from '../../support/time/patience.ts'

const path = '/v1/account/audit/export'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

const instant = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
const noFilters = {
  ...{ from: null, to: null, kind: 'activity', service: null, status_class: null, actor: null },
}

interface Job {
  readonly id: string
  readonly status: string
  readonly row_count: number | null
  readonly poll_url: string
  readonly result_url: string | null
  readonly result_expires_at: string | null
}

async function begin(key: string, body?: unknown, client = gateway.live): Promise<Job> {
  const answer = await client.post(path, body, key)
  expect([answer.status, answer.body]).toEqual([202, expect.anything()])
  return Object(answer.body)
}

async function poll(key: string, id: string, client = gateway.live): Promise<Job> {
  const answer = await client.get(`${path}/${id}`, key)
  expect(answer.status).toBe(200)
  return Object(answer.body)
}

/** Many ask at once, and stay below the limit of an account. */
const unhurried = { ...patience, interval: 100 }

function finished(key: string, id: string, client = gateway.live): Promise<Job> {
  return vi.waitUntil(async () => {
    const job = await poll(key, id, client)
    return job.status === 'completed' || job.status === 'failed' ? job : null
  }, unhurried)
}

async function download(job: Job): Promise<string> {
  const answer = await fetch(job.result_url ?? '')
  expect(answer.status).toBe(200)
  return answer.text()
}

async function exported(key: string, body?: unknown, client = gateway.live): Promise<string> {
  const { id } = await begin(key, body, client)
  return download(await finished(key, id, client))
}

interface Planted {
  readonly ts?: string
  readonly endpoint?: string
  readonly service?: string
  readonly status?: number
  readonly environment?: string
}

/** A request as if it had been made then; its id. */
async function plantRequest(account: TestAccount, planted: Planted = {}): Promise<string> {
  const { endpoint = '/v1/x', service = 'seo', status = 200, environment = 'live' } = planted
  const ts = planted.ts ?? new Date().toISOString()
  const id = newId('req', Date.parse(ts))
  await gateway.database.query(
    `INSERT INTO usage.usage_log (account_id, environment, request_id, ts, method, endpoint, service,
       status, credits, latency_ms, trace_id, backend_module)
     VALUES ($1, $2, $3, $4, 'GET', $5, $6, $7, 2, 17, 'trace', 'seo')`,
    [account.id, environment, id, ts, endpoint, service, status],
  )
  return id
}

interface PlantedEvent {
  readonly occurredAt?: string
  readonly actor?: string
  readonly details?: object
}

async function plantEvent(account: TestAccount, planted: PlantedEvent = {}): Promise<string> {
  const { actor = 'key_x', details = {} } = planted
  const occurredAt = planted.occurredAt ?? new Date().toISOString()
  const id = newId('aud', Date.parse(occurredAt))
  const event = {
    ...{ id, account_id: account.id, environment: 'live', occurred_at: occurredAt, details },
    ...{ actor_kind: 'key', actor_id: actor, action: 'thing.change', result: 'succeeded' },
  }
  await gateway.database.query(
    `SELECT usage.record_audit_events($1) FROM set_config('gateway.account_id', '*', true)`,
    [JSON.stringify([event])],
  )
  return id
}

describe('POST /v1/account/audit/export', () => {
  test.each([
    ['no body', undefined],
    ['null', 'null'],
    ['an empty object', {}],
    ['a null for everything', { ...noFilters, kind: null }],
  ])('with %s starts an export of the whole audit trail', async (_title, body) => {
    const { liveKey } = await gateway.createAccount()

    const { status, body: job } = await gateway.live.post(path, body, liveKey)

    const { id } = Object(job)
    expect(status).toBe(202)
    expect(job).toEqual({
      id: expect.stringMatching(/^exp_[0-9a-z]{26}$/),
      status: expect.stringMatching(/^(queued|running|completed)$/),
      filters: noFilters,
      created_at: instant,
      started_at: Object(job).status === 'queued' ? null : instant,
      completed_at: Object(job).status === 'completed' ? instant : null,
      row_count: Object(job).status === 'queued' ? null : expect.any(Number),
      error: null,
      poll_url: `${gateway.baseUrl}${path}/${id}`,
      result_url: Object(job).status === 'completed' ? expect.any(String) : null,
      result_expires_at: Object(job).status === 'completed' ? instant : null,
    })
  })

  test('exports all events of the account in order, and describes the filters that were asked for', async () => {
    const account = await gateway.createAccount()
    const ids = [
      await plantEvent(account, { details: { name: 'a, "b"\r\nc', n: 1 } }),
      await plantEvent(account),
    ]
    const filters = {
      from: '2020-01-01T02:00:00+02:00',
      to: '2999-01-01T00:00:00Z',
      actor: 'key_x',
    }

    const { id } = await begin(account.liveKey, filters)
    const job = await finished(account.liveKey, id)
    const text = await download(job)

    expect(job).toEqual({
      id,
      status: 'completed',
      filters: {
        ...{ from: '2020-01-01T00:00:00.000Z', to: '2999-01-01T00:00:00.000Z', kind: 'activity' },
        ...{ service: null, status_class: null, actor: 'key_x' },
      },
      created_at: instant,
      started_at: instant,
      completed_at: instant,
      row_count: 2,
      error: null,
      poll_url: `${gateway.baseUrl}${path}/${id}`,
      result_url: expect.stringMatching(/\/result\?expires=\d{10}&signature=[\w-]{43}$/),
      result_expires_at: instant,
    })
    expect(parseCsv(text)[0]).toEqual([
      ...['id', 'occurred_at', 'actor_kind', 'actor_id', 'actor_role', 'action', 'resource_id'],
      ...['address', 'request_id', 'trace_id', 'result', 'details', 'recorded_at'],
    ])
    const empty = { actor_role: '', resource_id: '', address: '', request_id: '', trace_id: '' }
    const event = {
      ...{ ...empty, occurred_at: instant, actor_kind: 'key', actor_id: 'key_x' },
      ...{ action: 'thing.change', result: 'succeeded', recorded_at: instant },
    }
    expect(csvRecords(text)).toEqual([
      { ...event, id: ids[1], details: '{}' },
      { ...event, id: ids[0], details: expect.any(String) },
    ])
    expect(JSON.parse(csvRecords(text)[1]?.details ?? '')).toEqual({ name: 'a, "b"\r\nc', n: 1 })
  })

  test('exports requests with the ten fields of the usage log, as the log shows them', async () => {
    const account = await gateway.createAccount()
    await gateway.live.get('/v1/account', account.liveKey)
    await gateway.live.get('/v1/account/credits', account.liveKey)
    await plantRequest(account, { endpoint: '/v1/x,"y"', status: 404 })

    const text = await exported(account.liveKey, { kind: 'requests' })

    const log = await gateway.live.get('/v1/account/usage/log?limit=200', account.liveKey)
    const records = csvRecords(text)
    const known = new Map(records.map((record) => [record.request_id, record]))
    const items: Record<string, unknown>[] = Object(log.body).items
    const before = items.filter(({ request_id }) => known.has(String(request_id)))
    expect(before.length).toBe(records.length)
    expect(records.length).toBeGreaterThanOrEqual(3)
    expect(parseCsv(text)[0]).toEqual(Object.keys(items[0] ?? {}))
    expect(records).toEqual(
      before.map((item) =>
        Object.fromEntries(Object.entries(item).map(([name, value]) => [name, String(value)])),
      ),
    )
  })

  test('exports the requests that match every filter: from is inclusive, to is exclusive', async () => {
    const account = await gateway.createAccount()
    const at = (ms: number) => new Date(Date.parse('2026-03-01T00:00:00Z') + ms).toISOString()
    const wanted = [
      await plantRequest(account, { ts: at(0), status: 404 }),
      await plantRequest(account, { ts: at(5), status: 499 }),
      await plantRequest(account, { ts: at(9), status: 400 }),
    ]
    await plantRequest(account, { ts: at(-1), status: 404 })
    await plantRequest(account, { ts: at(10), status: 404 })
    await plantRequest(account, { ts: at(5), status: 399 })
    await plantRequest(account, { ts: at(5), status: 500 })
    await plantRequest(account, { ts: at(5), status: 404, service: 'cloud' })

    const text = await exported(account.liveKey, {
      ...{ kind: 'requests', from: at(0), to: at(10), service: 'seo', status_class: '4xx' },
    })

    expect(csvRecords(text).map(({ request_id }) => request_id)).toEqual(wanted.toReversed())
  })

  test('accepts instants from before the first id as filters', async () => {
    const account = await gateway.createAccount()
    const id = await plantRequest(account)
    const requests = { kind: 'requests', service: 'seo' }

    const since = await exported(account.liveKey, { ...requests, from: '1000-01-01T00:00:00Z' })
    const until = await exported(account.liveKey, { ...requests, to: '1969-12-31T23:59:59Z' })

    expect(csvRecords(since).map(({ request_id }) => request_id)).toEqual([id])
    expect(csvRecords(until)).toEqual([])
  })

  test('exports the activity of one actor', async () => {
    const account = await gateway.createAccount()
    const mine = await plantEvent(account, { actor: 'key_mine' })
    await plantEvent(account, { actor: 'key_other' })

    const text = await exported(account.liveKey, { actor: 'key_mine' })

    expect(csvRecords(text).map(({ id }) => id)).toEqual([mine])
  })

  test('exports the header alone when nothing matches', async () => {
    const { liveKey } = await gateway.createAccount()

    const { id } = await begin(liveKey, { actor: 'key_nobody' })
    const job = await finished(liveKey, id)

    expect(job.row_count).toBe(0)
    expect(parseCsv(await download(job))).toHaveLength(1)
  })

  test.each([
    [{ service: 'seo' }, ['service']],
    [{ status_class: '2xx' }, ['status_class']],
    [{ kind: 'activity', service: 'seo', status_class: '2xx' }, ['service', 'status_class']],
    [{ kind: 'requests', actor: 'key_x' }, ['actor']],
    [{ from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, ['to']],
    [{ from: '2026-02-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }, ['to']],
    [{ from: 'yesterday' }, ['from']],
    [{ from: 1 }, ['from']],
    [{ to: '2026-01-01' }, ['to']],
    [{ from: '0000-01-01T00:00:00Z' }, ['from']],
    [{ kind: 'everything' }, ['kind']],
    [{ kind: 'requests', service: 'nothing' }, ['service']],
    [{ kind: 'requests', status_class: '6xx' }, ['status_class']],
    [{ kind: 'requests', status_class: 4 }, ['status_class']],
    [{ actor: '' }, ['actor']],
    [{ actor: 'x'.repeat(201) }, ['actor']],
    [{ actor: 'a\0b' }, ['actor']],
    [{ actor: ['key_x'] }, ['actor']],
    [{ account_id: 'acct_x' }, ['account_id']],
    ['[]', ['body']],
    ['"text"', ['body']],
    ['7', ['body']],
  ])('refuses %j and names what is wrong with it', async (body, fields) => {
    const { liveKey } = await gateway.createAccount()

    const answer = await gateway.live.post(path, body, liveKey)

    const { details, message } = Object(answer.body).error
    expectError(gateway, answer, { status: 422, code: 'INVALID_REQUEST', details, message })
    expect(details.map(({ field }: { field: string }) => field)).toEqual(fields)
    for (const field of fields) expect(message).toContain(field)
  })

  test('is refused while three exports of the account wait or run, also when many are asked for at once', async () => {
    const { id: accountId, liveKey, sandboxKey } = await gateway.createAccount()
    // No worker has them, and none will: their leases do not end.
    await plantRunning(accountId, 2)

    const answers = await Promise.all(
      Array.from({ length: 8 }, () => gateway.live.post(path, undefined, liveKey)),
    )
    const running = await gateway.database.query<{ count: number }>(
      `SELECT count(*)::int FROM usage.audit_export WHERE account_id = $1`,
      [accountId],
    )

    const accepted = answers.filter(({ status }) => status === 202)
    // One that was done meanwhile makes room for another.
    expect(accepted.length).toBeGreaterThanOrEqual(1)
    expect(running[0]?.count).toBe(2 + accepted.length)
    await vi.waitUntil(async () => (await unfinishedOf(accountId)) === 2, patience)
    await plantRunning(accountId, 1)
    const refused = await gateway.live.post(path, undefined, liveKey)
    const [first] = accepted.map(({ body }) => Object(body).id)
    const repeated = await gateway.live.post(`${path}/${first}/re-export`, undefined, liveKey)
    const message = '3 exports wait or run already; ask again when one is done.'
    expectError(gateway, refused, { status: 409, code: 'CONFLICT', message })
    expectError(gateway, repeated, { status: 409, code: 'CONFLICT', message })
    // The sandbox is another world, and so is every other account.
    expect((await gateway.sandbox.post(path, undefined, sandboxKey)).status).toBe(202)
    const other = await gateway.createAccount()
    expect((await gateway.live.post(path, undefined, other.liveKey)).status).toBe(202)
  })

  test('with an idempotency key starts one export and gives every retry the same answer', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const headers = { 'idempotency-key': randomUUID() }

    const first = await gateway.live.post(path, { kind: 'requests' }, liveKey, headers)
    const again = await gateway.live.post(path, { kind: 'requests' }, liveKey, headers)
    const other = await gateway.live.post(path, { kind: 'activity' }, liveKey, headers)

    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect([again.status, again.body]).toEqual([202, first.body])
    expect(other.status).toBe(422)
    const rows = await gateway.database.query(
      'SELECT 1 FROM usage.audit_export WHERE account_id = $1',
      [accountId],
    )
    expect(rows).toHaveLength(1)
  })

  test('leaves one line in the audit trail; a repetition and a refusal leave one each too', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id } = await begin(liveKey, { kind: 'requests', service: 'seo' })
    await finished(liveKey, id)

    const repeated = await gateway.live.post(`${path}/${id}/re-export`, undefined, liveKey)
    await gateway.live.post(path, { service: 'seo' }, liveKey)

    const filters = { kind: 'requests', service: 'seo' }
    await vi.waitFor(async () => {
      const lines = await gateway.database.query(
        `SELECT action, resource_id, result, details FROM usage.audit_event
         WHERE account_id = $1 AND action LIKE 'audit_export%' ORDER BY id`,
        [accountId],
      )
      expect(lines).toEqual([
        {
          ...{ action: 'audit_export.create', resource_id: id, result: 'succeeded' },
          details: { ...filters, from: null, to: null, status_class: null, actor: null },
        },
        {
          ...{ action: 'audit_export.repeat', resource_id: id, result: 'succeeded' },
          details: { audit_export_id: Object(repeated.body).id },
        },
      ])
    }, patience)
  })
})

/**
 * Exports as a worker has them that does not end; younger than all others, which do not wait for
 * them.
 */
async function plantRunning(accountId: string, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => newId('exp', Date.now() + 86_400_000))
  await gateway.database.query(
    `INSERT INTO usage.audit_export (id, account_id, environment, kind, status, attempt, started_at,
       row_count, lease_until)
     SELECT id, $2, 'live', 'activity', 'running', 1, now(), 0, now() + interval '1 day'
     FROM unnest($1::text[]) AS id`,
    [ids, accountId],
  )
}

async function unfinishedOf(accountId: string): Promise<number> {
  const rows = await gateway.database.query(
    `SELECT 1 FROM usage.audit_export
     WHERE account_id = $1 AND environment = 'live' AND status IN ('queued', 'running')`,
    [accountId],
  )
  return rows.length
}

describe('POST /v1/account/audit/export/{job_id}/re-export', () => {
  test('starts another export with the same filters, which includes the rows that came since', async () => {
    const account = await gateway.createAccount()
    const first = await plantRequest(account, { service: 'seo', status: 404 })
    const filters = { kind: 'requests', service: 'seo', status_class: '4xx' }
    const { id } = await begin(account.liveKey, filters)
    const before = await finished(account.liveKey, id)
    const second = await plantRequest(account, { service: 'seo', status: 404 })

    const answer = await gateway.live.post(`${path}/${id}/re-export`, undefined, account.liveKey)

    const repeated = Object(answer.body)
    expect(answer.status).toBe(200)
    expect(repeated).toMatchObject({ filters: { ...filters, actor: null, from: null, to: null } })
    expect(repeated.id).not.toBe(id)
    const job = await finished(account.liveKey, repeated.id)
    const idsIn = async (one: Job) =>
      csvRecords(await download(one)).map(({ request_id }) => request_id)
    expect(await idsIn(job)).toEqual([second, first])
    expect(await idsIn(before)).toEqual([first])
    // Both exports are listed, the newest first; each look at the list makes a new link.
    const list = await gateway.live.get(path, account.liveKey)
    const unlinked = (one: unknown) => ({
      ...Object(one),
      result_url: null,
      result_expires_at: null,
    })
    expect(Object(list.body).map(unlinked)).toEqual([job, before].map(unlinked))
  })
})

describe('GET /v1/account/audit/export', () => {
  test('is an array, which is empty at first', async () => {
    const { liveKey } = await gateway.createAccount()

    const answer = await gateway.live.get(path, liveKey)

    expect([answer.status, answer.body]).toEqual([200, []])
  })

  test('keeps the newest 200 exports and deletes the files of older ones', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const { id } = await begin(liveKey)
    await finished(liveKey, id)
    await gateway.database.query(
      `INSERT INTO usage.audit_export (id, account_id, environment, kind, status, error, completed_at)
       SELECT id, $2, 'live', 'activity', 'failed', 'Planted.', now() FROM unnest($1::text[]) AS id`,
      [Array.from({ length: 199 }, () => newId('exp')), accountId],
    )
    const full = await gateway.live.get(path, liveKey)

    const newest = await begin(liveKey)

    const list = await gateway.live.get(path, liveKey)
    const ids = (answer: typeof list) => Object(answer.body).map((job: Job) => job.id)
    expect(ids(full)).toHaveLength(200)
    expect(ids(full).at(-1)).toBe(id)
    expect(ids(list)).toEqual([newest.id, ...ids(full).slice(0, -1)])
    await vi.waitUntil(async () => {
      const { status } = await gateway.live.get(`${path}/${id}`, liveKey)
      return status === 404
    }, patience)
    expect(exportFiles().filter((name) => name.startsWith(id))).toEqual([])
  })
})

function exportFolder(): string {
  const name = new URL(gateway.database.serviceUrl).pathname.slice(1)
  return `/tmp/gateway-exports-${name}`
}

function exportFiles(): string[] {
  return readdirSync(exportFolder())
}

describe('an account', () => {
  test('exports the rows of its own environment, and sees no exports of others', async () => {
    const [ours, theirs] = [await gateway.createAccount(), await gateway.createAccount()]
    const live = await plantRequest(ours)
    const sandbox = await plantRequest(ours, { environment: 'sandbox' })
    await plantRequest(theirs)
    await plantRequest(theirs, { environment: 'sandbox' })
    const requests = { kind: 'requests', service: 'seo' }

    const liveText = await exported(ours.liveKey, requests)
    const sandboxText = await exported(ours.sandboxKey, requests, gateway.sandbox)

    const idsIn = (text: string) => csvRecords(text).map(({ request_id }) => request_id)
    expect(idsIn(liveText)).toEqual([live])
    expect(idsIn(sandboxText)).toEqual([sandbox])
    const lists = await Promise.all([
      gateway.live.get(path, ours.liveKey),
      gateway.sandbox.get(path, ours.sandboxKey),
      gateway.live.get(path, theirs.liveKey),
    ])
    expect(lists.map(({ body }) => Object(body).length)).toEqual([1, 1, 0])
    const [own] = Object(lists[0]?.body)
    const message = 'No audit export has this id.'
    for (const answer of [
      await gateway.live.get(`${path}/${own.id}`, theirs.liveKey),
      await gateway.sandbox.get(`${path}/${own.id}`, ours.sandboxKey),
      await gateway.live.get(`${path}/nonsense`, ours.liveKey),
      await gateway.live.post(`${path}/${own.id}/re-export`, undefined, theirs.liveKey),
    ]) {
      expectError(gateway, answer, { status: 404, code: 'NOT_FOUND', message })
    }
  })

  const exporting = rounds('EXPORTING_ACCOUNTS', { all: 2, nightly: 5 })

  test(`gets its export while ${exporting * 4 - 1} others are made`, async () => {
    const accounts = await Promise.all(
      Array.from({ length: exporting }, () => gateway.createAccount()),
    )
    const planted = await Promise.all(
      accounts.map((account) =>
        Promise.all(Array.from({ length: 40 }, () => plantRequest(account))),
      ),
    )

    const texts = await Promise.all(
      accounts.flatMap((account) =>
        Array.from({ length: 4 }, async () => {
          const { id } = await vi.waitUntil(async () => {
            const answer = await gateway.live.post(
              path,
              { kind: 'requests', service: 'seo' },
              account.liveKey,
            )
            return answer.status === 202 ? Object(answer.body) : null
          }, unhurried)
          return download(await finished(account.liveKey, id))
        }),
      ),
    )

    for (const [index, text] of texts.entries()) {
      const ids = csvRecords(text).map(({ request_id }) => request_id)
      expect(ids).toEqual((planted[Math.floor(index / 4)] ?? []).toSorted().toReversed())
    }
  })
})

describe('the usage log in an export', () => {
  const lacks = (what: string) => ({
    ...{ status: 403, code: 'FORBIDDEN', message: `This ${what} lacks the scope usage:read.` },
  })

  test('needs a scope that may read the log: the scopes of the audit trail alone are refused with the reason', async () => {
    const { id: accountId, liveKey } = await gateway.createAccount()
    const [requests, activity] = [await begin(liveKey, { kind: 'requests' }), await begin(liveKey)]
    for (const { id } of [requests, activity]) await finished(liveKey, id)
    const trailKey = await gateway.createKey(accountId, { scopes: ['audit:read', 'audit:write'] })
    const key = trailKey.plaintext

    const begun = await gateway.live.post(path, { kind: 'requests' }, key)
    const repeated = await gateway.live.post(`${path}/${requests.id}/re-export`, undefined, key)
    const polled = await gateway.live.get(`${path}/${requests.id}`, key)
    const list = await gateway.live.get(path, key)

    for (const answer of [begun, repeated, polled]) expectError(gateway, answer, lacks('API key'))
    expect(
      Object(list.body).map(({ id, status, result_url, result_expires_at }: Job) => ({
        ...{ id, status, isLinked: result_url !== null, expires: result_expires_at !== null },
      })),
    ).toEqual([
      { id: activity.id, status: 'completed', isLinked: true, expires: true },
      { id: requests.id, status: 'completed', isLinked: false, expires: false },
    ])
    expect((await gateway.live.get(`${path}/${activity.id}`, key)).status).toBe(200)
    await vi.waitFor(async () => {
      const lines = await gateway.database.query(
        `SELECT action, resource_id FROM usage.audit_event
         WHERE account_id = $1 AND actor_id = $2 AND result = 'FORBIDDEN' ORDER BY id`,
        [accountId, trailKey.id],
      )
      expect(lines).toEqual([
        { action: 'audit_export.create', resource_id: null },
        { action: 'audit_export.repeat', resource_id: requests.id },
        { action: 'access.deny', resource_id: null },
      ])
    }, patience)
  })

  test('is open to apps that were granted both scopes', async () => {
    const owner = await gateway.createAccount()
    const app = await registerApp(gateway)
    const { id } = await begin(owner.liveKey, { kind: 'requests' })
    await finished(owner.liveKey, id)
    const tokenFor = async (scope: string) =>
      (await authorize(gateway, app, { owner, scope })).accessToken

    const refused = await gateway.live.get(`${path}/${id}`, await tokenFor('audit:read'))
    const answered = await gateway.live.get(
      `${path}/${id}`,
      await tokenFor('audit:read usage:read'),
    )

    expectError(gateway, refused, lacks('access token'))
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer realm="${gateway.baseUrl}/v1", error="insufficient_scope", scope="usage:read"`,
    )
    expect(answered.status).toBe(200)
    expect(Object(answered.body).result_url).toContain(`/${id}/result?`)
  })
})

describe('a cell', () => {
  async function cellsOf(values: readonly string[]): Promise<string[]> {
    const rows = await gateway.database.query<{ cell: string }>(
      'SELECT usage.csv_cell(value) AS cell FROM unnest($1::text[]) WITH ORDINALITY u (value, n) ORDER BY n',
      [values],
    )
    return rows.map(({ cell }) => cell)
  }

  const hard = fc.array(
    fc.constantFrom('"', ',', '\r', '\n', '\t', '=', '+', '-', '@', "'", 'a', ' '),
  )
  const storable = fc
    .oneof(
      fc.string({ unit: 'grapheme' }),
      hard.map((parts) => parts.join('')),
    )
    .filter((text) => !text.includes('\0') && text.isWellFormed())

  test('is read back unchanged, except for the apostrophe before a formula', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(storable, { minLength: 1, maxLength: 100 }), async (values) => {
        const cells = await cellsOf(values)

        const [read] = parseCsv(`${cells.join(',')}\r\n`)
        expect(read).toEqual(
          values.map((value) => (/^[-=+@\t\r]/.test(value) ? `'${value}` : value)),
        )
      }),
      { numRuns: 100 },
    )
  })

  test('holds the stored value in every export, whatever its neighbouring cells hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(storable, { minLength: 1, maxLength: 60 }), async (endpoints) => {
        const account = await gateway.createAccount()
        const ids = endpoints.map(() => newId('req'))
        await gateway.database.query(
          `INSERT INTO usage.usage_log (account_id, environment, request_id, ts, method, endpoint,
             service, status, credits, latency_ms, trace_id, backend_module)
           SELECT $1, 'live', id, now(), 'GET', endpoint, 'seo', 200, 9007199254740991, 1,
             'trace', endpoint
           FROM unnest($2::text[], $3::text[]) AS u (id, endpoint)`,
          [account.id, ids, endpoints],
        )

        const records = csvRecords(await exported(account.liveKey, { kind: 'requests' }))

        const planted = new Set(ids)
        const safe = (text: string) => (/^[-=+@\t\r]/.test(text) ? `'${text}` : text)
        expect(
          records
            .filter(({ request_id = '' }) => planted.has(request_id))
            .map(({ endpoint, backend_module, credits }) => [endpoint, backend_module, credits]),
        ).toEqual(
          endpoints
            .map((endpoint) => [safe(endpoint), safe(endpoint), '9007199254740991'])
            .toReversed(),
        )
      }),
      { numRuns: rounds('EXPORTED_LOGS', { all: 3, nightly: 60 }) },
    )
  })
})

describe('an export', () => {
  test('shows one instant, while rows arrive faster than it can write', async () => {
    const account = await gateway.createAccount()
    await plantMany(account, rounds('ROWS_OF_AN_INSTANT', { all: 20_000, nightly: 60_000 }))
    let isOver = false
    const before = await countRequests(account)
    const adding = (async () => {
      let added = 0
      // In pairs, in one transaction: an instant has both or none.
      for (; !isOver; added += 2) await plantMany(account, 2)
      return added
    })()

    const { id } = await begin(account.liveKey, { kind: 'requests', service: 'seo' })
    const job = await finished(account.liveKey, id)
    isOver = true
    const added = await adding

    const ids = csvRecords(await download(job)).map(({ request_id }) => request_id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.every((id = '', at) => at === 0 || id < (ids[at - 1] ?? ''))).toBe(true)
    expect(job.row_count).toBe(ids.length)
    expect(ids.length).toBeGreaterThanOrEqual(before)
    expect(ids.length).toBeLessThanOrEqual(before + added)
    expect((ids.length - before) % 2).toBe(0)
    // All that was there at that instant, and nothing else: the newest of it says when.
    const [row] = await gateway.database.query<{ count: number }>(
      `SELECT count(*)::int FROM usage.usage_log
       WHERE account_id = $1 AND service = 'seo' AND request_id <= $2`,
      [account.id, ids[0]],
    )
    expect(row?.count).toBe(ids.length)
  })

  test('is tried five times when it cannot be written, then fails without naming the cause', async () => {
    const broken = await startTestGateway({ EXPORT_DIR: '/dev/null/exports' })
    const { id: accountId, liveKey } = await broken.createAccount()

    const { id } = await begin(liveKey, undefined, broken.live)
    const job = await vi.waitUntil(async () => {
      // The pause between two attempts: each attempt so far has failed.
      await broken.database.query(
        `UPDATE usage.audit_export SET lease_until = now()
         WHERE status = 'running' AND failures = attempt`,
      )
      await broken.database.query(
        `UPDATE jobs.job SET start_after = now() WHERE name = 'WatchAuditExport' AND state < 'active'`,
      )
      const now = await poll(liveKey, id, broken.live)
      return now.status === 'failed' ? now : null
    }, patience)

    const [row] = await broken.database.query(
      'SELECT attempt, failures FROM usage.audit_export WHERE account_id = $1',
      [accountId],
    )
    await broken.close()
    expect(row).toEqual({ attempt: 5, failures: 5 })
    expect(job).toMatchObject({
      error: 'The export could not be written.',
      completed_at: instant,
      ...{ result_url: null, result_expires_at: null },
    })
  })
})

async function plantMany(account: TestAccount, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => newId('req'))
  await gateway.database.query(
    `INSERT INTO usage.usage_log (account_id, environment, request_id, ts, method, endpoint, service,
       status, credits, latency_ms, trace_id, backend_module)
     SELECT $1, 'live', id, now(), 'GET', '/v1/seo/keywords', 'seo', 200, 2, 17,
       '0af7651916cd43dd8448eb211c80319c', 'seo'
     FROM unnest($2::text[]) AS id`,
    [account.id, ids],
  )
}

async function countRequests(account: TestAccount): Promise<number> {
  const [row] = await gateway.database.query<{ count: number }>(
    `SELECT count(*)::int FROM usage.usage_log WHERE account_id = $1 AND service = 'seo'`,
    [account.id],
  )
  return row?.count ?? 0
}

describe('retention', () => {
  test('deletes the file and the link; the job remains and can be repeated', async () => {
    const account = await gateway.createAccount()
    const { id } = await begin(account.liveKey)
    const job = await finished(account.liveKey, id)
    const [kept] = await gateway.database.query<{ days: number }>(
      `SELECT round(extract(epoch FROM kept_until - completed_at) / 86400)::int AS days
       FROM usage.audit_export WHERE id = $1`,
      [id],
    )

    await gateway.database.query('UPDATE usage.audit_export SET kept_until = now() WHERE id = $1', [
      id,
    ])
    const gone = await vi.waitUntil(async () => {
      const now = await poll(account.liveKey, id)
      return now.result_url === null ? now : null
    }, patience)

    expect(kept?.days).toBe(7)
    expect(gone).toEqual({ ...job, result_url: null, result_expires_at: null })
    expect(exportFiles().filter((name) => name.startsWith(id))).toEqual([])
    const url = new URL(job.result_url ?? '')
    const answer = await createClient(url.origin).get(url.pathname + url.search)
    expectError(gateway, answer, {
      status: 404,
      code: 'NOT_FOUND',
      message: 'The result has been deleted.',
    })
    expect(
      (await gateway.live.post(`${path}/${id}/re-export`, undefined, account.liveKey)).status,
    ).toBe(200)
  })
  test('continues after a file that cannot be removed, and tries that file again later', async () => {
    const account = await gateway.createAccount()
    const [stuck, free] = [await begin(account.liveKey), await begin(account.liveKey)]
    for (const { id } of [stuck, free]) await finished(account.liveKey, id)
    const path = join(exportFolder(), `${stuck.id}-1.csv`)
    rmSync(path)
    // A folder is not removed as a file is.
    mkdirSync(path)
    const endRetention = (id: string, ago: string) =>
      gateway.database.query(
        'UPDATE usage.audit_export SET kept_until = now() - $2::interval WHERE id = $1',
        [id, ago],
      )

    await endRetention(stuck.id, '1 day')
    await endRetention(free.id, '0 s')

    const isGone = async (id: string) => (await poll(account.liveKey, id)).result_url === null
    await vi.waitUntil(() => isGone(free.id), patience)
    const [left] = await gateway.database.query(
      `SELECT file IS NOT NULL AS is_known,
         kept_until BETWEEN now() + interval '50 min' AND now() + interval '1 hour' AS is_later
       FROM usage.audit_export WHERE id = $1`,
      [stuck.id],
    )
    expect(left).toEqual({ is_known: true, is_later: true })
  })
})
