import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, type TestContext, test, vi } from 'vitest'
import { z } from 'zod'
import { findLogDrifts } from '../../../gateway/books/compare-with-ledger.ts'
import { completeHistory, writeBooks } from '../../../gateway/trial/demo/demo-history.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { lowestId } from '../../../schema/vocabulary/ids.ts'
import { serviceSlugs } from '../../../schema/vocabulary/scopes.ts'
import { admin, openTestGraph } from '../../support/database/graph.ts'
import { chosen } from '../../support/extent/extent.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace, type Workplace } from '../../support/processes/workplace.ts'
import { createClient, type TestClient, type TestResponse } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

const dayMs = 86_400_000

const sums = z.object({ requests: z.number(), credits: z.number() })
const byService = z.array(sums.extend({ service: z.string() }))
const overviewBody = z.object({
  usage: z.object({
    month_to_date: sums.extend({ success_rate: z.number(), by_service: byService }),
    today: sums.extend({ success_rate: z.number() }),
  }),
  subscription: z.object({ current_period_start: z.string(), current_period_end: z.string() }),
})
const ledgerEntry = z.object({
  kind: z.string(),
  credits: z.number(),
  balance_after: z.number(),
  request_id: z.nullable(z.string()),
})
const billingBody = z.object({
  current_balance: z.number(),
  recent_ledger: z.array(ledgerEntry),
})
const logEntry = z.object({
  request_id: z.string(),
  ts: z.string(),
  service: z.string(),
  status: z.number(),
  credits: z.number(),
  backend_module: z.string(),
})
type LogEntry = z.infer<typeof logEntry>
const logPage = z.object({ items: z.array(logEntry), next_cursor: z.nullable(z.string()) })
const invoicesBody = z.object({
  items: z.array(z.object({ number: z.string(), credits: z.number(), created_at: z.string() })),
})

/** Asks until it is admitted: these tests together may be faster than the account's rate limit. */
async function ask(client: TestClient, path: string, key: string): Promise<TestResponse> {
  const answer = await vi.waitUntil(async () => {
    const response = await client.get(path, key)
    return response.status === 429 ? null : response
  }, patience)
  expect(answer.status).toBe(200)
  return answer
}

/** The usage log from a request of ours on, newest first, as its pages show it. */
async function readLog(client: TestClient, key: string, { headers }: TestResponse) {
  const id = headers.get('x-request-id') ?? ''
  // Another worker may have answered the request, and records it a moment later.
  return vi.waitUntil(async () => {
    const entries = await readPages(client, key)
    const [asking, ...before] = entries.filter(({ request_id }) => request_id <= id)
    return asking?.request_id === id ? { before, askedAt: asking.ts } : null
  }, patience)
}

async function readPages(client: TestClient, key: string): Promise<LogEntry[]> {
  const entries: LogEntry[] = []
  for (let cursor = ''; ; ) {
    const { body } = await ask(client, `/v1/account/usage/log?limit=200${cursor}`, key)
    const { items, next_cursor } = logPage.parse(body)
    entries.push(...items)
    if (next_cursor === null) return entries
    cursor = `&cursor=${next_cursor}`
  }
}

/** The expected summary of these entries. */
function summaryOf(entries: readonly LogEntry[]) {
  const successes = entries.filter(({ status }) => status < 400).length
  return {
    requests: entries.length,
    credits: creditsOf(entries),
    // Soon after midnight there are none of today.
    success_rate: entries.length === 0 ? 1 : successes / entries.length,
  }
}

function creditsOf(entries: readonly { readonly credits: number }[]): number {
  return entries.reduce((sum, { credits }) => sum + credits, 0)
}

/** All that a start could have added to. */
async function contentsOf(place: Workplace): Promise<unknown> {
  const tables = ['account', 'ledger_entry', 'payment', 'invoice', 'tracked_keyword', 'balance']
  const counts = tables.map((name) => `(SELECT count(*) FROM account.${name}) AS ${name}`)
  return place.query(`SELECT ${counts.join(', ')},
    (SELECT count(*) FROM usage.usage_log) AS usage_log,
    (SELECT sum(requests) FROM usage.usage_service) AS requests,
    (SELECT count(*) FROM keys.api_key) AS keys`)
}

