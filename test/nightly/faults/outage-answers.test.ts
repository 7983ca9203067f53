import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { type PlantedApp, plantApp } from '../../support/oauth/oauth.ts'
import { type ChaosProxy, startChaosProxy } from '../../support/processes/chaos-proxy.ts'
import { type OwnPostgres, startOwnPostgres } from '../../support/processes/own-postgres.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'
import { startRunningClock } from '../../support/time/running-clock.ts'

/** The promise: while the database is unavailable, requests are answered within this time. */
const promisedMs = 2000
/** And is served again so soon after it is back. */
const healedMs = 5000

interface Outage {
  readonly database: TestDatabase
  /** Where the gateway finds the database. */
  readonly url: string
  begin(): Promise<void>
  end(): Promise<void>
  close(): Promise<void>
}

/** A proxy does to the connections what the mode says. */
async function throughProxy(mode: 'refuse' | 'reset' | 'black hole'): Promise<Outage> {
  const database = await createTestDatabase()
  const proxy: ChaosProxy = await startChaosProxy(database.serviceUrl)
  return {
    database,
    url: proxy.through(database.serviceUrl),
    begin: async () => proxy.set(mode),
    end: async () => proxy.set('pass'),
    async close() {
      await proxy.close()
      await database.drop()
    },
  }
}

/** `pg_ctl stop -m immediate`, and a start. */
async function stoppedAtOnce(): Promise<Outage> {
  const postgres: OwnPostgres = await startOwnPostgres()
  const { database } = postgres
  return {
    database,
    url: database.serviceUrl,
    begin: () => postgres.crash('SIGQUIT'),
    end: () => postgres.start(),
    close: () => postgres.close(),
  }
}

interface Askers {
  /** Known to the gateway. */
  readonly warm: TestAccount
  /** Keys that it has not seen yet. */
  readonly cold: readonly string[]
  readonly app: PlantedApp
}

/** Asks of every kind, by name: each takes another way to the database. */
function asks({ live }: TestGateway, { warm, cold, app }: Askers) {
  const newKey = () => ({ 'X-SVC-Idempotency-Key': randomUUID() })
  const { clientId, clientSecret } = app
  const form = {
    authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const reveal = (headers = {}) =>
    live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, warm.liveKey, headers)
  const token = `grant_type=refresh_token&refresh_token=${newOAuthSecret('svc', 'ort')}`
  const coldKeys = [...cold]
  return new Map<string, () => Promise<TestResponse>>([
    ['a key that nobody has used yet', () => live.get('/v1/account', coldKeys.pop())],
    ['a metered call', reveal],
    ['a metered call with an idempotency key', () => reveal(newKey())],
    ['a list', () => live.get('/v1/account/keys', warm.liveKey)],
    ['the account', () => live.get('/v1/account', warm.liveKey)],
    ['the usage log', () => live.get('/v1/account/usage/log', warm.liveKey)],
    ['the usage summary', () => live.get('/v1/account/usage/summary', warm.liveKey)],
    ['a change', () => live.post('/v1/account/keys', { name: 'New' }, warm.liveKey)],
    [
      'a change with an idempotency key',
      () => live.post('/v1/account/keys', { name: 'New' }, warm.liveKey, newKey()),
    ],
    ['an access token', () => live.post('/v1/oauth/token', token, undefined, form)],
  ])
}

const clock = startRunningClock()
afterAll(clock.stop)

async function timed(ask: () => Promise<TestResponse>) {
  const startedMs = clock.now()
  const answer = await ask()
  return { answer, tookMs: Math.round(clock.now() - startedMs) }
}

const rounds = ['as it begins', 'once it lasts', 'all the time']

describe.each([
  ['refuses connections', () => throughProxy('refuse')],
  ['resets connections', () => throughProxy('reset')],
  ['was stopped at once', stoppedAtOnce],
  ['swallows what is sent to it', () => throughProxy('black hole')],
] as const)('a database that %s', (name, open) => {
  let outage: Outage
  let gateway: TestGateway
  let askers: Askers
  beforeAll(async () => {
    outage = await open()
    const { database, url: DATABASE_URL } = outage
    gateway = await startTestGateway({ DATABASE_URL, KEY_CACHE_SECONDS: '3600' }, { database })
    const warm = await gateway.createAccount({ credits: 100_000 })
    const cold: string[] = []
    while (cold.length < 20) cold.push((await gateway.createKey(warm.id)).plaintext)
    askers = { warm, cold, app: await plantApp(gateway, { ownerId: warm.id }) }
  })
  afterAll(async () => {
    await gateway.close()
    await outage.close()
  })

  test('causes 503 within two seconds, for every request, and recovers within five; nothing is charged twice', async () => {
    const kinds = asks(gateway, askers)
    // Connections are there, and keys are known.
    for (const [kind, ask] of kinds) expect([kind, (await ask()).status]).not.toEqual([kind, 503])
    let revealed = 2

    await outage.begin()
    const slowest = new Map<string, number>()
    for (const round of rounds) {
      // Each kind twice at once: some wait for what the first of them waits for.
      const asked = [...kinds, ...kinds].map(async ([kind, ask]) => {
        const { answer, tookMs } = await timed(ask)
        return { kind, answer, tookMs }
      })
      for (const { kind, answer, tookMs } of await Promise.all(asked)) {
        expect([round, kind, answer.status]).toEqual([round, kind, 503])
        expectError(gateway, answer, { status: 503, code: 'SERVICE_UNAVAILABLE' })
        slowest.set(kind, Math.max(tookMs, slowest.get(kind) ?? 0))
      }
    }
    console.log(`${name}: ${[...slowest].map(([kind, ms]) => `${kind} ${ms} ms`).join(', ')}`)
    expect([...slowest].filter(([, ms]) => ms > promisedMs)).toEqual([])

    await outage.end()
    const endedMs = clock.now()
    const healed = await Promise.all(
      [...kinds].map(async ([kind, ask]) => {
        await vi.waitUntil(async () => {
          const { status } = await ask()
          if (kind.startsWith('a metered') && status === 200) revealed += 1
          return status !== 503
        }, patience)
        return [kind, Math.round(clock.now() - endedMs)] as const
      }),
    )
    console.log(`${name}: ${healed.map(([kind, ms]) => `${kind} after ${ms} ms`).join(', ')}`)
    expect(healed.filter(([, ms]) => ms > healedMs)).toEqual([])
    const [row] = await gateway.database.query<{ charges: number }>(
      "SELECT count(*)::int AS charges FROM account.ledger_audit WHERE kind = 'charge'",
    )
    expect(row?.charges).toBe(revealed)
    await expectExactBooks(gateway)
  })
})
