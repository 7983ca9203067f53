import { beforeAll, describe, expect, test, vi } from 'vitest'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { openGraph } from '../../../gateway/launch/supergraph/graph.ts'
import { warmHotPath } from '../../../gateway/launch/warm-up/warm-hot-path.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { dumpDatabase } from '../../support/database/database-dump.ts'
import { patience } from '../../support/time/patience.ts'

const log = createLog({ level: 'silent', format: 'json' })

describe('the warm-up of the hot path', () => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await createTestDatabase()
    return () => database.drop()
  })

  const openTestGraph = () =>
    openGraph({
      ...{
        serviceUrl: database.serviceUrl,
        gatewaySecret: 'test-gateway-secret',
        keyPrefix: 'svc',
      },
      baseUrls: { live: 'http://127.0.0.1', sandbox: 'http://127.0.0.1' },
      billing: { period: 'P1M', lowCreditsThresholds: [] },
      oauth: {
        refreshGraceSeconds: 0,
        sessionHours: 12,
        stepUpMinutes: 30,
      },
      ...{ docsUrl: 'http://127.0.0.1', invalidate: () => {}, warn: () => {} },
    })

  test('leaves no trace in any table', async () => {
    const graph = await openTestGraph()
    try {
      const before = await dumpDatabase(database)
      const failures: string[] = []
      await warmHotPath({
        log,
        async execute(operation, ...asked) {
          try {
            return await graph.execute(operation, ...asked)
          } catch (error) {
            failures.push(`${operation}: ${String(error)}`)
            throw error
          }
        },
      })
      expect(failures).toEqual([])
      expect(await dumpDatabase(database)).toEqual(before)
    } finally {
      await graph.close()
    }
  })

  test('compiles all other operations and runs none, not even the one of the public keys', async () => {
    const graph = await openTestGraph()
    try {
      const before = await dumpDatabase(database)
      expect(graph.operations).toContain('GetJwks')

      for (const operation of graph.operations) await graph.warmUp(operation)

      expect(await dumpDatabase(database)).toEqual(before)
    } finally {
      await graph.close()
    }
  })

  test('opens the wire connections and prepares their statements', async () => {
    const graph = await openTestGraph()
    const asked = new Set<string>()
    const warmUp = () =>
      warmHotPath({
        log,
        execute(operation, ...rest) {
          asked.add(operation)
          return graph.execute(operation, ...rest)
        },
      })
    try {
      await warmUp()
      // On a loaded machine a warm-up ends before its first round does.
      await vi.waitUntil(async () => asked.size >= 5 || (await warmUp()), patience)
      expect([...asked].sort()).toEqual([
        'FindBudgetedSpenders',
        'RecordUsageBatch',
        'ReserveBatch',
        'SettleBatch',
        'VerifyApiKey',
      ])
      const open = (name: string) => {
        const { inUse = 0, idle = 0 } = graph.subgraphs.get(name)?.connections() ?? {}
        return inUse + idle
      }
      expect(open('account')).toBeGreaterThan(1)
      expect(open('usage')).toBeGreaterThan(0)
    } finally {
      await graph.close()
    }
  })

  test('ends without an error when the database fails, and with one line in the log', async () => {
    const lines: string[] = []
    const into = { write: (line: string) => void lines.push(line) }
    await warmHotPath({
      log: createLog({ level: 'warn', format: 'json', into }),
      execute: () => Promise.reject(new Error('The database is away.')),
    })
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      'The warm-up failed; the start goes on without it',
    ])
  })
})