async function verifyLedger(place: Workplace): Promise<void> {
  const { code, stdout, stderr } = await place.run([
    ...['ledger', 'verify', '--json', '--settling-time', '0s'],
  ])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({ balances: 2, drifts: [] })
}

function workplaceOf({ onTestFinished }: TestContext): Workplace {
  const place = openWorkplace()
  onTestFinished(() => place.close())
  return place
}

/** Starts a demo whose history waits for the lock of this test. */
async function startWithHeldHistory(context: TestContext) {
  for (;;) {
    const place = workplaceOf(context)
    // The schemas are there before the start, so that the lock is, too.
    expect(await place.run(['migrate'])).toMatchObject({ code: 0 })
    const starting = place.start()
    const release = await vi.waitUntil(
      () => place.hold('LOCK TABLE usage.usage_endpoint IN SHARE MODE').catch(() => null),
      patience,
    )
    const killed = await starting
    const early = await place.query('SELECT FROM usage.usage_log WHERE key_id IS NULL LIMIT 1')
    if (early.length === 0) return { place, killed, release }
    // On a busy machine the history may be there before the lock.
    await release()
  }
}

/** Waits for the usage log of the history, which a start writes after its banner. */
async function untilComplete(place: Workplace): Promise<void> {
  await vi.waitUntil(async () => {
    const missing = await place.query(
      `SELECT FROM account.facade_process WHERE seen_at = 'infinity'`,
    )
    return missing.length === 0
  }, patience)
}

async function expectUntouchedDemo(place: Workplace): Promise<void> {
  await untilComplete(place)
  const { base_url, account_id, live_key, sandbox_url, sandbox_key } = place.demo()
  const demos = await place.query(
    `SELECT a.id, b.balance::int, (SELECT count(*)::int FROM usage.usage_log) > 1500 AS has_usage,
       (SELECT count(*)::int FROM account.ledger_entry WHERE ref = 'opening-balance'
         AND environment = 'live') AS openings
     FROM account.account a JOIN account.balance b ON b.account_id = a.id
     WHERE b.environment = 'live'`,
  )
  expect(demos).toEqual([{ id: account_id, balance: 10_000, has_usage: true, openings: 1 }])
  const live = await createClient(base_url).get('/v1/account', live_key)
  expect(live).toMatchObject({ status: 200, body: { id: account_id, balance: 10_000 } })
  const sandbox = await createClient(sandbox_url).get('/v1/account', sandbox_key)
  expect(sandbox).toMatchObject({ status: 200, body: { id: account_id } })
}

beforeAll(compileProgram)

