import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, type TestContext, test, vi } from 'vitest'
import { z } from 'zod'
import { chosen } from '../../support/extent/extent.ts'
import { compileProgram } from '../../support/processes/program.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../support/processes/workplace.ts'
import { createClient } from '../../support/requests/client.ts'
import { sendBackendJson, startStubBackend } from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

const startBalance = 100_000
const callers = 8

const createdAccount = z.object({
  data: z.object({
    createAccount: z.object({ account: z.object({ id: z.string() }), liveKey: z.string() }),
  }),
})

beforeAll(compileProgram)

function workplaceOf({ onTestFinished }: TestContext): Workplace {
  const place = openWorkplace()
  onTestFinished(() => place.close())
  return place
}

describe.concurrent('gateway start after kill -9', () => {
  /** With the highest rate limit. */
  async function createAccount(place: Workplace, { internalUrl }: StartedGateway) {
    const query = `mutation ($input: CreateAccountInput!) {
      createAccount(input: $input) { account { id } liveKey }
    }`
    const input = { name: 'T', email: 't@example.com', tier: 'SCALE', credits: startBalance }
    const internal = createClient(internalUrl)
    const token = place.demo().internal_token
    const { body } = await internal.post('/graphql', { query, variables: { input } }, token)
    return createdAccount.parse(body).data.createAccount
  }

  test('loses no acknowledged charge and leaves exact books and one PostgreSQL', {
    timeout: 300_000,
  }, async (context) => {
    const backend = await startStubBackend()
    context.onTestFinished(() => backend.close())
    const place = workplaceOf(context)
    backend.answer(({ body }, res) => {
      // One call stays under way until the gateway is killed.
      if (!body.includes('never')) sendBackendJson(res, 200, { contact_id: 'con_1' })
    })
    const variables = {
      BACKEND_CONTACT_FINDER_URL: backend.url,
      BACKEND_TIMEOUT_MS: '60000',
      HOLD_TTL_SECONDS: '120',
    }
    const killed = await place.start(variables)
    const { account, liveKey } = await createAccount(place, killed)
    const client = createClient(killed.baseUrl)
    let acknowledged = 0
    const reveal = (contact: string) =>
      client.post('/v1/contacts/reveal', { contact_id: contact }, liveKey).catch(() => null)
    async function keepCalling(): Promise<void> {
      for (;;) {
        const answer = await reveal('con_1')
        if (answer === null) return
        if (answer.status === 200) acknowledged += 1
      }
    }
    /** The others may have used up this second's requests. */
    async function callOnceAdmitted(contact: string): Promise<void> {
      while ((await reveal(contact))?.status === 429);
    }
    const calls = Array.from({ length: callers }, keepCalling)
    await vi.waitUntil(() => acknowledged >= 40, patience)
    const unfinished = callOnceAdmitted('never')
    await vi.waitUntil(() => backend.received.some(({ body }) => body.includes('never')), patience)

    killed.signal('SIGKILL')
    expect(await killed.finished).toMatchObject({ signal: 'SIGKILL' })
    await Promise.all([...calls, unfinished])
    const gateway = await place.start(variables)

    expect(place.postmasters()).toHaveLength(1)
    const readBooks = async () => {
      const [books] = await place.query(
        `SELECT b.balance::int, b.held::int,
           (SELECT sum(delta) FROM account.ledger_audit WHERE account_id = $1)::int AS entries,
           (SELECT count(*) FROM account.ledger_audit
             WHERE account_id = $1 AND kind = 'charge')::int AS charges,
           (SELECT count(*) FROM account.hold WHERE account_id = $1)::int AS holds,
           (SELECT sum(credits) FROM usage.usage_log WHERE account_id = $1)::int AS logged,
           (SELECT count(*) FROM usage.usage_log
             WHERE account_id = $1 AND credits = 5 AND status = 200)::int AS logged_charges,
           (SELECT count(*) FROM usage.usage_log
             WHERE account_id = $1 AND credits = 0 AND status = 503)::int AS given_up
         FROM account.balance b WHERE b.account_id = $1 AND b.environment = 'live'`,
        [account.id],
      )
      return z.record(z.string(), z.number()).parse(books)
    }
    const { balance = Number.NaN, charges = Number.NaN } = await readBooks()
    expect(charges).toBeGreaterThanOrEqual(acknowledged)
    expect(charges).toBeLessThanOrEqual(acknowledged + callers)
    // The clock is PostgreSQL's: instead of waiting, the time of what was under way is over now.
    await place.query('UPDATE account.hold SET expires_at = now() WHERE account_id = $1', [
      account.id,
    ])
    // The hold is given up, no other hold is open, and every charge is in the log.
    const settled = { balance, held: 0, entries: balance, charges, holds: 0 }
    const told = { logged: 5 * charges, logged_charges: charges }
    await vi.waitFor(async () => {
      const { given_up, ...books } = await readBooks()
      expect(books).toEqual({ ...settled, ...told })
      expect(given_up).toBeGreaterThanOrEqual(1)
    }, patience)
    expect(balance).toBe(startBalance - 5 * charges)
    const answer = await createClient(gateway.baseUrl).post(
      '/v1/contacts/reveal',
      { contact_id: 'con_1' },
      liveKey,
    )
    expect(answer.status).toBe(200)
    expect(answer.headers.get('X-Credits-Remaining')).toBe(String(balance - 5))
  })

  test('starts when the first start was killed while it made the cluster', async (context) => {
    const place = workplaceOf(context)
    const killed = place.spawn(['start'])
    await vi.waitUntil(() => place.postmasters().length > 0, { ...patience, interval: 2 })
    killed.signal('SIGKILL')
    await killed.finished

    await place.start()

    await vi.waitUntil(() => place.postmasters().length === 1, patience)
    const { base_url, live_key } = place.demo()
    expect((await createClient(base_url).get('/v1/account', live_key)).status).toBe(200)
  })
})

