import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph({ sendsMails: true })
})
afterAll(async () => {
  vi.restoreAllMocks()
  await graph.close()
})

const anonymous = {
  ...({ kind: 'anonymous', environment: 'live' } as const),
  ...{ requestId: 'req_test', traceId: '', address: '192.0.2.1' },
}

/** A member of two accounts, or whatever the row says. */
async function plantMember(email: string, change = 'role = role'): Promise<string> {
  const personId = newId('per')
  await graph.database.query('INSERT INTO oauth.person (id, email) VALUES ($1, $2)', [
    personId,
    email,
  ])
  for (const accountId of [newId('acct'), newId('acct')]) {
    const id = newId('mem')
    await graph.database.query(
      `INSERT INTO oauth.membership (id, account_id, person_id, email, role, is_mailed, expires_at,
         joined_at, confirmed_at)
       VALUES ($1, $2, $3, $4, 'OWNER', true, now(), now(), now())`,
      [id, accountId, personId, email],
    )
    await graph.database.query(`UPDATE oauth.membership SET ${change} WHERE id = $1`, [id])
  }
  return email
}

/** What the work of a context has sent. The dispatcher of webhooks sends too, outside of it. */
const sentBy = new AsyncLocalStorage<unknown[]>()
const query = Reflect.get(pg.Client.prototype, 'query')
vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: unknown, ...sent) {
  sentBy.getStore()?.push(Object(sent[0]).name)
  return Reflect.apply(query, this, sent)
})

/** The names of the statements that the work sends. */
async function statementsOf(work: () => Promise<unknown>): Promise<unknown[]> {
  const names: unknown[] = []
  await sentBy.run(names, work)
  return names
}

function ask(email: string, askHash = sha256(newId('req'))): Promise<unknown> {
  return graph.as('AskForMail', { email, ask_hash: askHash }, anonymous)
}

async function addresses(): Promise<string[]> {
  return [
    await plantMember(`${newId('per')}@acme.example`),
    await plantMember(`${newId('per')}@acme.example`, 'removed_at = now()'),
    await plantMember(`${newId('per')}@acme.example`, 'confirmed_at = NULL'),
    `${newId('per')}@nobody.example`,
  ]
}

test('a request for a mail does the same work before the answer, whoever has the address', async () => {
  // The first one of a connection prepares its statements.
  await ask('first@nobody.example')
  const all = []
  for (const email of await addresses()) all.push(await statementsOf(() => ask(email)))

  const [first = []] = all
  expect(first.length).toBeGreaterThan(2)
  expect(JSON.stringify(first)).not.toMatch(/membership|person/)
  for (const statements of all) expect(statements).toEqual(first)
})

test('a wrong code does the same work before the answer, whoever has the address', async () => {
  const all = []
  for (const email of ['first@nobody.example', ...(await addresses())]) {
    const askHash = sha256(newId('req'))
    await ask(email, askHash)
    const [request] = await graph.database.query<{ id: string }>(
      'SELECT id FROM oauth.mail_sign_in WHERE ask_hash = $1',
      [askHash],
    )
    const [job] = await graph.database.query<{ data: Record<string, string> }>(
      `SELECT data FROM jobs.job WHERE name = 'MailSignIn' AND data::text LIKE '%' || $1 || '%'`,
      [request?.id],
    )
    expect(JSON.stringify(job)).not.toContain(email.split('@')[0])
    await graph.asService('MailSignIn', { id: request?.id, sealedEmail: job?.data.sealedEmail })
    all.push(
      await statementsOf(async () => {
        const proof = { mail_code: 'wrong', ask_hash: askHash }
        const refused = graph.as('SignInByMail', proof, anonymous)
        await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' })
      }),
    )
  }

  const [, first = []] = all
  expect(first.length).toBeGreaterThan(2)
  expect(JSON.stringify(first)).not.toMatch(/membership|person/)
  for (const statements of all.slice(1)) expect(statements).toEqual(first)
})

test('a request and its wrong codes are deleted a day after their end, by the sweep', async () => {
  const [kept, gone] = [sha256(newId('req')), sha256(newId('req'))]
  await ask('swept@nobody.example', kept)
  await ask('swept@nobody.example', gone)
  const setEnd = (hash: string, ago: string) =>
    graph.database.query(
      `UPDATE oauth.mail_sign_in SET expires_at = now() - $2::interval WHERE ask_hash = $1`,
      [hash, ago],
    )
  await setEnd(kept, '23 h')
  await setEnd(gone, '25 h')

  await graph.asService('ForgetExpiredGrants', { limit: 1000 })

  const left = await graph.database.query<{ hash: string }>(
    'SELECT ask_hash AS hash FROM oauth.mail_sign_in WHERE ask_hash IN ($1, $2)',
    [kept, gone],
  )
  expect(left).toEqual([{ hash: kept }])
})