describe('the demo account', () => {
  let place: Workplace
  let client: TestClient
  let key: string
  /** The time of the start. */
  let nowMs: number
  beforeAll(async () => {
    place = openWorkplace()
    nowMs = Date.now()
    client = createClient((await place.start()).baseUrl)
    key = place.demo().live_key
    await untilComplete(place)
  })
  afterAll(() => place.close())

  test('GET /v1/account/overview: sums of its usage log, an active subscription and active add-ons', async () => {
    const answer = await ask(client, '/v1/account/overview', key)
    const { before, askedAt: now } = await readLog(client, key, answer)

    const { body } = answer
    const { usage, subscription } = overviewBody.parse(body)
    const month = before.filter(({ ts }) => ts.slice(0, 7) === now.slice(0, 7))
    const services = Map.groupBy(month, ({ service }) => service)
    expect(usage).toEqual({
      month_to_date: {
        ...summaryOf(month),
        by_service: [...services]
          .map(([service, entries]) => ({
            ...{ service, requests: entries.length, credits: creditsOf(entries) },
          }))
          .sort((a, b) => (a.service < b.service ? -1 : 1)),
      },
      today: summaryOf(before.filter(({ ts }) => ts.slice(0, 10) === now.slice(0, 10))),
    })
    const { current_period_start: start, current_period_end: end } = subscription
    expect(start < now && now < end).toBe(true)
    const sent = before.filter(({ service, ts }) => service === 'promote' && ts >= start)
    const refunds = await place.query<{ credits: number }>(
      `SELECT credits::int FROM account.ledger_entry WHERE kind = 'refund' AND ref = ANY ($1)`,
      [sent.map(({ request_id }) => request_id)],
    )
    expect(body).toMatchObject({
      account: { tier: 'PROFESSIONAL', subscription_tier: 'pro_sub', balance: 10_000 },
      subscription: { tier: 'pro_sub', status: 'active', monthly_credits: 5000 },
      addons: {
        mass_mail: {
          status: 'active',
          current_period_end: end,
          used_this_period: creditsOf(sent) - creditsOf(refunds),
        },
        rank_tracking: { status: 'active', keywords_used: 8 },
      },
    })
  })

  test('GET /v1/account/usage/log: weeks of every service, in order, with failures that cost nothing', async () => {
    const { before } = await readLog(client, key, await ask(client, '/v1/account', key))

    const log = before.filter(({ request_id }) => request_id < lowestId('req', nowMs))
    expect(log.length).toBeGreaterThan(1500)
    for (const { request_id, ts } of log) {
      const tsMs = Date.parse(ts)
      expect(request_id >= lowestId('req', tsMs)).toBe(true)
      expect(request_id < lowestId('req', tsMs + 1)).toBe(true)
    }
    const [newest, oldest] = [log[0], log.at(-1)].map((entry) => Date.parse(entry?.ts ?? ''))
    expect(nowMs - (newest ?? 0)).toBeLessThan(dayMs / 4)
    expect(nowMs - (oldest ?? 0)).toBeGreaterThan(35 * dayMs)
    const isRecent = ({ ts }: LogEntry) => Date.parse(ts) > nowMs - 42 * dayMs
    const weeks = new Set(
      log.filter(isRecent).map(({ ts }) => Math.floor((nowMs - Date.parse(ts)) / (7 * dayMs))),
    )
    expect(weeks).toEqual(new Set([0, 1, 2, 3, 4, 5]))
    const own = ['account', 'billing', 'keys', 'usage']
    expect([...new Set(log.map(({ service }) => service))].sort()).toEqual(
      [...serviceSlugs, ...own].sort(),
    )
    const failures = log.filter(({ status }) => status >= 400)
    expect(creditsOf(failures)).toBe(0)
    expect(failures.length / log.length).toBeLessThan(0.1)
    const classes = new Set(log.map(({ status }) => Math.floor(status / 100)))
    expect(classes).toEqual(new Set([2, 4, 5]))
  })

  test('GET /v1/account/billing: its newest entries add up to the balance, and their requests are in the log', async () => {
    const answer = await ask(client, '/v1/account/billing', key)
    const { before: log } = await readLog(client, key, answer)

    const { body } = answer
    const { current_balance, recent_ledger } = billingBody.parse(body)
    expect(recent_ledger).toHaveLength(20)
    let after = current_balance
    for (const { kind, credits, balance_after, request_id } of recent_ledger) {
      expect(balance_after).toBe(after)
      after -= credits
      if (kind !== 'charge') continue
      const call = log.find((entry) => entry.request_id === request_id)
      expect(call).toMatchObject({ credits: -credits })
    }
    expect(body).toMatchObject({
      current_balance: 10_000,
      auto_recharge: { enabled: false, package_id: 'pack_growth', state: 'idle' },
      invoices: [],
    })
  })

  test('GET /v1/billing/invoices: one for each purchase, numbered in order', async () => {
    const { body } = await ask(client, '/v1/billing/invoices', key)

    const { items } = invoicesBody.parse(body)
    const purchases = await place.query<{ credits: number; created_at: Date }>(
      `SELECT delta::int AS credits, created_at FROM account.ledger_audit
       WHERE account_id = $1 AND kind = 'purchase' ORDER BY seq DESC`,
      [place.demo().account_id],
    )
    expect(items.map(({ credits, created_at }) => ({ credits, created_at }))).toEqual(
      purchases.map(({ credits, created_at }) => ({
        ...{ credits, created_at: created_at.toISOString() },
      })),
    )
    expect(new Set(items.map(({ number }) => number)).size).toBe(items.length)
    for (const { number } of items) expect(number).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}-\d{4}-\d{6}$/)
  })

  test('GET /v1/account/addons/rank-tracking/keywords: several, newest first', async () => {
    const { body } = await ask(client, '/v1/account/addons/rank-tracking/keywords', key)

    const { items } = z.object({ items: z.array(z.object({ created_at: z.string() })) }).parse(body)
    expect(items).toHaveLength(8)
    const times = items.map(({ created_at }) => created_at)
    expect(times).toEqual([...times].sort().reverse())
  })

  test('shows the product: customers with budgets, errors of several codes, an app, a dispute and a trail', async () => {
    const { body: listed } = await ask(client, '/v1/account/external-ids', key)
    const ids = z.object({
      items: z.array(
        z.object({
          external_id: z.string(),
          budgets: z.array(z.object({ limit_credits: z.number(), used_credits: z.number() })),
        }),
      ),
    })
    const { items } = ids.parse(listed)
    expect(items.map(({ external_id }) => external_id).sort()).toEqual([
      ...['kestrel', 'northwind', 'tidewater', 'umbra-labs'],
    ])
    const [northwind] = items.filter(({ external_id }) => external_id === 'northwind')
    const [budget] = northwind?.budgets ?? []
    // Attention rounds down, too.
    expect(Math.floor((100 * (budget?.used_credits ?? 0)) / (budget?.limit_credits ?? 1))).toBe(82)

    const byKey = await place.query(
      `SELECT count(DISTINCT key_id)::int AS keys, count(*) FILTER (WHERE status >= 400) > 20 AS fails
       FROM usage.usage_log WHERE external_id IS NOT NULL`,
    )
    expect(byKey).toEqual([{ keys: 4, fails: true }])
    const codes = await place.query<{ code: string }>(
      'SELECT DISTINCT error_code AS code FROM usage.usage_log WHERE error_code IS NOT NULL',
    )
    expect(codes.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['BUDGET_EXCEEDED', 'FORBIDDEN', 'INVALID_REQUEST', 'NOT_FOUND']),
    )
    const consents = await ask(client, '/v1/oauth/consents', key)
    expect(consents.body).toMatchObject({ items: [{ client_name: 'Pipeline Board' }] })
    const lots = await ask(client, '/v1/account/credits/lots', key)
    const [expiring] = z.object({ items: z.array(z.unknown()) }).parse(lots.body).items
    expect(expiring).toMatchObject({ source: 'allowance', expires_at: expect.any(String) })
    expect(
      await place.query('SELECT status FROM account.payment_dispute WHERE environment = $1', [
        'live',
      ]),
    ).toEqual([{ status: 'inquiry' }])
    const trail = await place.query<{ days: number }>(
      'SELECT (extract(epoch FROM max(occurred_at) - min(occurred_at)) / 86400)::int AS days FROM usage.audit_event',
    )
    expect(trail[0]?.days).toBeGreaterThan(40)
    const failing = async () => {
      const hooks = await ask(client, '/v1/account/webhooks', key)
      return hooks.body
    }
    await expect.poll(failing, patience).toMatchObject({
      items: [{ url: 'https://hooks.acme.example/credits', failing_since: expect.any(String) }],
    })
    const { items: endpoints } = Object(await failing())
    const tried = await ask(client, `/v1/account/webhooks/${endpoints[0].id}/deliveries`, key)
    expect(Object(tried.body).items[0].attempts[0]).toMatchObject({
      ...{ status_code: 503, response_text: expect.stringMatching(/does not answer/) },
      request_headers: { host: 'hooks.acme.example', 'webhook-id': expect.any(String) },
    })
    const attention = await ask(client, '/v1/account/attention', key)
    const kinds = Object(attention.body).items.map(({ kind }: { kind: string }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['webhook_failing', 'payment_disputed']))
    expect(await place.run(['audit', 'verify'])).toMatchObject({ code: 0 })
  })

  test('gateway ledger verify: the books are correct, to the last credit of an allowance', async () => {
    await verifyLedger(place)

    const kinds = await place.query(
      `SELECT DISTINCT kind FROM account.ledger_audit WHERE account_id = $1 ORDER BY kind`,
      [place.demo().account_id],
    )
    expect(kinds.map((row) => Object(row).kind)).toEqual([
      ...['allowance', 'charge', 'expiry', 'grant', 'purchase', 'refund'],
    ])
    const books = await place.query(
      `SELECT sum(e.credits)::int AS balance, bool_and(e.created_at >= e.before) AS is_in_order,
         max(e.created_at) <= now() AS is_past,
         (SELECT g.remaining - 5000 - sum(l.credits) FROM account.lot g
           JOIN account.ledger_entry l ON l.account_id = g.account_id
             AND l.environment = g.environment AND l.seq > g.seq AND l.kind = 'charge'
           WHERE g.priority <= 100 AND g.remaining > 0
           GROUP BY g.remaining)::int AS unaccounted_allowance
       FROM (SELECT *, lag(created_at, 1, created_at) OVER (ORDER BY seq) AS before
         FROM account.ledger_entry WHERE environment = 'live') e`,
    )
    expect(books).toEqual([
      { balance: 10_000, is_in_order: true, is_past: true, unaccounted_allowance: 0 },
    ])
    // The sums of the log by the hour are those of the roll-ups, but for open epochs.
    const sumsOfLog = `SELECT date_trunc('hour', ts, 'UTC') AS start, service,
      count(*) AS requests, count(*) FILTER (WHERE status < 400) AS successes,
      sum(credits)::bigint AS credits, usage.count_steps(usage.latency_class(latency_ms), 1) AS steps
      FROM usage.usage_log WHERE epoch <> ALL (ARRAY(SELECT epoch FROM usage.usage_epoch))
      GROUP BY 1, 2`
    const rollUps = `SELECT start, service, requests, successes, credits, steps
      FROM usage.usage_service WHERE unit = 'hour'`
    expect(
      await place.query(
        `(${sumsOfLog} EXCEPT ${rollUps}) UNION ALL (${rollUps} EXCEPT ${sumsOfLog})`,
      ),
    ).toEqual([])
  })
})

