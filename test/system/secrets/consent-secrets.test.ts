import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { asTestGateway, type TestGateway, variablesFor } from '../../support/gateway/gateway.ts'
import {
  approve,
  consent,
  linesOf,
  redirectUri,
  registerApp,
  requestOf,
  shownTo,
  signIn,
} from '../../support/oauth/asking.ts'
import { compileProgram } from '../../support/processes/program.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../support/processes/workplace.ts'
import { findForms } from '../../support/requests/needles.ts'
import { patience } from '../../support/time/patience.ts'

/** The form of codes and of the secrets of sessions, wherever they come from. */
const anySecret = /svc_(?:oac|osn)_[\w-]{43}/

let place: Workplace
let database: TestDatabase
let program: StartedGateway
let gateway: TestGateway
beforeAll(async () => {
  await compileProgram()
  place = openWorkplace()
  database = await createTestDatabase()
  program = await place.start({
    ...variablesFor(database),
    LOG_LEVEL: 'trace',
    LOG_FORMAT: 'json',
  })
  gateway = asTestGateway(program, database)
})
afterAll(async () => {
  await place.close()
  await database.drop()
})

describe('the secrets of a consent', () => {
  test('appear in no table, job or log, also when the database fails (docs/oauth-rules.md 10, 74, 118)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const browser = await signIn(gateway.live, owner.liveKey)
    const state = 'the-state-of-the-app-of-which-nobody-should-know'
    const nonce = 'the-nonce-that-nobody-but-the-id-token-repeats'
    const query = requestOf(app, { state, nonce })
    const consentToken = await shownTo(gateway.live, browser, query)
    const { code } = await approve(gateway.live, query, owner.liveKey)
    const decided = `${query}&consent_token=${consentToken}`
    const byBrowser = await consent(gateway.live, decided, undefined, browser.headers)
    const again = await consent(gateway.live, decided, undefined, browser.headers)
    const unsent = await consent(gateway.live, `${query}&prompt=x`, owner.liveKey)
    await gateway.database.query('ALTER TABLE oauth.authorization_code RENAME TO gone')
    const failed = await consent(gateway.live, query, owner.liveKey)
    await gateway.database.query('ALTER TABLE oauth.gone RENAME TO authorization_code')
    await linesOf(gateway, app.clientId, 4)
    const last = await gateway.live.get('/v1/health')
    const lastId = last.headers.get('x-request-id') ?? 'none'
    await vi.waitUntil(() => program.stderr().includes(lastId), patience)

    expect([byBrowser, again, unsent, failed].map(({ status }) => status)).toEqual([
      200, 422, 422, 500,
    ])
    const log = program.stderr()
    const tables = await tableTexts()
    const secrets = {
      code,
      codeOfBrowser: String(Object(byBrowser.body).code),
      consentToken,
      session: browser.cookie.split('=')[1] ?? '',
      key: owner.liveKey,
    }
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret.length).toBeGreaterThan(30)
      expect([name, findForms(log, secret)]).toEqual([name, []])
      expect([name, tables.filter(({ text }) => findForms(text, secret).length > 0)]).toEqual([
        name,
        [],
      ])
    }
    expect(log).not.toMatch(anySecret)
    expect(tables.filter(({ text }) => anySecret.test(text))).toEqual([])
    for (const text of [state, nonce, redirectUri]) expect(log).not.toContain(text)
    expect(tables.filter(({ text }) => text.includes(state))).toEqual([])
    // The searched texts hold what they should.
    expect(log).toContain('/v1/oauth/consent')
    expect(log).toContain('authorization_code')
    const named = (text: string) =>
      tables.filter((table) => table.text.includes(text)).map(({ name }) => name)
    expect(named(redirectUri)).toEqual(['oauth.app', 'oauth.authorization_code'])
    expect(named(nonce)).toEqual(['oauth.authorization_grant'])
  })
})

/** Every table as text. */
async function tableTexts(): Promise<{ name: string; text: string }[]> {
  const tables = await database.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  )
  const texts = tables.map(async ({ name }) => {
    const rows = await database.query<{ text: string }>(`SELECT t::text AS text FROM ${name} AS t`)
    return { name, text: rows.map(({ text }) => text).join('\n') }
  })
  return Promise.all(texts)
}
