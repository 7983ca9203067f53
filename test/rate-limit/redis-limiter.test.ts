import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createLog } from '../../rest-facade/bin/log.ts'
import type { RateWindow } from '../../rest-facade/rate-limit/rate-limiter.ts'
import { redisRateLimiter } from '../../rest-facade/rate-limit/redis-rate-limiter.ts'
import { startTestGateway } from '../support/gateway.ts'
import { patience } from '../support/patience.ts'

const log = createLog({ level: 'silent', format: 'json' })

/** Nothing listens on the first port. */
const nowhere = 'redis://127.0.0.1:1'

const hasRedis = spawnSync('redis-server', ['--version']).status === 0
if (!hasRedis) process.stdout.write('skipped: redis-server is not on PATH\n')

describe.runIf(hasRedis)('two processes with one Redis', () => {
  let redis: ChildProcess
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-redis-'))
    const args = ['--port', '0', '--unixsocket', socket(), '--save', '', '--dir', folder]
    redis = spawn('redis-server', args)
  })
  afterAll(async () => {
    redis.kill()
    if (redis.exitCode === null) await once(redis, 'exit')
    rmSync(folder, { recursive: true, force: true })
  })

  /** A path, not a port that somebody else could take first. */
  const socket = () => join(folder, 'redis.sock')

  test('share one window', async () => {
    const [one, other] = [redisRateLimiter(socket(), log), redisRateLimiter(socket(), log)]
    async function burst(): Promise<RateWindow[]> {
      const key = randomUUID()
      return Promise.all(
        Array.from({ length: 30 }, async (_, index) =>
          (index % 2 === 0 ? one : other).limit(key, 10),
        ),
      )
    }
    try {
      // Open until connected, or when an answer takes too long: here all must have been counted.
      const windows = await vi.waitUntil(async () => {
        const counted = await burst()
        return counted.every(({ remaining }) => remaining < 10) ? counted : null
      }, patience)

      const bySecond = Map.groupBy(windows, (window) => window.resetAtSeconds)
      const admitted = [...bySecond.values()].map(
        (group) => group.filter((window) => !window.isExceeded).length,
      )
      expect(Math.max(...admitted)).toBe(10)
      expect(windows.some((window) => window.isExceeded)).toBe(true)
    } finally {
      one.close()
      other.close()
    }
  })
})

describe.runIf(hasRedis)('a Redis that stands still', () => {
  test('keeps nobody waiting after the first, and counts again when it goes on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-redis-'))
    const socket = join(folder, 'redis.sock')
    const args = ['--port', '0', '--unixsocket', socket, '--save', '', '--dir', folder]
    const redis = spawn('redis-server', args)
    const limiter = redisRateLimiter(socket, log)
    const ask = async () => limiter.limit(randomUUID(), 10)
    const untilCounted = () => vi.waitUntil(async () => (await ask()).remaining < 10, patience)
    try {
      await untilCounted()
      redis.kill('SIGSTOP')
      await vi.waitUntil(async () => (await ask()).remaining === 10, patience)

      // Long enough for it to be tried again, more than once.
      const seconds = new Set<number>()
      while (seconds.size < 5) {
        const turn = new Promise((resolve) => {
          setImmediate(resolve, 'waited')
        })
        const window = await Promise.race([ask(), turn])

        expect(window).toEqual({
          limitRps: 10,
          remaining: 10,
          resetAtSeconds: expect.any(Number),
          isExceeded: false,
        })
        seconds.add(Object(window).resetAtSeconds)
        await turn
      }

      redis.kill('SIGCONT')
      await untilCounted()
    } finally {
      limiter.close()
      redis.kill('SIGKILL')
      if (redis.exitCode === null && redis.signalCode === null) await once(redis, 'exit')
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('a Redis that refuses connections', () => {
  test('lets every request through, with all of the limit remaining', async () => {
    const limiter = redisRateLimiter(nowhere, log)
    try {
      const windows: RateWindow[] = []
      for (let count = 0; count < 20; count += 1) windows.push(await limiter.limit('acct:live', 10))

      for (const window of windows) {
        expect(window).toEqual({
          limitRps: 10,
          remaining: 10,
          resetAtSeconds: expect.any(Number),
          isExceeded: false,
        })
      }
    } finally {
      limiter.close()
    }
  })

  test('leaves a whole gateway in service', async () => {
    const gateway = await startTestGateway({ REDIS_URL: nowhere })
    try {
      const { liveKey } = await gateway.createAccount()

      const known = await Promise.all(
        Array.from({ length: 150 }, () => gateway.live.get('/v1/account', liveKey)),
      )
      const anonymous = await Promise.all(
        Array.from({ length: 10 }, () => gateway.live.get('/v1/.well-known/jwks.json')),
      )

      for (const { status, headers } of known) {
        expect(status).toBe(200)
        expect(headers.get('x-ratelimit-limit')).toBe('100')
        expect(headers.get('x-ratelimit-remaining')).toBe('100')
      }
      // Strangers are counted in the process, which knows no Redis.
      for (const { status, headers } of anonymous) {
        expect(status).toBe(200)
        expect(Number(headers.get('x-ratelimit-remaining'))).toBeLessThan(100_000)
      }
    } finally {
      await gateway.close()
    }
  })
})
