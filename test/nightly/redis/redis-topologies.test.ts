import { randomUUID } from 'node:crypto'
import { describe, expect, type TestContext, test, vi } from 'vitest'
import { readConfig } from '../../../gateway/config/config.ts'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { type RedisNotices, redisNotices } from '../../../gateway/processes/redis/redis-notices.ts'
import {
  type RedisRateLimiter,
  redisRateLimiter,
} from '../../../gateway/processes/redis/redis-rate-limiter.ts'
import type { RateWindow } from '../../../rest-facade/http/call.ts'
import { startChaosProxy } from '../../support/processes/chaos-proxy.ts'
import {
  hasRedis,
  type RedisServer,
  startRedisServer,
} from '../../support/processes/redis-server.ts'
import { patience } from '../../support/time/patience.ts'

const log = createLog({ level: 'silent', format: 'json' })

type Cleanup = TestContext['onTestFinished']

async function started(
  onTestFinished: Cleanup,
  ...options: Parameters<typeof startRedisServer>
): Promise<RedisServer> {
  const server = await startRedisServer(...options)
  onTestFinished(() => server.close())
  return server
}

/** The clients of Redis in one process. */
interface Side {
  readonly limiter: RedisRateLimiter
  readonly notices: RedisNotices
  readonly heard: Set<string>
  readonly gaps: () => number
}

async function connect(onTestFinished: Cleanup, url: string): Promise<Side> {
  const { REDIS_URL: address } = readConfig({ REDIS_URL: url }, [])
  if (!address) throw new Error(`${url} is no address.`)
  const heard = new Set<string>()
  let gaps = 0
  const limiter = await redisRateLimiter(address, log)
  const notices = redisNotices(address, {
    onChange(accountId) {
      if (accountId === null) gaps += 1
      else heard.add(accountId)
    },
  })
  onTestFinished(() => limiter.close())
  onTestFinished(() => notices.close())
  return { limiter, notices, heard, gaps: () => gaps }
}

const limitRps = 10

/** Three times as many calls as each account may make, from both sides. */
async function expectExactLimit(sides: readonly [Side, Side], accounts: number): Promise<void> {
  const burst = (key: string) =>
    Promise.all(
      Array.from({ length: 3 * limitRps }, async (_, index) =>
        sides[index % 2 === 0 ? 0 : 1].limiter.limit(key, limitRps),
      ),
    )
  // Open until connected, or when an answer takes too long: here all must have been counted.
  const counted = await vi.waitUntil(async () => {
    const windows = await Promise.all(Array.from({ length: accounts }, () => burst(randomUUID())))
    return windows.flat().every(({ remaining }) => remaining < limitRps) ? windows : null
  }, patience)

  for (const windows of counted) {
    const bySecond = Map.groupBy(windows, (window) => window.resetAtSeconds)
    const admitted = [...bySecond.values()].map(admittedOf)
    expect(Math.max(...admitted)).toBe(limitRps)
    expect(windows.some(({ isExceeded }) => isExceeded)).toBe(true)
  }
}

function admittedOf(windows: readonly RateWindow[]): number {
  return windows.filter(({ isExceeded }) => !isExceeded).length
}

async function expectNotices([one, other]: readonly [Side, Side]): Promise<void> {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    const accountId = randomUUID()
    await vi.waitUntil(() => {
      from.notices.tell(accountId)
      return to.heard.has(accountId)
    }, patience)
  }
}

/** Passes everything, whatever the account. */
async function expectOpen(sides: readonly [Side, Side]): Promise<void> {
  await vi.waitUntil(async () => {
    const windows = await Promise.all(
      sides.flatMap(({ limiter }) =>
        Array.from({ length: 3 * limitRps }, async () => limiter.limit(randomUUID(), limitRps)),
      ),
    )
    return windows.every(({ remaining }) => remaining === limitRps)
  }, patience)
}

/** Each process that may have missed a notice forgets everything. */
async function expectGap(sides: readonly Side[], cause: () => unknown): Promise<void> {
  const before = sides.map(({ gaps }) => gaps())
  await cause()
  await vi.waitUntil(() => sides.every(({ gaps }, side) => gaps() > (before[side] ?? 0)), patience)
}

