import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { rounds } from '../../support/extent/extent.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import {
  asTestGateway,
  type TestAccount,
  type TestGateway,
  variablesFor,
} from '../../support/gateway/gateway.ts'
import {
  assessDamage,
  expectNoDamage,
  expectNoDamageSoFar,
  report,
  untilSwept,
} from '../../support/load/audit.ts'
import {
  type DeduplicatingBackend,
  startDeduplicatingBackend,
} from '../../support/load/deduplicating-backend.ts'
import { type Load, startLoad, wishCredits, wishesOf } from '../../support/load/load.ts'
import { compileProgram } from '../../support/processes/program.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../support/processes/workplace.ts'
import { patience } from '../../support/time/patience.ts'

const kills = rounds('KILLS', { all: 2, nightly: 60 })
const timeoutMs = 900_000
/** The number of calls that the poor account can pay for, and the number that it makes. */
const affordable = 60
const desired = 80

describe('kill -9 of the gateway', () => {
  let database: TestDatabase
  let backend: DeduplicatingBackend
  let place: Workplace
  let variables: Readonly<Record<string, string>>
  let current: StartedGateway
  let url: Promise<string>
  let gateway: TestGateway
  beforeAll(async () => {
    await compileProgram()
    database = await createTestDatabase()
    backend = await startDeduplicatingBackend()
    place = openWorkplace({ prefix: 'gateway-fault-' })
    variables = {
      ...variablesFor(database),
      BACKEND_CONTACT_FINDER_URL: backend.url,
      BACKEND_TIMEOUT_MS: '1000',
      HOLD_TTL_SECONDS: '2',
      LOG_LEVEL: 'error',
    }
    await startNext()
  })
  afterAll(async () => {
    await place.close()
    await backend.close()
    await database.drop()
  })

  async function startNext(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    url = promise
    const starting = place.start(variables)
    starting.then(({ baseUrl }) => resolve(baseUrl), reject)
    current = await starting
    gateway = asTestGateway(current, database)
  }

  interface Wishes {
    readonly most: number
    readonly isEnough?: () => boolean
    readonly isKeyed?: boolean
  }

  function load(accounts: readonly TestAccount[], { most, isEnough, isKeyed }: Wishes): Load {
    return startLoad(wishesOf(accounts, most, isEnough), {
      urlOf: () => url,
      clients: accounts.length * 4,
      answerPatienceMs: 3000,
      // A wish may be cut down by every kill.
      patienceMs: timeoutMs,
      isFinal: (status) => status === 402,
      isKeyed,
    })
  }

  async function countOf(sql: string): Promise<number> {
    const [row] = await database.query<{ count: string }>(`SELECT count(*) ${sql}`)
    return Number(row?.count)
  }

  async function setBudget(key: string): Promise<void> {
    const budgets = [
      { period: 'day', limit_credits: 1_000_000 },
      { period: 'total', limit_credits: 1_000_000 },
    ]
    const asked = { method: 'PUT', key, body: { budgets } }
    expect(await gateway.live.request('/v1/account/budgets', asked)).toMatchObject({ status: 200 })
  }

  test('loses no acknowledged charge, doubles none, and leaves nothing to repair', {
    timeout: timeoutMs,
  }, async () => {
    const rich = await Promise.all(
      Array.from({ length: 4 }, () => gateway.createAccount({ credits: 100_000 })),
    )
    const poor = [await gateway.createAccount({ credits: affordable * wishCredits })]
    // Calls with budgets are reserved and settled by statements of their own.
    for (const { liveKey } of rich.slice(2)) await setBudget(liveKey)
    const withoutKeys = await Promise.all(
      Array.from({ length: 2 }, () => gateway.createAccount({ credits: 100_000 })),
    )
    let isOver = false
    const many = { most: 100_000, isEnough: () => isOver }
    const richLoad = load(rich, many)
    const poorLoad = load(poor, { most: desired })
    const plainLoad = load(withoutKeys, { ...many, isKeyed: false })
    const loads = [richLoad, poorLoad, plainLoad]
    const sweeps: Promise<void>[] = []

    for (let kill = 0; kill < kills; kill += 1) {
      const before = richLoad.fulfilled()
      await vi.waitUntil(() => richLoad.fulfilled() > before, { ...patience, interval: 5 })
      await sleep(Math.random() * 400)
      current.signal('SIGKILL')
      await current.finished
      await startNext()
      await expectNoDamageSoFar(gateway, loads)
      sweeps.push(untilSwept(gateway).then(() => expectNoDamageSoFar(gateway, loads)))
    }
    await Promise.all(sweeps)
    isOver = true
    const fulfilments = [...(await richLoad.done), ...(await poorLoad.done)]
    const ofPlain = await plainLoad.done

    // Holds that dead processes left behind end by themselves, and what they kept is spent after
    // all.
    await vi.waitUntil(async () => (await countOf('FROM account.hold')) === 0, patience)
    fulfilments.push(...(await load(poor, { most: desired }).done))
    const recoveredMs = performance.now()
    await vi.waitUntil(
      async () =>
        (await countOf(`FROM account.ledger_entry e
          LEFT JOIN usage.usage_log u ON u.account_id = e.account_id
            AND u.environment = e.environment AND u.request_id = e.ref
          WHERE e.kind = 'charge' AND u.credits IS DISTINCT FROM -e.credits`)) === 0,
      patience,
    )
    const recoverySeconds = Math.round((performance.now() - recoveredMs) / 1000)

    await expectExactBooks(gateway)
    const damage = await assessDamage(gateway, [...fulfilments, ...ofPlain], loads)
    report(`kill -9 (usage log whole ${recoverySeconds} s later)`, kills, damage, richLoad)
    report('kill -9, calls without keys', kills, damage, plainLoad)
    const successes = fulfilments.filter(({ charged }) => charged === String(wishCredits))
    const [poorAccount] = poor
    const bought = new Set(
      successes.filter(({ account }) => account.id === poorAccount?.id).map(({ key }) => key),
    )
    expect(loads.flatMap(({ malformed }) => malformed)).toEqual([])
    expect(ofPlain.filter(({ charged }) => charged !== String(wishCredits))).toEqual([])
    expect(ofPlain.filter(({ requestId }) => !backend.plainCalls.has(requestId ?? ''))).toEqual([])
    expect(bought.size).toBe(affordable)
    expect(richLoad.fulfilled()).toBe(
      fulfilments.filter(({ account }) => rich.includes(account)).length,
    )
    // A call that died after its effect may find the last credits gone. Then nobody paid for the effect;
    // but no effect happens twice, and no paid effect is missing.
    const unpaid = backend.effects() - richLoad.fulfilled() - affordable
    expect(unpaid).toBeGreaterThanOrEqual(0)
    expect(unpaid).toBeLessThanOrEqual(desired - affordable)
    expect(new Set(successes.map(({ body }) => body)).size).toBe(
      new Set(successes.map(({ account, key }) => `${account.id} ${key}`)).size,
    )
    await expectNoDamage(gateway, damage)
    // The audit of the ledger has just shown that the use of the budgets is what was charged.
    expect(await countOf('FROM account.budget WHERE held <> 0')).toBe(0)
    expect(await countOf(`FROM account.budget WHERE used > 0 AND period = 'total'`)).toBe(2)
    expect(await place.run(['ledger', 'verify'], variables)).toMatchObject({ code: 0 })
  })
})
