import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { FileStorage } from '../../../subgraphs/usage/exports/file-storage/file-storage.ts'
import { openFileStorage } from '../../../subgraphs/usage/exports/file-storage/open-file-storage.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { patience } from '../../support/time/patience.ts'

let graph: TestGraph
let folder: string
/** Work that runs before the file of an export is begun. */
const heldUp = new Map<string, () => Promise<void>>()
const warnings: string[] = []
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-queue-'))
  const files = openFileStorage({ directory: folder })
  graph = await openTestGraph({
    exports: { files: holdingUp(files), retentionDays: 1 },
    warn: (message) => warnings.push(message),
  })
})
afterAll(async () => {
  await graph.close()
  rmSync(folder, { recursive: true })
})

function holdingUp(files: FileStorage): FileStorage {
  return {
    ...files,
    async create(name) {
      await heldUp.get(name.slice(0, 30))?.()
      return files.create(name)
    },
  }
}

/** Has an export go on only when this is called. */
function holdUp(id: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  heldUp.set(id, () => promise)
  return resolve
}

interface Planted {
  readonly accountId?: string
  /** The end of the lease, as SQL; without it the export waits. */
  readonly leaseUntil?: string
  /** Ago, as SQL. */
  readonly age?: string
}

/** An export that no job knows of. */
async function plant({ accountId = newId('acct'), leaseUntil, age = '0 s' }: Planted = {}) {
  const id = newId('exp')
  const isRunning = leaseUntil !== undefined
  await graph.database.query(
    `INSERT INTO usage.audit_export (id, account_id, environment, kind, status, attempt, created_at,
       started_at, row_count, lease_until)
     VALUES ($1, $2, 'live', 'activity', $3, $4, now() - $5::interval,
       CASE WHEN $4 = 1 THEN now() END, CASE WHEN $4 = 1 THEN 0 END, ${leaseUntil ?? 'NULL'})`,
    [id, accountId, isRunning ? 'running' : 'queued', isRunning ? 1 : 0, age],
  )
  return id
}

async function stored(id: string) {
  const [row] = await graph.database.query<{ status: string; attempt: number }>(
    'SELECT status, attempt FROM usage.audit_export WHERE id = $1',
    [id],
  )
  return row
}

/** What waits, by the export and the attempt that it is about. */
function waitingJobs(id: string) {
  return graph.database.query<{ name: string; attempt: number; in_seconds: number }>(
    `SELECT name, (data ->> 'attempt')::int AS attempt,
       greatest(0, ceil(extract(epoch FROM start_after - now())))::int AS in_seconds
     FROM jobs.job WHERE data ->> 'id' = $1 AND state < 'active' ORDER BY start_after`,
    [id],
  )
}

const run = (id: string, attempt: number) => graph.asService('RunAuditExport', { id, attempt })

const leaseIsOver = `now() - interval '21 s'`

