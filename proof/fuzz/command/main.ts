import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../../gateway/trial/embedded-postgres/embedded-postgres.ts'
import { account } from '../../../subgraphs/account/index.ts'
import { keys } from '../../../subgraphs/keys/index.ts'
import { oauth } from '../../../subgraphs/oauth/index.ts'
import { migrate } from '../../../subgraphs/shared/migrating/migrate.ts'
import { usage } from '../../../subgraphs/usage/index.ts'
import type { TestDatabase } from '../../../test/support/database/database.ts'
import { startTestGateway, type TestGateway } from '../../../test/support/gateway/gateway.ts'
import { describeAmplification } from '../amplification/report.ts'
import { runAmplification } from '../amplification/run.ts'
import { CannotFuzz, type FuzzArguments, readFuzzArguments } from '../arguments.ts'
import { describeAnswers, describeFailure } from '../report.ts'
import { runFuzz } from '../run.ts'
import { fuzzVariables, ledgerCharges } from '../setting.ts'
import { runToolFuzz } from '../tools/run.ts'

/** A PostgreSQL of its own, with one migrated database. */
async function openDatabase(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-fuzz-'))
  const server = await startEmbeddedPostgres(folder)
  await migrate([account, keys, oauth, usage], server.ownerUrl)
  const url = new URL(server.superuserUrl)
  url.pathname = new URL(server.serviceUrl).pathname
  const pool = new pg.Pool({ connectionString: url.href, max: 2 })
  // A connection that is closing may be told so once more when the server stops.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', () => {})
  return {
    ownerUrl: server.ownerUrl,
    serviceUrl: server.workerUrl,
    async query<Row extends object>(sql: string, parameters: unknown[] = []) {
      return (await pool.query<Row>(sql, parameters)).rows
    },
    async drop() {
      await pool.end()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function main(): Promise<void> {
  const asked = readFuzzArguments(process.argv.slice(2))
  const { cases, seed } = asked
  const database = await openDatabase()
  const gateway = await startTestGateway(fuzzVariables, { database })
  try {
    console.log(`fuzz: ${cases} cases, seed ${seed}`)
    if (asked.amplification) return await amplify(gateway, asked)
    const report = await runFuzz(gateway, {
      ...asked,
      onProgress: (done) => console.log(`${done} cases`),
      onKind: async (kind, at) => console.log(`${at} ${kind}`),
    })
    console.log(describeAnswers(report))
    if (report.cases === 0) throw new CannotFuzz('No case was asked.')
    for (const failure of report.failures) console.error(describeFailure(failure, seed))
    const charged = await ledgerCharges(database, report.accountIds)
    if (charged !== report.credits) {
      console.error(`The ledger has charged ${charged} credits, answers say ${report.credits}.`)
    }
    const ofTools = asked.only === undefined ? await fuzzTools(gateway, asked) : []
    const isRight = report.failures.length + ofTools.length === 0 && charged === report.credits
    console.log(`${report.cases} cases, ${report.failures.length} failures`)
    process.exitCode = isRight ? 0 : 1
  } finally {
    await gateway.close()
    await database.drop()
  }
}

/** Sends a twentieth of the cases more, to `/mcp`. */
async function fuzzTools(gateway: TestGateway, { cases, seed }: FuzzArguments) {
  const failures = await runToolFuzz(gateway, { cases: Math.ceil(cases / 20), seed })
  for (const failure of failures) console.error(failure)
  return failures
}

/** Sends large requests. No other work runs in this thread, so time is judged too. */
async function amplify(gateway: TestGateway, { cases, seed, only }: FuzzArguments): Promise<void> {
  const report = await runAmplification(gateway, {
    ...{ cases, seed, only, bytes: 900_000, isTimed: true },
    onFailure: (failure) => console.error(failure),
    onProgress: (done) => console.log(`${done} cases`),
  })
  console.log(describeAmplification(report))
  console.log(`${report.all.length} cases, ${report.failures.length} failures`)
  process.exitCode = report.failures.length === 0 ? 0 : 1
}

try {
  await main()
} catch (error) {
  if (!(error instanceof CannotFuzz)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