/** What a start finds that did not end. */
const leftBehind = chosen('left behind', ['an account', 'a history', 'a file'])

describe.concurrent('gateway start', () => {
  test('creates the demo account once: its first call leaves 9995, and another start adds nothing', async (context) => {
    const place = workplaceOf(context)
    const first = await place.start()
    const demo = place.demo()
    await untilComplete(place)
    const before = await contentsOf(place)
    first.signal('SIGTERM')
    expect(await first.finished).toMatchObject({ code: 0 })

    const second = await place.start()

    await untilComplete(place)
    expect(await contentsOf(place)).toEqual(before)
    expect(place.demo()).toMatchObject({ live_key: demo.live_key, account_id: demo.account_id })
    const { headers } = await createClient(second.baseUrl).post(
      ...['/v1/contacts/reveal', { contact_id: 'con_5f1e0c7a9b3d2e48' }, demo.live_key],
    )
    expect(headers.get('X-Credits-Charged')).toBe('5')
    expect(headers.get('X-Credits-Remaining')).toBe('9995')
    await verifyLedger(place)
  })

  test.runIf(leftBehind.includes('an account'))(
    'continues with the account that a killed start left behind',
    async (context) => {
      const place = workplaceOf(context)
      const killed = place.spawn(['start'])
      await vi.waitUntil(
        () =>
          place.query('SELECT FROM account.account').then(
            (rows) => rows.length > 0,
            () => false,
          ),
        { ...patience, interval: 1 },
      )
      killed.signal('SIGKILL')
      await killed.finished

      await place.start()

      await expectUntouchedDemo(place)
      await verifyLedger(place)
    },
  )

  test('is ready and charges a call while the history cannot be written; the next start writes it beside that call', async (context) => {
    const { place, killed, release } = await startWithHeldHistory(context)
    await vi.waitUntil(async () => {
      const waiting = await place.query(
        `SELECT FROM pg_stat_activity
         WHERE application_name = 'credit-gateway owner' AND wait_event_type = 'Lock'`,
      )
      return waiting.length > 0
    }, patience)
    const { account_id, live_key } = place.demo()
    const live = createClient(killed.baseUrl)

    await vi.waitUntil(async () => (await live.get('/v1/ready')).status === 200, patience)
    const call = await live.post(
      ...['/v1/contacts/reveal', { contact_id: 'con_5f1e0c7a9b3d2e48' }, live_key],
    )

    expect(call.status).toBe(200)
    expect(call.headers.get('X-Credits-Charged')).toBe('5')
    expect(call.headers.get('X-Credits-Remaining')).toBe('9995')
    // The books are right, although the log lacks nearly all of their charges.
    await verifyLedger(place)
    const invented = `SELECT count(*)::int AS calls,
        count(*) FILTER (WHERE credits = 0)::int AS free
      FROM usage.usage_log WHERE key_id IS NULL OR external_id IS NOT NULL`
    expect(await place.query(invented)).toEqual([{ calls: 0, free: 0 }])
    killed.signal('SIGKILL')
    await killed.finished
    await release()

    const second = await place.start()

    await untilComplete(place)
    const [log] = await place.query<{ calls: number; free: number }>(invented)
    expect(log?.calls).toBeGreaterThan(1500)
    expect(log?.free).toBeGreaterThan(100)
    expect(
      await place.query(
        'SELECT credits::int FROM usage.usage_log WHERE account_id = $1 AND request_id = $2',
        [account_id, call.headers.get('x-request-id')],
      ),
    ).toEqual([{ credits: 5 }])
    const account = await createClient(second.baseUrl).get('/v1/account', live_key)
    expect(account).toMatchObject({ status: 200, body: { id: account_id, balance: 9995 } })
    await verifyLedger(place)
  })

  test.runIf(leftBehind.includes('a history'))(
    'gives an account without history its history, and one without demo.json new keys',
    async (context) => {
      const place = workplaceOf(context)
      // The folder is left as by a start that dies after its first step.
      const account = ['account', 'create', '--name', 'Demo', '--email', 'demo@example.com']
      const plan = ['--tier', 'PROFESSIONAL', '--subscription-tier', 'pro_sub', '--credits', '0']
      expect(await place.run([...account, ...plan])).toMatchObject({ code: 0 })

      const first = await place.start()

      await expectUntouchedDemo(place)
      const { account_id, live_key } = place.demo()
      first.signal('SIGTERM')
      await first.finished
      // The folder is left as by a start that dies before its last step.
      rmSync(join(place.dataDir, 'demo.json'))

      const second = await place.start()

      await expectUntouchedDemo(place)
      expect(place.demo().account_id).toBe(account_id)
      expect(place.demo().live_key).not.toBe(live_key)
      expect(second.stdout()).toContain(place.demo().live_key)
      await verifyLedger(place)
    },
  )

  test.runIf(leftBehind.includes('a file'))(
    'creates another one when the database of demo.json does not exist',
    async (context) => {
      const place = workplaceOf(context)
      const first = await place.start()
      const { account_id } = place.demo()
      first.signal('SIGTERM')
      await first.finished
      // Without it the cluster is made anew.
      rmSync(join(place.dataDir, 'postgres-initialised'))

      await place.start()

      expect(place.demo().account_id).not.toBe(account_id)
      await expectUntouchedDemo(place)
    },
  )
})

