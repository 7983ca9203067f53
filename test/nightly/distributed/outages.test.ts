import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { migrateAll } from '../../../gateway/launch/databases/migrations.ts'
import type { RoleProcess } from '../../../gateway/processes/distributed/processes.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import type { TestAccount, TestGateway } from '../../support/gateway/gateway.ts'
import { assessDamage, expectNoDamage, report } from '../../support/load/audit.ts'
import { startLoad, wishCredits, wishesOf } from '../../support/load/load.ts'
import { type OwnPostgres, startOwnPostgres } from '../../support/processes/own-postgres.ts'
import { startTestProcesses, type TestProcessSet } from '../../support/processes/process-set.ts'
import { patience } from '../../support/time/patience.ts'

/** Subgraph → a route that cannot do without it. */
const routes: ReadonlyMap<string, string> = new Map([
  ['account', '/v1/account/credits'],
  ['keys', '/v1/account/keys'],
  ['oauth', '/v1/oauth/consents'],
  ['usage', '/v1/account/usage/log'],
])

describe('a gateway of processes, two of each subgraph', () => {
  let postgres: OwnPostgres
  let processes: TestProcessSet
  let doors: readonly [TestGateway, TestGateway]
  const ended = new Set<RoleProcess>()
  beforeAll(async () => {
    postgres = await startOwnPostgres()
    await migrateAll(postgres.database.ownerUrl)
    processes = await startTestProcesses({
      ...{ database: postgres.database, instances: 2 },
      // A cached key is accepted, so only the data of the request needs a subgraph.
      variables: {
        ...{ KEY_CACHE_SECONDS: '3600', LOG_LEVEL: 'error' },
        // A killed process refuses at once; what is only late must not count as lost.
        DATABASE_TIMEOUT_MS: '30000',
      },
    })
    doors = processes.doors
    for (const one of processes.set.processes) void one.exited.then(() => ended.add(one))
  })
  afterAll(async () => {
    await processes.close()
    await postgres.close()
  })

  async function kill(victim: RoleProcess | undefined): Promise<RoleProcess> {
    if (!victim) throw new Error('It is there.')
    victim.signal('SIGKILL')
    expect(await victim.exited).toBe(null)
    return victim
  }

  const statusesOf = async (account: TestAccount, { live }: TestGateway = doors[0]) =>
    Object.fromEntries(
      await Promise.all(
        [...routes].map(async ([name, path]) => {
          const { status } = await live.get(path, account.liveKey)
          return [name, status] as const
        }),
      ),
    )
  const allWell = Object.fromEntries([...routes.keys()].map((name) => [name, 200]))

  /** One request after the other of each route, through both doors. */
  function startReaders(account: TestAccount) {
    const failures: unknown[] = []
    let count = 0
    let isOver = false
    async function read(path: string, { live }: TestGateway): Promise<void> {
      while (!isOver) {
        const { status, body } = await live.get(path, account.liveKey)
        count += 1
        if (status === 429) await new Promise((resolve) => setTimeout(resolve, 100))
        else if (status !== 200) failures.push([path, status, body])
      }
    }
    const done = Promise.all(
      [...routes.values()].flatMap((path) => doors.map((door) => read(path, door))),
    )
    return {
      count: () => count,
      async finish() {
        isOver = true
        await done
        return failures
      },
    }
  }

  test('loses no read when one of two subgraphs is killed, answers 503 when both are, and loses nothing', async () => {
    // One for the calls whose answers matter one by one: readers use up the rate limit of theirs.
    const [reader, prober, ...owners] = await Promise.all(
      Array.from({ length: 6 }, () => doors[0].createAccount({ credits: 1_000_000 })),
    )
    if (!reader || !prober) throw new Error('They are there.')
    for (const account of [reader, prober, ...owners]) {
      for (const { live } of doors)
        expect((await live.get('/v1/account', account.liveKey)).status).toBe(200)
    }
    let isOver = false
    let turn = 0
    const load = startLoad(
      wishesOf(owners, 100_000, () => isOver),
      {
        urlOf: () => doors[turn++ % 2 === 0 ? 0 : 1].baseUrl,
        ...{ clients: 2, answerPatienceMs: 30_000, patienceMs: 120_000 },
      },
    )
    const untilFulfilled = async (more: number) => {
      const goal = load.fulfilled() + more
      await vi.waitUntil(() => load.fulfilled() >= goal, patience)
    }

    const pairs = [...routes.keys()].map((name) => processes.set.of(name))
    const readers = startReaders(reader)
    await vi.waitUntil(() => readers.count() > 20, patience)
    await Promise.all(pairs.map(([one]) => kill(one)))
    const before = readers.count()
    await vi.waitUntil(() => readers.count() > before + 100, patience)
    expect(await readers.finish()).toEqual([])
    await untilFulfilled(10)

    for (const [name, path] of routes) {
      const gone = await kill(processes.set.of(name)[1])
      const answer = await doors[0].live.get(path, prober.liveKey)
      expectError(doors[0], answer, { status: 503, code: 'SERVICE_UNAVAILABLE' })
      expect(answer.headers.get('retry-after')).toBe('1')
      // Keys show their budgets, which the account subgraph keeps.
      const withIt = name === 'account' ? { keys: 503 } : {}
      expect(await statusesOf(prober)).toEqual({ ...allWell, ...withIt, [name]: 503 })
      // Routes that join subgraphs say so too, and so does internal GraphQL.
      const overview = await doors[1].live.get('/v1/account/overview', prober.liveKey)
      expect(overview.status).toBe(['account', 'usage'].includes(name) ? 503 : 200)
      const tools = doors[0].graphql('{ accounts(first: 1) { nodes { id } } }').catch(String)
      if (name === 'account') {
        expect(await tools).toContain('SERVICE_UNAVAILABLE')
        // Whose key it would be, only the account subgraph knows.
        await expect(doors[0].createKey(reader.id)).rejects.toThrow('SERVICE_UNAVAILABLE')
      } else await untilFulfilled(10)
      await processes.startAgain(gone)
      for (const door of doors) {
        await vi.waitFor(
          async () => expect(await statusesOf(prober, door)).toEqual(allWell),
          patience,
        )
      }
      await untilFulfilled(10)
    }
    isOver = true
    const fulfilments = await load.done

    const damage = await assessDamage(doors[0], fulfilments)
    report('subgraphs killed', 8, damage, load)
    expect(load.malformed).toEqual([])
    await expectNoDamage(doors[0], damage)
    const [logged] = await postgres.database.query(
      'SELECT count(DISTINCT request_id)::int AS count FROM usage.usage_log WHERE credits = $1',
      [wishCredits],
    )
    expect(logged).toEqual({ count: load.fulfilled() })
  })

  test('answers 503 on every listener when PostgreSQL crashes, ends no process, and recovers by itself', async () => {
    const account = await doors[0].createAccount({ credits: 100 })
    const reveal = (door: TestGateway) =>
      door.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, account.liveKey)
    for (const door of doors) expect((await reveal(door)).status).toBe(200)
    const endedBefore = ended.size

    await postgres.crash('SIGQUIT')
    for (const door of doors) {
      expectError(doors[0], await reveal(door), { status: 503, code: 'SERVICE_UNAVAILABLE' })
      expect((await door.live.get('/v1/health')).status).toBe(200)
    }
    const tools = doors[0].graphql('{ accounts(first: 1) { nodes { id } } }')
    await expect(tools).rejects.toThrow('SERVICE_UNAVAILABLE')
    await postgres.start()

    for (const door of doors) {
      await vi.waitUntil(async () => (await reveal(door)).status === 200, patience)
    }
    await vi.waitFor(async () => expect(await statusesOf(account)).toEqual(allWell), patience)
    expect(ended.size).toBe(endedBefore)
    await expectExactBooks(doors[0])
  })
})