// At the same time, because each waits most of the time.
describe.runIf(hasRedis).concurrent('Redis', () => {
  test('behind sentinels counts exactly and carries notices, before and after a failover', async ({
    onTestFinished,
  }) => {
    const master = await started(onTestFinished)
    const replica = await started(onTestFinished, {
      args: ['--replicaof', '127.0.0.1', String(master.port)],
    })
    await vi.waitUntil(async () => {
      const info = await replica.run('INFO', 'replication')
      return String(info).includes('master_link_status:up')
    }, patience)
    const sentinel = await started(onTestFinished, {
      sentinel: [
        `sentinel monitor main 127.0.0.1 ${master.port} 1`,
        'sentinel down-after-milliseconds main 60000',
        'sentinel failover-timeout main 2000',
      ],
    })
    await vi.waitUntil(async () => {
      const replicas = await sentinel.run('SENTINEL', 'REPLICAS', 'main')
      return Array.isArray(replicas) && replicas.length > 0
    }, patience)
    // The first sentinel is away.
    const url = `redis+sentinel://127.0.0.1:1,127.0.0.1:${sentinel.port}/main`
    const sides = [await connect(onTestFinished, url), await connect(onTestFinished, url)] as const
    await expectExactLimit(sides, 1)
    await expectNotices(sides)

    // The sentinel gets this short time only now, because a master that is only late must not be
    // replaced before.
    await sentinel.run('SENTINEL', 'SET', 'main', 'down-after-milliseconds', '300')
    await expectGap(sides, () => master.kill())

    expect(String(await replica.run('ROLE'))).toMatch(/^master/)
    await expectExactLimit(sides, 1)
    await expectNotices(sides)
  })

  test('as a cluster counts exactly on every node, also after a node was down', async ({
    onTestFinished,
  }) => {
    const node = () => started(onTestFinished, { args: ['--cluster-enabled', 'yes'] })
    const nodes = await Promise.all([node(), node(), node()])
    await join(nodes)
    const url = `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`
    const sides = [await connect(onTestFinished, url), await connect(onTestFinished, url)] as const

    // Chance decides which node counts for an account.
    await vi.waitUntil(async () => {
      await expectExactLimit(sides, 9)
      const stats = await Promise.all(nodes.map((each) => each.run('INFO', 'commandstats')))
      return stats.every((text) => String(text).includes('cmdstat_hincrby'))
    }, patience)
    await expectNotices(sides)

    await nodes[0].kill()
    await expectOpen(sides)
    await expectNotices(sides)
    await expectGap(sides, () => nodes[0].start())
    await expectExactLimit(sides, 9)
    await expectNotices(sides)
  })

  test('is subscribed to again when it has stopped sending', async ({ onTestFinished }) => {
    const redis = await started(onTestFinished)
    const proxy = await startChaosProxy(redis.url)
    onTestFinished(() => proxy.close())
    const side = await connect(onTestFinished, proxy.through(redis.url))
    await expectNotices([side, side])
    side.limiter.close()

    await expectGap([side], async () => {
      proxy.set('black hole')
      // More than the questions whether it is still there: it was given up, and another is tried.
      await vi.waitUntil(() => proxy.injections() >= 4, patience)
      proxy.set('pass')
    })

    await expectNotices([side, side])
  })

  async function join(nodes: readonly RedisServer[]): Promise<void> {
    const [first] = nodes
    const share = Math.ceil(16_384 / nodes.length)
    await Promise.all(
      nodes.map((node, index) => {
        const last = Math.min(16_384, (index + 1) * share) - 1
        return node.run('CLUSTER', 'ADDSLOTSRANGE', String(index * share), String(last))
      }),
    )
    for (const node of nodes) {
      await first?.run('CLUSTER', 'MEET', '127.0.0.1', String(node.port), String(node.clusterPort))
    }
    await vi.waitUntil(async () => {
      const infos = await Promise.all(nodes.map((node) => node.run('CLUSTER', 'INFO')))
      return infos.every((info) => String(info).includes('cluster_state:ok'))
    }, patience)
  }
})