describe('the history of the demo account', () => {
  const input = { name: 'T', email: 't@example.com', tier: 'STARTER', subscriptionTier: 'pro_sub' }
  const created = z.object({ account: z.object({ id: z.string() }) })
  const audit = z.object({ drifts: z.array(z.unknown()) })
  const catalog = loadCatalog()
  let graph: Awaited<ReturnType<typeof openTestGraph>>
  beforeAll(async () => {
    graph = await openTestGraph()
  })
  afterAll(() => graph.close())

  async function openAccount(credits: number): Promise<string> {
    const addons = ['MASS_MAIL', 'RANK_TRACKING']
    const made = await graph.asAdmin('OpenAccount', { input: { ...input, addons, credits } })
    return created.parse(made).account.id
  }

  function write(accountId: string, closingBalance: number): Promise<boolean> {
    const { ownerUrl } = graph.database
    return writeBooks({ ownerUrl, catalog, accountId, closingBalance })
  }

  function complete(accountId: string): Promise<boolean> {
    const { ownerUrl } = graph.database
    return completeHistory({ ownerUrl, catalog, accountId, keyPrefix: 'svc' })
  }

  function driftsOfLog() {
    return findLogDrifts((operation, variables) => graph.as(operation, variables, admin), {
      ...{ fromMs: 0, settlingSeconds: 0 },
    })
  }

  /** Calls, and charges that the log has as the books have them. */
  async function logOf(accountId: string) {
    const rows = await graph.database.query<{ calls: number; charges: number; logged: number }>(
      `SELECT (SELECT count(*)::int FROM usage.usage_log WHERE account_id = $1) AS calls,
         count(*)::int AS charges, count(*) FILTER (WHERE u.credits = -e.credits
           AND u.endpoint = e.description AND u.status BETWEEN 200 AND 299
           AND u.ts + u.latency_ms * interval '1 ms' = e.created_at)::int AS logged
       FROM account.ledger_entry e LEFT JOIN usage.usage_log u ON u.account_id = e.account_id
         AND u.environment = e.environment AND u.request_id = e.ref
       WHERE e.account_id = $1 AND e.kind = 'charge'`,
      [accountId],
    )
    return rows[0] ?? { calls: 0, charges: 0, logged: 0 }
  }

  function balancesOf(accountId: string) {
    return graph.database.query(
      `SELECT b.balance::int, sum(e.credits)::int AS entries, min(e.balance_after) >= 0 AS is_covered
       FROM account.balance b JOIN account.ledger_entry e USING (account_id, environment)
       WHERE b.account_id = $1 AND b.environment = 'live' GROUP BY b.balance`,
      [accountId],
    )
  }

  test('is written once by several simultaneous writers', async () => {
    const accountId = await openAccount(0)

    const written = await Promise.all([write(accountId, 10_000), write(accountId, 10_000)])
    const completed = await Promise.all([complete(accountId), complete(accountId)])

    expect(written.filter(Boolean)).toHaveLength(1)
    expect(completed.filter(Boolean)).toHaveLength(1)
    expect(await balancesOf(accountId)).toEqual([
      { balance: 10_000, entries: 10_000, is_covered: true },
    ])
    const { calls, charges, logged } = await logOf(accountId)
    expect(charges).toBeGreaterThan(500)
    expect(logged).toBe(charges)
    expect(calls).toBeGreaterThan(charges)
    expect(audit.parse(await graph.asAdmin('AuditLedger'))).toMatchObject({ drifts: [] })
    expect(await driftsOfLog()).toEqual([])
  })

  test('charges that the log still lacks are no drift, however old they are', async () => {
    const accountId = await openAccount(0)

    await write(accountId, 10_000)

    expect(await logOf(accountId)).toMatchObject({ calls: 0, logged: 0 })
    expect(await driftsOfLog()).toEqual([])
  })

  test('a later start adds no call after the end of the books', async () => {
    const accountId = await openAccount(0)
    const endMs = Date.now()
    await write(accountId, 10_000)

    vi.useFakeTimers({ toFake: ['Date'], now: endMs + 3 * dayMs })
    try {
      expect(await complete(accountId)).toBe(true)
    } finally {
      vi.useRealTimers()
    }

    const [latest] = await graph.database.query<{ at: Date; free: Date }>(
      `SELECT max(ts) AS at, max(ts) FILTER (WHERE credits = 0) AS free
       FROM usage.usage_log WHERE account_id = $1`,
      [accountId],
    )
    expect(latest?.at.getTime()).toBeLessThan(endMs)
    expect(latest?.free.getTime()).toBeGreaterThan(endMs - dayMs)
  })

  test.each([0, 100, 1_000_000])('ends with %i credits, whatever came before', async (credits) => {
    const accountId = await openAccount(0)

    expect(await write(accountId, credits)).toBe(true)

    const balances = { balance: credits, entries: credits, is_covered: true }
    expect(await balancesOf(accountId)).toEqual([balances])
    expect(audit.parse(await graph.asAdmin('AuditLedger'))).toMatchObject({ drifts: [] })
  })

  test('is not written for an account with entries of its own', async () => {
    const accountId = await openAccount(7)

    expect(await write(accountId, 10_000)).toBe(false)
    expect(await complete(accountId)).toBe(false)

    expect(await balancesOf(accountId)).toEqual([{ balance: 7, entries: 7, is_covered: true }])
    const logged = await graph.database.query('SELECT FROM usage.usage_log WHERE account_id = $1', [
      accountId,
    ])
    expect(logged).toEqual([])
  })
})