describe.concurrent('a gateway whose PostgreSQL is gone', () => {
  test('keeps running, answers 503 and still stops cleanly', async (context) => {
    const place = workplaceOf(context)
    const gateway = await place.start({ DRAIN_TIMEOUT_SECONDS: '60' })
    const [postmaster] = place.postmasters()
    if (postmaster === undefined) throw new Error('There is no PostgreSQL to be stopped.')
    const client = createClient(gateway.baseUrl)
    const { live_key } = place.demo()
    const reveal = () => client.post('/v1/contacts/reveal', { contact_id: 'con_1' }, live_key)
    expect((await reveal()).status).toBe(200)

    process.kill(postmaster, 'SIGINT')
    await vi.waitUntil(() => place.postmasters().length === 0, patience)

    expect(await reveal()).toMatchObject({
      status: 503,
      body: { error: { code: 'SERVICE_UNAVAILABLE' } },
    })
    gateway.signal('SIGTERM')
    expect(await gateway.finished).toMatchObject({ code: 0, signal: null })
  })
})

describe.concurrent('gateway start on a folder that is in use', () => {
  test('is refused with the name of the folder, and the first keeps running', async (context) => {
    const place = workplaceOf(context)
    const first = await place.start()
    const postmasters = place.postmasters()

    const { code, stdout, stderr } = await place.run(['start'])

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(place.dataDir)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(place.postmasters()).toEqual(postmasters)
    const credits = await createClient(first.baseUrl).get(
      '/v1/account/credits',
      place.demo().live_key,
    )
    expect(credits.status).toBe(200)
  })

  test('is refused also when its temporary folder differs', async (context) => {
    const place = workplaceOf(context)
    const first = await place.start()
    const postmasters = place.postmasters()
    const TMPDIR = join(place.folder, 'tmp')
    mkdirSync(TMPDIR)

    const second = place.spawn(['start'], { TMPDIR })

    await vi.waitUntil(() => second.stdout() !== '' || !second.isRunning(), patience)
    expect({ runs: second.isRunning(), stdout: second.stdout() }).toEqual({
      runs: false,
      stdout: '',
    })
    expect(await second.finished).toMatchObject({ code: 1 })
    expect(place.postmasters()).toEqual(postmasters)
    const credits = await createClient(first.baseUrl).get(
      '/v1/account/credits',
      place.demo().live_key,
    )
    expect(credits.status).toBe(200)
  })
})

describe.concurrent('gateway start after a crash whose process ids were reused', () => {
  /** Leaves a file as a crash does, with an id that the system gave to another process since. */
  function leavePidFile({ dataDir }: Workplace, pid: number): void {
    const cluster = join(dataDir, 'postgres')
    const file = join(cluster, 'postmaster.pid')
    const startedAt = Math.floor(Date.now() / 1000) - 3600
    const lines = [pid, cluster, startedAt, 1, '', '127.0.0.1', ' 1234567     99999', 'ready   ']
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
    const { uid, gid } = statSync(cluster)
    chownSync(file, uid, gid)
  }

  test('leaves other processes of the same users alone, and starts', {
    timeout: 300_000,
  }, async (context) => {
    const place = workplaceOf(context)
    const first = await place.start()
    first.signal('SIGTERM')
    expect(await first.finished).toMatchObject({ code: 0 })
    const { uid, gid } = statSync(join(place.dataDir, 'postgres'))
    const idle = ['-e', 'setInterval(() => {}, 60_000)']
    const users = process.getuid?.() === 0 ? [{}, { uid, gid }] : [{}]
    for (const user of chosen('user', users)) {
      const stranger = spawn(process.execPath, idle, { cwd: '/', stdio: 'ignore', ...user })
      const isGone = once(stranger, 'exit')
      context.onTestFinished(async () => {
        stranger.kill('SIGKILL')
        await isGone
      })
      leavePidFile(place, stranger.pid ?? 0)

      const gateway = await place.start()

      const { exitCode, signalCode } = stranger
      expect({ exitCode, signalCode }).toEqual({ exitCode: null, signalCode: null })
      expect(place.postmasters()).toHaveLength(1)
      gateway.signal('SIGTERM')
      expect(await gateway.finished).toMatchObject({ code: 0 })
    }
  })
})
