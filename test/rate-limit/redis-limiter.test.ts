import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createLog } from '../../rest-facade/bin/log.ts'
import type { RateWindow } from '../../rest-facade/rate-limit/rate-limiter.ts'
import { redisRateLimiter } from '../../rest-facade/rate-limit/redis-rate-limiter.ts'
import { startTestGateway } from '../support/gateway.ts'

const log = createLog({ level: 'silent', format: 'json' })

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

const hasRedis = spawnSync('redis-server', ['--version']).status === 0
if (!hasRedis) process.stdout.write('skipped: redis-server is not on PATH\n')

describe.runIf(hasRedis)('two processes with one Redis', () => {
  let redis: ChildProcess
  let url: string
  let folder: string
  beforeAll(async () => {
    const port = await freePort()
    url = `redis://127.0.0.1:${port}`
    folder = mkdtempSync(join(tmpdir(), 'gateway-redis-'))
    redis = spawn('redis-server', ['--port', String(port), '--save', '', '--dir', folder])
  })
  afterAll(async () => {
    redis.kill()
    await once(redis, 'exit')
    rmSync(folder, { recursive: true, force: true })
  })

  test('share one window', async () => {
    const [one, other] = [redisRateLimiter(url, log), redisRateLimiter(url, log)]
    try {
      for (const { limit } of [one, other]) {
        // Open until connected: then something has been counted.
        await vi.waitFor(async () => expect((await limit(randomUUID(), 10)).remaining).toBe(9), {
          timeout: 10_000,
        })
      }
      const key = randomUUID()

      const windows = await Promise.all(
        Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? one : other).limit(key, 10)),
      )

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

describe('a Redis that refuses connections', () => {
  test('lets every request through, with all of the limit remaining', async () => {
    const limiter = redisRateLimiter(`redis://127.0.0.1:${await freePort()}`, log)
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
    const gateway = await startTestGateway({
      REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
      ANONYMOUS_RPS: '3',
    })
    try {
      const { liveKey } = await gateway.createAccount()

      const known = await Promise.all(
        Array.from({ length: 150 }, () => gateway.live.get('/v1/account', liveKey)),
      )
      const anonymous = await Promise.all(
        Array.from({ length: 10 }, () => gateway.live.get('/v1/.well-known/jwks.json')),
      )

      for (const [responses, limit] of [
        [known, '100'],
        [anonymous, '3'],
      ] as const) {
        for (const { status, headers } of responses) {
          expect(status).toBe(200)
          expect(headers.get('x-ratelimit-limit')).toBe(limit)
          expect(headers.get('x-ratelimit-remaining')).toBe(limit)
        }
      }
    } finally {
      await gateway.close()
    }
  })
})
