import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { z } from 'zod'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace, type Workplace } from '../../support/processes/workplace.ts'
import { createClient } from '../../support/requests/client.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'

const created = z.object({ account_id: z.string(), live_key: z.string() })
const newAccount = [
  ...['account', 'create', '--name', 'Ada', '--email', 'ada@example.com'],
  ...['--credits', '120', '--json'],
]

describe('gateway with DATABASE_URL', () => {
  const id = randomBytes(6).toString('hex')
  const databases = [`empty_${id}`, `single_${id}`]
  const login = `login_${id}`
  const password = randomBytes(12).toString('hex')
  let place: Workplace
  let backend: StubBackend

  const urlOf = (server: string, database: string) => new URL(`/${database}`, server).href

  async function asSuperuser(...statements: string[]): Promise<void> {
    const client = new pg.Client({ connectionString: inject('superuserUrl') })
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }

  beforeAll(async () => {
    await compileProgram()
    backend = await startStubBackend()
    backend.answer((_, res) => sendBackendJson(res, 200, { contact_id: 'con_1' }))
    place = openWorkplace()
    await asSuperuser(
      `CREATE DATABASE empty_${id} OWNER gateway_owner`,
      `CREATE ROLE ${login} LOGIN PASSWORD '${password}'`,
      `GRANT gateway_service TO ${login}`,
      `CREATE DATABASE single_${id} OWNER ${login}`,
    )
  })
  afterAll(async () => {
    await place.close()
    await backend.close()
    for (const database of databases) await asSuperuser(`DROP DATABASE ${database} WITH (FORCE)`)
    await asSuperuser(`DROP ROLE ${login}`)
  })

  test('migrate, account create and start work together, and create no demo account', async () => {
    const variables = {
      DATABASE_URL: urlOf(inject('serviceUrl'), `empty_${id}`),
      MIGRATE_DATABASE_URL: urlOf(inject('ownerUrl'), `empty_${id}`),
      GATEWAY_SECRET: 'a secret for tests, long enough to pass',
      PAYMENTS: 'simulated',
      BACKEND_CONTACT_FINDER_URL: backend.url,
    }

    const migrated = await place.run(['migrate', '--json'], variables)
    const account = await place.run(newAccount, variables)
    const gateway = await place.start(variables)

    expect(migrated).toMatchObject({ code: 0, stderr: '' })
    expect(account).toMatchObject({ code: 0, stderr: '' })
    const { account_id, live_key } = created.parse(JSON.parse(account.stdout))
    const client = createClient(gateway.baseUrl)
    const answer = await client.post('/v1/contacts/reveal', { contact_id: 'con_1' }, live_key)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('X-Credits-Charged')).toBe('5')
    expect(answer.headers.get('X-Credits-Remaining')).toBe('115')
    expect(existsSync(place.dataDir)).toBe(false)
    expect(gateway.stdout()).not.toMatch(/demo|key/i)
    const listed = await place.run(['account', 'list', '--json'], variables)
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id: account_id, balance: 115 }])
    gateway.signal('SIGTERM')
    expect(await gateway.finished).toMatchObject({ code: 0, signal: null })
  })

  test('needs only one login that may become gateway_service', async () => {
    const url = new URL(urlOf(inject('ownerUrl'), `single_${id}`))
    url.username = login
    url.password = password

    const account = await place.run(newAccount, {
      DATABASE_URL: url.href,
      GATEWAY_SECRET: 'a secret for tests, long enough to pass',
    })

    expect(account).toMatchObject({ code: 0, stderr: '' })
    expect(created.parse(JSON.parse(account.stdout)).live_key).toMatch(/^svc_live_/)
  })
})
