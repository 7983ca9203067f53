import { execFile } from 'node:child_process'
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { migrateAll } from '../../../gateway/launch/databases/migrations.ts'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import type { PostgresBinaries } from '../../../gateway/trial/embedded-postgres/postgres-process.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import type { TestDatabase } from '../../support/database/database.ts'
import {
  binariesIn,
  debianFolder,
  hasDebianPostgres,
} from '../../support/database/postgres-binaries.ts'
import { scratchFolder } from '../../support/database/scratch-folder.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
  variablesFor,
} from '../../support/gateway/gateway.ts'
import {
  type ArchivedPostgres,
  startArchivedPostgres,
} from '../../support/processes/archived-postgres.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace } from '../../support/processes/workplace.ts'
import { csvRecords } from '../../support/requests/csv.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

const execute = promisify(execFile)
const scripts = join(projectRoot, 'deploy', 'postgres')
const names = ['restore-to-point.sh', 'list-lost.sh'] as const

describe('deploy/postgres/restore-to-point.sh, before it begins', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-restore-'))
    mkdirSync(join(folder, 'archive'))
    mkdirSync(join(folder, 'backup'))
    writeFileSync(join(folder, 'backup', 'backup_label'), '')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const zoned = '2026-11-21 14:03:00+00'
  test.each([
    ['a time without a zone', 'backup', 'archive', '2026-11-21 14:03:00', 'new', 'a time zone'],
    ['a date without a time', 'backup', 'archive', '2026-11-21', 'new', 'a time zone'],
    ['a folder that exists', 'backup', 'archive', zoned, 'archive', 'archive exists'],
    ['a backup without its label', 'archive', 'archive', zoned, 'new', 'no file backup_label'],
    ['an archive that is missing', 'backup', 'nowhere', zoned, 'new', 'nowhere is not a folder'],
  ])('refuses %s, and creates nothing', async (_what, base, archive, point, target, reason) => {
    const before = readdirSync(folder)
    const args = [join(scripts, 'restore-to-point.sh'), base, archive, point, target]

    await expect(execute('bash', args, { cwd: folder })).rejects.toThrow(reason)
    expect(readdirSync(folder)).toEqual(before)
  })
})

