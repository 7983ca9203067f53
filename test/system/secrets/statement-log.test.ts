import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../gateway/trial/embedded-postgres/embedded-postgres.ts'
import { account } from '../../../subgraphs/account/index.ts'
import { keys } from '../../../subgraphs/keys/index.ts'
import { oauth } from '../../../subgraphs/oauth/index.ts'
import { migrate } from '../../../subgraphs/shared/migrating/migrate.ts'
import { usage } from '../../../subgraphs/usage/index.ts'
import type { TestDatabase } from '../../support/database/database.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

/** A text that callers send or backends answer, and no log may show; one for each place. */
const canaryOf = (place: string) => `canary-${place}-5f1e0c7a9b3d2e48`
/** The settings of a server that logs as much as it can. */
const settings = [
  ...['logging_collector = on', "log_directory = 'log'", "log_filename = 'all.log'"],
  ...["log_statement = 'all'", 'log_min_duration_statement = 0', 'log_min_messages = info'],
  ...['log_min_error_statement = debug5', 'log_duration = on'],
]

let folder: string
let server: EmbeddedPostgres
let pool: pg.Pool
let gateway: TestGateway
let backend: StubBackend
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-log-'))
  const quiet = await startEmbeddedPostgres(folder)
  await migrate([account, keys, oauth, usage], quiet.ownerUrl)
  const superuser = new pg.Client({ connectionString: quiet.superuserUrl })
  await superuser.connect()
  for (const setting of settings) await superuser.query(`ALTER SYSTEM SET ${setting}`)
  await superuser.end()
  await quiet.stop()
  server = await startEmbeddedPostgres(folder)
  const url = new URL(server.superuserUrl)
  url.pathname = new URL(server.ownerUrl).pathname
  pool = new pg.Pool({ connectionString: url.href, max: 1 })
  pool.on('error', () => {})
  const database: TestDatabase = {
    ownerUrl: server.ownerUrl,
    serviceUrl: server.workerUrl,
    async query<Row extends object>(sql: string, values: unknown[] = []) {
      return (await pool.query<Row>(sql, values)).rows
    },
    drop: async () => {},
  }
  backend = await startStubBackend()
  gateway = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url }, { database })
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
  await pool.end()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

function logged(): string {
  const logs = join(folder, 'postgres', 'log')
  return readdirSync(logs)
    .map((name) => readFileSync(join(logs, name), 'utf8'))
    .join('\n')
}

describe("PostgreSQL's log, with every statement and error logged", () => {
  test('contains no value of any statement', async () => {
    backend.answer((_, res) => sendBackendJson(res, 200, { email: canaryOf('answer') }))
    const { id, liveKey } = await gateway.createAccount({ credits: 100 })
    const once = (place: string) => ({ 'Idempotency-Key': canaryOf(place) })
    const post = (path: string, body: object, headers = {}) =>
      gateway.live.post(path, body, liveKey, headers)

    const answers = [
      await post('/v1/contacts/reveal', { contact_id: canaryOf('contact') }, once('call')),
      await post('/v1/account/keys', { name: canaryOf('key') }, once('issue')),
      await post('/v1/account/webhooks', {
        url: `https://hooks.example.com/${canaryOf('url')}`,
        description: canaryOf('description'),
      }),
      await post('/v1/oauth/apps', {
        client_name: canaryOf('app'),
        redirect_uris: [`https://app.example.com/${canaryOf('redirect')}`],
      }),
      await gateway.live.get(`/v1/account/keys?cursor=${canaryOf('cursor')}`, liveKey),
    ]
    // One statement of a transaction and one that is prepared fail while they have values.
    await gateway.database.query('ALTER TABLE keys.api_key RENAME TO gone')
    answers.push(await post('/v1/account/keys', { name: canaryOf('lost') }))
    await gateway.database.query('ALTER TABLE keys.gone RENAME TO api_key')
    await gateway.database.query(
      `ALTER TABLE account.webhook_endpoint ADD CONSTRAINT one UNIQUE (description)`,
    )
    answers.push(
      await post('/v1/account/webhooks', {
        url: `https://hooks.example.com/${canaryOf('twice')}`,
        description: canaryOf('description'),
      }),
    )
    await vi.waitUntil(async () => {
      const open = await gateway.database.query(
        `SELECT FROM jobs.job WHERE name IN ('RecordAuditEvents', 'PublishEvents') AND state < 'completed'`,
      )
      return open.length === 0
    }, patience)

    // The server writes its log a moment later, and in order.
    const end = `end of the log ${randomUUID()}`
    await gateway.database.query(`SELECT '${end}'`)
    await vi.waitUntil(() => logged().includes(end), patience)

    const log = logged()
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 201, 201, 422, 500, 500])
    const lines = log.split('\n')
    const holding = (text: string) => lines.filter((line) => line.includes(text))
    for (const expected of [
      ...['INSERT INTO account.webhook_endpoint', 'STATEMENT: ', '$1', 'execute settle-holds'],
      ...['violates unique constraint "one"', 'relation "keys.api_key" does not exist'],
    ]) {
      expect(holding(expected), expected).not.toEqual([])
    }
    expect(holding('canary-')).toEqual([])
    expect(holding(liveKey)).toEqual([])
    expect(holding(id)).toEqual([])
  })
})
