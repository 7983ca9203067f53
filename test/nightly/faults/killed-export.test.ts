import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { rounds } from '../../support/extent/extent.ts'
import { asTestGateway, type TestAccount, variablesFor } from '../../support/gateway/gateway.ts'
import { forgetPeakOf, memoryOf } from '../../support/processes/memory.ts'
import { compileProgram } from '../../support/processes/program.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../support/processes/workplace.ts'
import { patience } from '../../support/time/patience.ts'

const kills = rounds('EXPORT_KILLS', { all: 1, nightly: 10 })
/** The promise is about a million, which takes a minute to make. */
const manyRows = rounds('EXPORT_ROWS', { all: 50_000, nightly: 1_000_000 })
const timeoutMs = 900_000
const path = '/v1/account/audit/export'
/** By then another worker has finished what one has left (docs/promises.md J5). */
const takeOver = { timeout: 60_000, interval: 50 }

let database: TestDatabase
let place: Workplace
let variables: Readonly<Record<string, string>>
let folder: string
beforeAll(async () => {
  await compileProgram()
  database = await createTestDatabase()
  place = openWorkplace({ prefix: 'gateway-export-' })
  folder = join(place.folder, 'exports')
  variables = { ...variablesFor(database), EXPORT_DIR: folder, LOG_LEVEL: 'error' }
})
const running: StartedGateway[] = []
afterEach(async () => {
  for (const gateway of running.splice(0)) {
    gateway.signal('SIGCONT')
    gateway.signal('SIGKILL')
    await gateway.finished
  }
  if (existsSync(folder)) rmSync(folder, { recursive: true })
})
afterAll(async () => {
  await place.close()
  await database.drop()
})

async function start(more: Readonly<Record<string, string>> = {}): Promise<StartedGateway> {
  const gateway = await place.start({ ...variables, ...more })
  running.push(gateway)
  return gateway
}

const asTest = (gateway: StartedGateway) => asTestGateway(gateway, database)

/**
 * Opens an account with so many requests of one service, as if they had been made; the export takes
 * a few seconds over them.
 */
async function openAccount(gateway: StartedGateway, requests: number): Promise<TestAccount> {
  const account = await asTest(gateway).createAccount()
  await database.query(
    `INSERT INTO usage.usage_log (account_id, environment, request_id, ts, method, endpoint, service,
       status, credits, latency_ms, trace_id, backend_module)
     SELECT $1, 'live', 'req_' || lpad(g::text, 26, '0'), now() - g * interval '1 ms', 'GET',
       '/v1/seo/keywords', 'seo', 200, 2, g % 1000, md5(g::text), 'seo'
     FROM generate_series(1, $2::int) AS g`,
    [account.id, requests],
  )
  return account
}

const filters = { kind: 'requests', service: 'seo' }

async function begin(gateway: StartedGateway, { liveKey }: TestAccount): Promise<string> {
  const { status, body } = await asTest(gateway).live.post(path, filters, liveKey)
  expect(status).toBe(202)
  return Object(body).id
}

interface Stored {
  readonly status: string
  readonly attempt: number
  readonly row_count: number | null
  readonly failures: number
}

async function stored(id: string): Promise<Stored> {
  const [row] = await database.query<Stored>(
    'SELECT status, attempt, row_count::int, failures FROM usage.audit_export WHERE id = $1',
    [id],
  )
  if (!row) throw new Error(`${id} is not there.`)
  return row
}

/** In the middle of this attempt, with rows written; null when it is done before anybody looked. */
function untilWriting(id: string, attempt: number): Promise<Stored> {
  return vi.waitUntil(async () => {
    const now = await stored(id)
    const isWriting = now.status === 'running' && Number(now.row_count) > 0
    return now.attempt === attempt && (isWriting || now.status === 'completed') ? now : null
  }, takeOver)
}

function untilCompleted(id: string): Promise<Stored> {
  return vi.waitUntil(async () => {
    const now = await stored(id)
    return now.status === 'completed' || now.status === 'failed' ? now : null
  }, patience)
}

async function download(gateway: StartedGateway, account: TestAccount, id: string) {
  const { body } = await asTest(gateway).live.get(`${path}/${id}`, account.liveKey)
  const answer = await fetch(Object(body).result_url)
  const bytes = Buffer.from(await answer.arrayBuffer())
  const lines = bytes.toString().split('\r\n').length
  // The header, and nothing behind the last line's end.
  return { hash: createHash('sha256').update(bytes).digest('hex'), rows: lines - 2 }
}

