import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createDatabaseProbe } from '../../../subgraphs/shared/database/health/database-probe.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { type ChaosProxy, startChaosProxy } from '../../support/processes/chaos-proxy.ts'
import { patience } from '../../support/time/patience.ts'

describe('readiness', () => {
  let database: TestDatabase
  let proxy: ChaosProxy
  let gateway: TestGateway
  beforeAll(async () => {
    database = await createTestDatabase()
    proxy = await startChaosProxy(database.serviceUrl)
    const variables = { DATABASE_URL: proxy.through(database.serviceUrl) }
    gateway = await startTestGateway(variables, { database })
  })
  afterAll(async () => {
    await gateway.close()
    await proxy.close()
    await database.drop()
  })

  const statuses = () =>
    Promise.all([
      gateway.live.get('/v1/ready'),
      gateway.sandbox.get('/v1/ready'),
      gateway.internal.get('/ready'),
    ]).then((responses) => responses.map(({ status }) => status))

  const until = (status: number) =>
    vi.waitFor(async () => expect(await statuses()).toEqual([status, status, status]), patience)

  // The second one resets what the first one has left silent.
  test.each(['black hole', 'refuse'] as const)(
    'of all listeners ends while the database is unavailable (%s), and returns by itself',
    async (mode) => {
      await until(200)

      proxy.set(mode)
      await until(503)
      const ready = await gateway.live.get('/v1/ready')
      const health = await gateway.live.get('/v1/health')
      const alive = await gateway.internal.get('/live')
      proxy.set('pass')

      expectError(gateway, ready, {
        status: 503,
        code: 'SERVICE_UNAVAILABLE',
        message: 'Unavailable at the moment: database.',
      })
      expect(ready.headers.get('retry-after')).toBe('1')
      expect([health.status, alive.status]).toEqual([200, 200])
      expect(health.body).toMatchObject({ status: 'ok' })
      await until(200)
    },
  )

  test('opens no connection for a request', async () => {
    const probes = async () => {
      const rows = await database.query<{ pid: number; began: string }>(
        `SELECT pid, backend_start::text AS began FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'credit-gateway readiness'`,
      )
      return rows
    }
    await until(200)

    // On a loaded machine a probe may fail meanwhile, and the next one has another connection.
    await vi.waitFor(async () => {
      const before = await probes()
      await Promise.all(Array.from({ length: 50 }, () => gateway.live.get('/v1/ready')))

      // Connections of the faults before may still be ending.
      expect(before).not.toEqual([])
      expect(before).toEqual(expect.arrayContaining(await probes()))
    }, patience)
  })
})

describe('a probe of the database', () => {
  test('fails where no server answers, and leaves nothing open', async () => {
    const probe = createDatabaseProbe('postgres://nobody:nothing@127.0.0.1:1/nowhere')

    await expect(probe.check()).rejects.toThrow('ECONNREFUSED')
    await probe.close()
  })
})
