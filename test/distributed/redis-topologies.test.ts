import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { readConfig } from '../../rest-facade/bin/config.ts'
import { createLog } from '../../rest-facade/bin/log.ts'
import type { RateWindow } from '../../rest-facade/rate-limit/rate-limiter.ts'
import {
  type RedisRateLimiter,
  redisRateLimiter,
} from '../../rest-facade/rate-limit/redis-rate-limiter.ts'
import { type RedisNotices, redisNotices } from '../../rest-facade/redis-notices.ts'
import { patience } from '../support/patience.ts'
import { hasRedis, type RedisServer, startRedisServer } from '../support/redis-server.ts'

const log = createLog({ level: 'silent', format: 'json' })

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function started(...options: Parameters<typeof startRedisServer>): Promise<RedisServer> {
  const server = await startRedisServer(...options)
  cleanups.push(() => server.close())
  return server
}

/** What one process has of Redis. */
interface Side {
  readonly limiter: RedisRateLimiter
  readonly notices: RedisNotices
  readonly heard: Set<string>
  readonly gaps: () => number
}

async function connect(url: string): Promise<Side> {
  const { REDIS_URL: address } = readConfig({ REDIS_URL: url }, [])
  if (!address) throw new Error(`${url} is no address.`)
  const heard = new Set<string>()
  let gaps = 0
  const limiter = await redisRateLimiter(address, log)
  const notices = redisNotices(address, {
    onStale: (accountId) => heard.add(accountId),
    onGap: () => {
      gaps += 1
    },
  })
  cleanups.push(() => limiter.close())
  cleanups.push(() => notices.close())
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
      from.notices.publish(accountId)
      return to.heard.has(accountId)
    }, patience)
  }
}

describe.runIf(hasRedis)('a Redis with sentinels', () => {
  test('counts exactly and carries notices, before and after a failover', async () => {
    const master = await started()
    const replica = await started({ args: ['--replicaof', '127.0.0.1', String(master.port)] })
    await vi.waitUntil(async () => {
      const info = await replica.run('INFO', 'replication')
      return String(info).includes('master_link_status:up')
    }, patience)
    const sentinel = await started({
      sentinel: [
        `sentinel monitor main 127.0.0.1 ${master.port} 1`,
        'sentinel down-after-milliseconds main 300',
        'sentinel failover-timeout main 2000',
      ],
    })
    await vi.waitUntil(async () => {
      const replicas = await sentinel.run('SENTINEL', 'REPLICAS', 'main')
      return Array.isArray(replicas) && replicas.length > 0
    }, patience)
    // The first sentinel is away.
    const url = `redis+sentinel://127.0.0.1:1,127.0.0.1:${sentinel.port}/main`
    const sides = [await connect(url), await connect(url)] as const
    await expectExactLimit(sides, 1)
    await expectNotices(sides)
    const gapsBefore = sides.map(({ gaps }) => gaps())

    await master.kill()
    await vi.waitUntil(async () => String(await replica.run('ROLE')).startsWith('master'), patience)

    await expectExactLimit(sides, 1)
    await expectNotices(sides)
    for (const [index, { gaps }] of sides.entries()) {
      expect(gaps()).toBeGreaterThan(gapsBefore[index] ?? 0)
    }
  })
})

describe.runIf(hasRedis)('a Redis cluster', () => {
  test('counts exactly on every node, carries notices, and says when some were missed', async () => {
    const args = ['--cluster-enabled', 'yes']
    const nodes = await Promise.all([started({ args }), started({ args }), started({ args })])
    await join(nodes)
    const url = `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`
    const sides = [await connect(url), await connect(url)] as const

    await expectExactLimit(sides, 9)
    await expectNotices(sides)

    for (const node of nodes) {
      expect(String(await node.run('INFO', 'commandstats'))).toContain('cmdstat_hincrby')
    }
    const gapsBefore = sides.map(({ gaps }) => gaps())
    await nodes[0]?.run('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await vi.waitUntil(
      () => sides.every(({ gaps }, index) => gaps() > (gapsBefore[index] ?? 0)),
      patience,
    )
    await expectNotices(sides)
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