describe('the job of an export', () => {
  test('looks again when its lease ends while it is looking', async () => {
    const id = await plant({ leaseUntil: `now() + interval '1 hour'` })
    const other = new pg.Client({ connectionString: graph.database.ownerUrl })
    await other.connect()
    await other.query('BEGIN')
    await other.query(`SELECT set_config('gateway.account_id', '*', true)`)
    await other.query('LOCK TABLE usage.audit_export')

    const looking = run(id, 1)
    await vi.waitUntil(async () => {
      const rows = await graph.database.query(
        `SELECT FROM pg_locks WHERE relation = 'usage.audit_export'::regclass AND NOT granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      )
      return rows.length > 0
    }, patience)
    // Later than the statement that waits, earlier than the one that comes after it.
    await other.query(
      'UPDATE usage.audit_export SET lease_until = clock_timestamp() WHERE id = $1',
      [id],
    )
    await other.query('COMMIT')
    await looking
    await other.end()

    expect(await stored(id)).toEqual({ status: 'running', attempt: 1 })
    expect(await waitingJobs(id)).toEqual([
      { name: 'WatchAuditExport', attempt: 1, in_seconds: expect.any(Number) },
    ])
  })

  test('waits for an older export of the account, which starts the next one when it ends', async () => {
    const accountId = newId('acct')
    const first = await plant({ accountId, leaseUntil: `now() + interval '1 hour'` })
    const second = await plant({ accountId })
    const third = await plant({ accountId })

    await run(third, 0)
    await run(second, 0)
    const whileFirst = await Promise.all([second, third].map(stored))
    const jobsWhileFirst = await Promise.all([second, third].map(waitingJobs))
    await graph.database.query('UPDATE usage.audit_export SET lease_until = now() WHERE id = $1', [
      first,
    ])
    await run(first, 1)

    expect(whileFirst).toEqual([
      { status: 'queued', attempt: 0 },
      { status: 'queued', attempt: 0 },
    ])
    expect(jobsWhileFirst).toEqual([[], []])
    expect(await stored(first)).toEqual({ status: 'completed', attempt: 2 })
    expect(await waitingJobs(second)).toEqual([
      { name: 'RunAuditExport', attempt: 0, in_seconds: 0 },
    ])
    expect(await waitingJobs(third)).toEqual([])
  })

  test.each([
    ['is given up', 'attempt = 50', 50],
    ['fails for good', 'failures = 4', 1],
  ])('starts the next export also when it %s', async (_title, change, attempt) => {
    const accountId = newId('acct')
    const first = await plant({ accountId, leaseUntil: 'now()' })
    const second = await plant({ accountId })
    await graph.database.query(`UPDATE usage.audit_export SET ${change} WHERE id = $1`, [first])
    heldUp.set(first, () => Promise.reject(new Error('No room.')))

    await run(first, attempt).catch(() => {})

    expect((await stored(first))?.status).toBe('failed')
    expect(await waitingJobs(second)).toEqual([
      { name: 'RunAuditExport', attempt: 0, in_seconds: 0 },
    ])
  })

  test('reports that it cannot renew its lease', async () => {
    const id = await plant()
    const goOn = holdUp(id)
    const running = run(id, 0)
    await vi.waitUntil(async () => (await stored(id))?.status === 'running', patience)
    await graph.database.query('REVOKE UPDATE ON usage.audit_export FROM gateway_service')

    await vi.waitUntil(() => warnings.some((text) => text.includes(id)), patience)
    await graph.database.query('GRANT UPDATE ON usage.audit_export TO gateway_service')
    goOn()
    await running

    const ours = warnings.filter((text) => text.includes(id))
    expect(ours).toEqual([expect.stringContaining('permission denied for table audit_export')])
    expect(await stored(id)).toEqual({ status: 'completed', attempt: 1 })
  })
})

describe('the sweep for exports', () => {
  test('resumes every export whose job was lost: once, and the oldest of an account first', async () => {
    const accountId = newId('acct')
    const queued = await plant({ accountId, age: '21 s' })
    const behindIt = await plant({ accountId, age: '21 s' })
    const left = await plant({ leaseUntil: leaseIsOver })
    const [young, alive] = [await plant(), await plant({ leaseUntil: 'now()' })]

    await graph.asService('TakeUpLostJobs')
    await graph.asService('TakeUpLostJobs')

    expect(await waitingJobs(queued)).toEqual([
      { name: 'RunAuditExport', attempt: 0, in_seconds: 0 },
    ])
    expect(await waitingJobs(left)).toEqual([
      { name: 'WatchAuditExport', attempt: 1, in_seconds: 0 },
    ])
    for (const id of [behindIt, young, alive]) expect(await waitingJobs(id)).toEqual([])
  })

  test('queues a new job beside the active job of a worker that died', async () => {
    const id = await plant({ age: '21 s' })
    await graph.database.query(
      `SELECT jobs.enqueue('RunAuditExport', jsonb_build_object('id', $1::text, 'attempt', 0), now())`,
      [id],
    )
    await graph.database.query(
      `UPDATE jobs.job SET state = 'active', started_on = now() WHERE data ->> 'id' = $1`,
      [id],
    )

    await graph.asService('TakeUpLostJobs')

    expect(await waitingJobs(id)).toEqual([{ name: 'RunAuditExport', attempt: 0, in_seconds: 0 }])
  })
})

describe('another worker', () => {
  test('takes over the exports of a dead worker while it is busy with two long ones', async () => {
    const busy = [await plant(), await plant()]
    const goOn = busy.map(holdUp)
    for (const id of busy) await enqueue('RunAuditExport', id, 0)
    const worker = await graph.startWorker()
    await vi.waitUntil(async () => {
      const states = await Promise.all(busy.map(stored))
      return states.every((row) => row?.status === 'running')
    }, patience)

    const left = await plant({ leaseUntil: leaseIsOver })
    await enqueue('WatchAuditExport', left, 1)
    await vi.waitUntil(async () => (await stored(left))?.status === 'completed', patience)

    const meanwhile = await Promise.all(busy.map(stored))
    for (const resolve of goOn) resolve()
    await vi.waitUntil(async () => {
      const states = await Promise.all(busy.map(stored))
      return states.every((row) => row?.status === 'completed')
    }, patience)
    await worker.stop()
    expect(meanwhile.map((row) => row?.status)).toEqual(['running', 'running'])
    expect(readdirSync(folder)).toContain(`${left}-2.csv`)
  })
})

function enqueue(job: string, id: string, attempt: number) {
  return graph.database.query(
    `SELECT jobs.enqueue($1, jsonb_build_object('id', $2::text, 'attempt', $3::int), now())`,
    [job, id, attempt],
  )
}