// The embedded server comes without pg_basebackup and psql.
describe.skipIf(!hasDebianPostgres())('deploy/postgres/restore-to-point.sh', () => {
  let binaries: PostgresBinaries
  let postgres: ArchivedPostgres
  let backend: StubBackend
  let gateway: TestGateway
  let folder: string
  beforeAll(async () => {
    await compileProgram()
    binaries = await binariesIn(debianFolder)
    folder = mkdtempSync(join(scratchFolder(), 'gateway-restore-'))
    for (const name of names) copyFileSync(join(scripts, name), join(folder, name))
    const { serviceUser } = binaries
    if (serviceUser) chownSync(folder, serviceUser.uid, serviceUser.gid)
    postgres = await startArchivedPostgres(binaries)
    await migrateAll(postgres.database.ownerUrl)
    backend = await startStubBackend()
    backend.answer((_, res) => sendBackendJson(res, 200, {}))
    gateway = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url }, postgres)
  })
  afterAll(async () => {
    // Also those of a test that failed.
    const started = readdirSync(folder).filter((name) =>
      existsSync(join(folder, name, 'postmaster.pid')),
    )
    const stop = ['pg_ctl', 'stop', '--silent', '--mode=immediate', '-D'] as const
    for (const name of started) await asServer(...stop, join(folder, name))
    await gateway.close()
    await backend.close()
    await postgres.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  /** Runs a program of the server's version as the user of the server, as an operator does. */
  async function asServer(program: string, ...args: readonly string[]): Promise<string> {
    const { stdout } = await execute(program, args, {
      ...binaries.serviceUser,
      cwd: folder,
      env: { PATH: `${debianFolder}:${process.env.PATH}`, LC_ALL: 'C' },
    })
    return stdout
  }

  /** Returns where the restored server listens, and what the script has printed. */
  async function restoreTo(point: string, name: string) {
    const port = await freePort()
    const where = ['backup', postgres.archive, point, name, String(port)]
    const printed = await asServer('bash', 'restore-to-point.sh', ...where)
    const at = (url: string) => Object.assign(new URL(url), { port }).href
    const { ownerUrl, serviceUrl } = postgres.database
    const urls = { ownerUrl: at(ownerUrl), serviceUrl: at(serviceUrl) }
    return { url: at(postgres.url), database: { ...postgres.database, ...urls }, printed }
  }

  async function listLost(what: 'ledger' | 'audit', restored: string, whole: string) {
    const list = await asServer('bash', 'list-lost.sh', what, restored, whole)
    return csvRecords(list.replaceAll('\n', '\r\n'))
  }

  /** Returns the id of the charged request. */
  async function charge({ liveKey }: TestAccount): Promise<string> {
    const body = { contact_id: 'con_1' }
    const { status, headers } = await gateway.live.post('/v1/contacts/reveal', body, liveKey)
    expect(status).toBe(200)
    return headers.get('X-Request-Id') ?? ''
  }

  async function chargeInTurn(account: TestAccount, calls: number): Promise<string[]> {
    const ids: string[] = []
    for (let call = 0; call < calls; call += 1) ids.push(await charge(account))
    return ids
  }

  async function revokeKey(account: TestAccount): Promise<string> {
    const { id } = await gateway.createKey(account.id)
    const path = `/v1/account/keys/${id}`
    const options = { method: 'DELETE', key: account.liveKey }
    expect((await gateway.live.request(path, options)).status).toBe(200)
    const recorded = 'SELECT FROM usage.audit_event WHERE resource_id = $1 AND action = $2'
    await vi.waitUntil(async () => {
      const events = await postgres.database.query(recorded, [id, 'key.revoke'])
      return events.length > 0
    }, patience)
    return id
  }

  /** What `gateway ledger verify` says; the usage log may follow charges of the last minutes. */
  async function verifyLedger(database: TestDatabase) {
    const place = openWorkplace()
    try {
      const args = ['ledger', 'verify', '--json', '--settling-time', '24h']
      const { code, stdout, stderr } = await place.run(args, variablesFor(database))
      return { code, stderr, found: JSON.parse(stdout) }
    } finally {
      await place.close()
    }
  }

  const balances = `SELECT account_id, environment, balance, held, last_seq
    FROM account.balance WHERE account_id = ANY ($1) ORDER BY account_id, environment`

  test('restores the books of an instant, and list-lost.sh names exactly what was answered after it', async () => {
    const { database } = postgres
    const quiet = await gateway.createAccount({ credits: 1000 })
    const busy = await gateway.createAccount({ credits: 1000 })
    await asServer('pg_basebackup', '-d', postgres.url, '--checkpoint=fast', '-D', 'backup')
    // WAL for a replay that takes longer than the start of the server.
    await database.query(
      "CREATE TABLE filler AS SELECT repeat('x', 900) FROM generate_series(1, 80000)",
    )
    const before = await chargeInTurn(quiet, 3)
    // Some of these calls are answered before the point, some after it, and some are under way.
    const lanes = Array.from({ length: 8 }, () => chargeInTurn(busy, 5))
    before.push(await charge(busy))
    const atPoint = await database.query(balances, [[quiet.id]])
    const [clock] = await database.query<{ now: string }>('SELECT clock_timestamp()::text AS now')
    const after = [...(await chargeInTurn(quiet, 2)), await charge(busy)]
    const late = await gateway.createAccount({ credits: 7 })
    after.push(await charge(late))
    const across = (await Promise.all(lanes)).flat()
    const revoked = await revokeKey(quiet)
    await postgres.archiveAll()

    const point = await restoreTo(clock?.now ?? '', 'point')
    const end = await restoreTo('end', 'end')
    const lost = await listLost('ledger', point.url, end.url)

    for (const { printed } of [point, end]) {
      expect(printed).toMatch(/^restored: \d+ bytes in [\d.]+ s, [\d.]+ s per GB$/m)
    }
    expect(await rowsOf(point.url, balances, [[quiet.id]])).toEqual(atPoint)
    const charges = "SELECT ref FROM account.ledger_entry WHERE kind = 'charge'"
    const kept = (await rowsOf<{ ref: string }>(point.url, charges)).map(({ ref }) => ref)
    const lostCharges = lost.filter(({ kind }) => kind === 'charge')
    const lostIds = lostCharges.map(({ reference = '' }) => reference)
    expect(kept).toEqual(expect.arrayContaining(before))
    expect(lostIds).toEqual(expect.arrayContaining(after))
    // Each answered charge is in one of the two, once, and nothing else is.
    expect([...kept, ...lostIds].sort()).toEqual([...before, ...across, ...after].sort())
    expect(new Set(lostCharges.map(({ credits }) => credits))).toEqual(new Set(['-5']))
    const others = lost.filter(({ kind }) => kind !== 'charge')
    expect(others).toEqual(
      ['live', 'sandbox'].map((environment) =>
        expect.objectContaining({ account_id: late.id, environment, seq: '1', kind: 'grant' }),
      ),
    )
    expect(await listLost('ledger', point.url, postgres.url)).toEqual(lost)

    const events = await listLost('audit', point.url, end.url)
    const revocations = events.filter(({ action }) => action === 'key.revoke')
    expect(revocations.map(({ resource_id }) => resource_id)).toEqual([revoked])

    const [{ entries } = { entries: 0 }] = await rowsOf<{ entries: number }>(
      point.url,
      'SELECT count(*)::int AS entries FROM account.ledger_entry',
    )
    expect(await verifyLedger(point.database)).toEqual({
      ...{ code: 0, stderr: '' },
      found: { entries, balances: 4, drifts: [] },
    })
    // The history of the restored servers begins with another number.
    const written = readdirSync(postgres.archive)
    expect(written.filter((name) => !name.startsWith('00000001'))).toEqual([])

    await expect(listLost('ledger', end.url, point.url)).rejects.toThrow(
      'RESTORED has entries that WHOLE lacks',
    )
    await expect(restoreTo('2999-01-01 00:00:00+00', 'never')).rejects.toThrow(
      'recovery ended before configured recovery target was reached',
    )
  })
})

async function rowsOf<Row extends object>(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql, [...values])).rows
  } finally {
    await client.end()
  }
}