describe('an export whose worker', () => {
  test(`is killed ${kills} times (EXPORT_KILLS) is finished once, byte for byte like an undisturbed one`, {
    timeout: timeoutMs,
  }, async () => {
    const requests = 400_000
    let current = await start()
    const account = await openAccount(current, requests)
    const id = await begin(current, account)

    let slowestMs = 0
    for (let kill = 1; kill <= kills; kill += 1) {
      const now = await untilWriting(id, kill)
      expect(now).toMatchObject({ status: 'running', attempt: kill })
      const { body } = await asTest(current).live.get(`${path}/${id}`, account.liveKey)
      expect(body).toMatchObject({ status: 'running', result_url: null, result_expires_at: null })
      await sleep(Math.random() * 300)
      current.signal('SIGKILL')
      await current.finished
      const killedAtMs = performance.now()
      current = await start()
      await vi.waitUntil(async () => (await stored(id)).attempt > kill, takeOver)
      slowestMs = Math.max(slowestMs, performance.now() - killedAtMs)
    }
    const done = await untilCompleted(id)

    const untroubled = await begin(current, account)
    await untilCompleted(untroubled)
    const result = await download(current, account, id)
    expect(done).toEqual({
      status: 'completed',
      attempt: kills + 1,
      row_count: requests,
      failures: 0,
    })
    expect(result.rows).toBe(requests)
    expect(result).toEqual(await download(current, account, untroubled))
    expect(readdirSync(folder).toSorted()).toEqual(
      [`${id}-${kills + 1}.csv`, `${untroubled}-1.csv`].toSorted(),
    )
    console.info(
      `export: ${kills} kills, ${requests} rows whole; taken over ${Math.round(slowestMs / 1000)} s after a kill at worst`,
    )
  })

  test('freezes is finished by another worker, and the first changes nothing when it resumes', {
    timeout: timeoutMs,
  }, async () => {
    // With workers, the process that writes would not be the one that gets the signal.
    const frozen = await start({ WORKERS: '1' })
    const account = await openAccount(frozen, 400_000)
    const id = await begin(frozen, account)
    await untilWriting(id, 1)
    frozen.signal('SIGSTOP')
    const other = await start()

    await untilWriting(id, 2)
    const done = await untilCompleted(id)
    const before = await download(other, account, id)
    frozen.signal('SIGCONT')

    // The unfinished file is removed, and the other worker's file stays.
    await vi.waitUntil(() => readdirSync(folder).length === 1, patience)
    expect(done).toMatchObject({ status: 'completed', attempt: 2, failures: 0 })
    expect(readdirSync(folder)).toEqual([`${id}-2.csv`])
    expect(await stored(id)).toEqual(done)
    expect(await download(other, account, id)).toEqual(before)
    expect(before.rows).toBe(400_000)
  })

  test('stops in an orderly way is handed over without waiting for the lease', {
    timeout: timeoutMs,
  }, async () => {
    const first = await start()
    const account = await openAccount(first, 400_000)
    const id = await begin(first, account)
    await untilWriting(id, 1)

    first.signal('SIGTERM')
    expect(await first.finished).toMatchObject({ code: 0 })
    const [left] = await database.query(
      `SELECT status, lease_until <= now() AS is_free,
         (SELECT count(*)::int FROM jobs.job WHERE name = 'WatchAuditExport' AND state = 'created'
           AND start_after <= now() AND data ->> 'id' = e.id) AS jobs
       FROM usage.audit_export e WHERE id = $1`,
      [id],
    )
    const files = readdirSync(folder)
    const second = await start()
    const done = await untilCompleted(id)

    expect(left).toEqual({ status: 'running', is_free: true, jobs: 1 })
    expect(files).toEqual([])
    expect(done).toMatchObject({ status: 'completed', attempt: 2, failures: 0 })
    expect((await download(second, account, id)).rows).toBe(400_000)
  })
})

describe(`an export of ${manyRows} rows (EXPORT_ROWS)`, () => {
  test('needs next to no memory', { timeout: timeoutMs }, async () => {
    // With workers, the primary would be measured, which writes no export.
    const gateway = await start({ NODE_OPTIONS: '--max-old-space-size=256', WORKERS: '1' })
    const account = await openAccount(gateway, manyRows)
    // A first run: loading and compiling are not part of the export.
    await untilCompleted(await begin(gateway, await asTest(gateway).createAccount()))
    const before = memoryOf(gateway.pid)
    forgetPeakOf(gateway.pid)

    const startedMs = performance.now()
    const id = await begin(gateway, account)
    const done = await vi.waitUntil(
      async () => {
        const now = await stored(id)
        return now.status === 'completed' ? now : null
      },
      { timeout: 300_000, interval: 100 },
    )
    const seconds = (performance.now() - startedMs) / 1000
    const after = memoryOf(gateway.pid)

    console.info(
      `export of ${done.row_count} rows: ${seconds.toFixed(1)} s, RSS ${before.nowMb} MB before, peak ${after.peakMb} MB`,
    )
    expect(done).toMatchObject({ attempt: 1, row_count: manyRows })
    expect(after.peakMb - before.nowMb).toBeLessThanOrEqual(64)
    expect((await download(gateway, account, id)).rows).toBe(manyRows)
  })
})
