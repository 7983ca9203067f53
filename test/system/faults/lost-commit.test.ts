import { afterEach, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { rounds } from '../../support/extent/extent.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { assessDamage, expectNoDamage, noDamage, report } from '../../support/load/audit.ts'
import {
  type DeduplicatingBackend,
  startDeduplicatingBackend,
} from '../../support/load/deduplicating-backend.ts'
import { idempotencyHeader, startLoad, wishesOf } from '../../support/load/load.ts'
import { ask, callTool, failureOf, resultOf } from '../../support/mcp/mcp.ts'
import {
  type ChaosProxy,
  type RequestFault,
  startChaosProxy,
} from '../../support/processes/chaos-proxy.ts'
import { patience } from '../../support/time/patience.ts'

const accounts = 8
const injections = rounds('LOST_COMMITS', { all: 40, nightly: 200 })

/** How often the acknowledgement of a statement is lost, by its name. */
const shares = {
  'reserve-credits': 0.05,
  'settle-holds': 0.5,
  'record-usage': 0.5,
  'expire-holds': 0.3,
} as const

describe('a lost acknowledgement of a COMMIT', () => {
  let database: TestDatabase
  let proxy: ChaosProxy
  let backend: DeduplicatingBackend
  let gateway: TestGateway
  const others: TestGateway[] = []

  async function start(deadlines: Readonly<Record<string, string>> = {}): Promise<void> {
    database = await createTestDatabase()
    proxy = await startChaosProxy(database.serviceUrl)
    backend = await startDeduplicatingBackend()
    const variables = {
      DATABASE_URL: proxy.through(database.serviceUrl),
      BACKEND_CONTACT_FINDER_URL: backend.url,
    }
    gateway = await startTestGateway({ ...variables, ...deadlines }, { database })
  }
  /** On the same database, through the same network. */
  async function startAnother(): Promise<TestGateway> {
    const variables = {
      DATABASE_URL: proxy.through(database.serviceUrl),
      BACKEND_CONTACT_FINDER_URL: backend.url,
    }
    const another = await startTestGateway(variables, { database })
    others.push(another)
    return another
  }

  afterEach(async () => {
    proxy.judge(null)
    proxy.set('pass')
    await Promise.all(others.splice(0).map((another) => another.close()))
    await gateway.close()
    await backend.close()
    await proxy.close()
    await database.drop()
  })

  /** Each statement is harmed now and then: mostly its reply is cut, sometimes it is not even sent. */
  function harmAtRandom(bytes: Buffer): RequestFault {
    for (const [name, share] of Object.entries(shares)) {
      if (!bytes.includes(name)) continue
      if (Math.random() >= share) return null
      return Math.random() < 0.8 ? 'cut the reply' : 'lose the request'
    }
    return null
  }

  test('neither doubles nor drops a charge', async () => {
    await start({ BACKEND_TIMEOUT_MS: '1000', HOLD_TTL_SECONDS: '2' })
    const owners = await Promise.all(
      Array.from({ length: accounts }, () => gateway.createAccount({ credits: 100_000 })),
    )
    proxy.judge(harmAtRandom)

    const load = startLoad(
      wishesOf(owners, 10_000, () => proxy.injections() >= injections),
      {
        urlOf: () => gateway.baseUrl,
        clients: 32,
        answerPatienceMs: 3000,
        patienceMs: 270_000,
      },
    )
    const fulfilments = await load.done
    proxy.judge(null)

    const damage = await assessDamage(gateway, fulfilments)
    report('lost COMMIT acknowledgement', proxy.injections(), damage, load)
    expect(load.malformed).toEqual([])
    expect(fulfilments.filter(({ charged }) => charged === '5')).toHaveLength(fulfilments.length)
    expect(backend.effects()).toBe(fulfilments.length)
    expect(proxy.injections()).toBeGreaterThanOrEqual(injections)
    await expectNoDamage(gateway, damage)
  })

  test('keeps a call charged and logged when the database becomes unavailable right after', async () => {
    await start()
    const account = await gateway.createAccount({ credits: 100 })
    const reveal = () =>
      gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, account.liveKey, {
        [idempotencyHeader]: 'away',
      })
    proxy.judge((bytes) => (bytes.includes('settle-holds') ? 'cut the reply' : null))
    const first = await reveal()
    proxy.judge(null)
    const again = await reveal()

    report('long outage after a COMMIT', proxy.injections(), noDamage)
    expect([first.status, again.status]).toEqual([503, 200])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(backend.requests()).toBe(1)
    await expectNoDamage(gateway, await assessDamage(gateway, []))
  })

  test('is 503 as the result of a tool, and the same call again gets the answer at no cost', async () => {
    await start()
    const account = await gateway.createAccount({ credits: 100 })
    const call = () =>
      callTool(gateway.live, account.liveKey, 'contacts_reveal_contact', { contact_id: 'con_1' })
    proxy.judge((bytes) => (bytes.includes('settle-holds') ? 'cut the reply' : null))
    const first = failureOf(await call())
    proxy.judge(null)
    const again = resultOf(await call())

    report('long outage after a COMMIT, for a tool', proxy.injections(), noDamage)
    expect(first).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' })
    expect(again._meta).toMatchObject({ credits_charged: 0, credits_remaining: 95, replayed: true })
    expect(backend.requests()).toBe(1)
    await expectNoDamage(gateway, await assessDamage(gateway, []))
  })

  test('without a database, a tool whose caller is known fails with 503 as a result, before that by HTTP', async () => {
    await start()
    const [known, unknown] = [await gateway.createAccount(), await gateway.createAccount()]
    resultOf(await ask(gateway.live, known.liveKey, 'tools/list'))
    const call = (key: string) =>
      callTool(gateway.live, key, 'contacts_reveal_contact', { contact_id: 'con_1' })

    proxy.judge((bytes) => (bytes.includes('reserve-credits') ? 'lose the request' : null))
    const afterBody = await call(known.liveKey)
    proxy.judge(() => 'lose the request')
    const beforeBody = await call(unknown.liveKey)
    proxy.judge(null)

    expect(failureOf(afterBody)).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' })
    expectError(gateway, beforeBody, { status: 503, code: 'SERVICE_UNAVAILABLE' })
    expect(backend.requests()).toBe(0)
    await expectNoDamage(gateway, await assessDamage(gateway, []))
  })

  test('does not let a late settlement charge a key that was used again', async () => {
    await start({ BACKEND_TIMEOUT_MS: '1000', HOLD_TTL_SECONDS: '2' })
    const account = await gateway.createAccount({ credits: 100 })
    const reveal = ({ live } = gateway) =>
      live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, account.liveKey, {
        [idempotencyHeader]: 'late',
      })
    // While a charge is in doubt, its own gateway sends no call to a module.
    const other = await startAnother()
    // Neither settled nor swept, the first attempt's hold outlives its time.
    const isSettling = (bytes: Buffer) => backend.requests() < 2 && bytes.includes('settle-holds')
    proxy.judge((bytes) =>
      isSettling(bytes) || bytes.includes('expire-holds') ? 'lose the request' : null,
    )

    const first = reveal()
    const attempts: Promise<unknown>[] = []
    await vi.waitUntil(
      () => {
        if (backend.requests() > 0) attempts.push(reveal(other))
        return backend.requests() > 1
      },
      { ...patience, interval: 100 },
    )
    await Promise.all([first, ...attempts])
    proxy.judge(null)
    await vi.waitUntil(async () => (await reveal()).status === 200, patience)

    const [row] = await database.query<{ charges: string }>(
      "SELECT count(*) AS charges FROM account.ledger_audit WHERE kind = 'charge'",
    )
    const doubleCharges = Number(row?.charges) - 1
    report('late settlement', proxy.injections(), { ...noDamage, doubleCharges })
    await expectNoDamage(gateway, { ...noDamage, doubleCharges })
  })
})
