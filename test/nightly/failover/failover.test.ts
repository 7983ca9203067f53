import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { rounds } from '../../support/extent/extent.ts'
import {
  asTestGateway,
  type TestAccount,
  type TestGateway,
  variablesFor,
} from '../../support/gateway/gateway.ts'
import { assessDamage, expectNoDamage, report } from '../../support/load/audit.ts'
import {
  type DeduplicatingBackend,
  startDeduplicatingBackend,
} from '../../support/load/deduplicating-backend.ts'
import { type Load, startLoad, type Wish, wishCredits, wishesOf } from '../../support/load/load.ts'
import {
  hasPatroni,
  type PatroniCluster,
  startPatroniCluster,
} from '../../support/processes/patroni.ts'
import type { PatroniNode } from '../../support/processes/patroni-node.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace, type Workplace } from '../../support/processes/workplace.ts'
import { patience } from '../../support/time/patience.ts'

const failovers = rounds('FAILOVERS', { all: 3, nightly: 20 })
/** With asynchronous replication, losses are only counted: it promises nothing. */
const replication = process.env.FAILOVER_REPLICATION ?? 'synchronous'
const isAsynchronous = replication === 'asynchronous'
type Kind = 'kill -9' | 'switchover' | 'partition'
const kinds: readonly Kind[] = isAsynchronous ? ['kill -9'] : ['kill -9', 'switchover', 'partition']
const timeoutMs = 300_000 + failovers * 240_000
/** Longer than any failover takes. */
const wishPatienceMs = 180_000
/** The number of calls that the poor account can pay for, and the number that it makes. */
const affordable = 60
const desired = 80

describe.skipIf(!hasPatroni)('the loss of the primary of a PostgreSQL cluster', () => {
  let cluster: PatroniCluster
  let backend: DeduplicatingBackend
  let place: Workplace
  let variables: Readonly<Record<string, string>>
  let gateway: TestGateway
  beforeAll(async () => {
    await compileProgram()
    cluster = await startPatroniCluster({ isAsynchronous })
    backend = await startDeduplicatingBackend()
    place = openWorkplace({ prefix: 'gateway-failover-' })
    variables = {
      ...variablesFor(cluster.database),
      BACKEND_CONTACT_FINDER_URL: backend.url,
      BACKEND_TIMEOUT_MS: '1000',
      // Longer than a failover takes: a call that a module has answered is charged afterwards.
      HOLD_TTL_SECONDS: '60',
      LOG_LEVEL: 'error',
    }
    gateway = asTestGateway(await place.start(variables), cluster.database)
  }, timeoutMs)
  afterAll(async () => {
    await place.close()
    await backend.close()
    await cluster.close()
  })

  function load(urlOf: () => string, wishes: Iterable<Wish>): Load {
    return startLoad(wishes, {
      urlOf,
      clients: 8,
      answerPatienceMs: 6000,
      patienceMs: wishPatienceMs,
      isFinal: (status) => status === 402,
    })
  }

  const createAccounts = (count: number, credits: number): Promise<TestAccount[]> =>
    Promise.all(Array.from({ length: count }, () => gateway.createAccount({ credits })))

  async function lose(primary: PatroniNode): Promise<void> {
    await primary.kill()
    await untilLedByAnother(primary)
    primary.start()
  }

  /**
   * The primary believes that it still leads, and one gateway still reaches it. Whatever that gateway acknowledges
   * must be in the books of the new primary; what it leaves open, its clients ask the other gateway for.
   */
  async function partition(primary: PatroniNode): Promise<Load> {
    const accounts = await createAccounts(2, 1_000_000)
    const cutOff = await place.start({ ...variables, DATABASE_URL: primary.serviceUrl })
    let url = cutOff.baseUrl
    let isOver = false
    const cutOffLoad = load(
      () => url,
      wishesOf(accounts, 100_000, () => isOver),
    )
    try {
      await vi.waitUntil(() => cutOffLoad.fulfilled() > 20, patience)
      primary.freeze()
      await untilLedByAnother(primary)
      // Several batches of charges try to commit on the old primary.
      await sleep(5000)
    } finally {
      isOver = true
      cutOff.signal('SIGKILL')
      await cutOff.finished
      url = gateway.baseUrl
      primary.thaw()
    }
    return cutOffLoad
  }

  async function countHolds(): Promise<number> {
    const [row] = await cluster.database.query<{ count: string }>(
      'SELECT count(*) FROM account.hold',
    )
    return Number(row?.count)
  }

  async function untilLedByAnother({ name }: PatroniNode): Promise<void> {
    await vi.waitUntil(async () => (await cluster.primary()).name !== name, patience)
  }

  test('loses no acknowledged charge, doubles none, and service returns by itself', {
    timeout: timeoutMs,
  }, async () => {
    const accounts = await createAccounts(4, 1_000_000)
    let isOver = false
    const steady = load(
      () => gateway.baseUrl,
      wishesOf(accounts, 1_000_000, () => isOver),
    )
    const loads = [steady]
    const poor: TestAccount[] = []

    async function playRound(kind: Kind): Promise<number> {
      await cluster.untilWhole()
      const [poorOne] = await createAccounts(1, affordable * wishCredits)
      if (poorOne) poor.push(poorOne)
      loads.push(load(() => gateway.baseUrl, wishesOf(poor.slice(-1), desired)))
      const gaps = watchGaps(steady)
      try {
        const primary = await cluster.primary()
        if (kind === 'kill -9') await lose(primary)
        else if (kind === 'switchover') await cluster.switchover()
        else loads.push(await partition(primary))
        const after = steady.fulfilled()
        await vi.waitUntil(() => steady.fulfilled() > after + 20, patience)
      } finally {
        gaps.stop()
      }
      return gaps.longestMs()
    }

    try {
      for (let round = 0; round < failovers; round += 1) {
        const kind = kinds[round % kinds.length] ?? 'kill -9'
        console.log(`${round + 1}: ${kind}, at most ${await playRound(kind)} ms without a success`)
      }
    } finally {
      // Also when a round fails: its load must not go on beside other tests.
      isOver = true
    }
    const fulfilments = (await Promise.all(loads.map(({ done }) => done))).flat()
    await cluster.untilWhole()
    // Holds whose calls failed end by themselves, and what they kept is spent after all.
    await vi.waitUntil(async () => (await countHolds()) === 0, patience)
    for (const one of poor) {
      fulfilments.push(...(await load(() => gateway.baseUrl, wishesOf([one], desired)).done))
    }

    const damage = await assessDamage(gateway, fulfilments)
    report(`failover, ${replication} replication`, failovers, damage, steady)
    expect(loads.flatMap(({ malformed }) => malformed)).toEqual([])
    if (replication === 'asynchronous') return
    const successes = fulfilments.filter(({ body }) => body !== null)
    const bought = poor.map(({ id }) => {
      const own = successes.filter(({ account }) => account.id === id)
      return new Set(own.map(({ key }) => key)).size
    })
    expect(bought).toEqual(poor.map(() => affordable))
    await expectNoDamage(gateway, damage)
  })
})

/** The longest time without a success from now on. */
function watchGaps({ fulfilled }: Load) {
  let known = fulfilled()
  let sinceMs = performance.now()
  let longestMs = 0
  const timer = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - sinceMs)
    if (fulfilled() === known) return
    known = fulfilled()
    sinceMs = performance.now()
  }, 20)
  return {
    stop: () => clearInterval(timer),
    longestMs: () => Math.round(longestMs),
  }
}
