import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { decodeProtectedHeader } from 'jose'
import { Client } from 'undici'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { RoleProcess } from '../../../gateway/processes/distributed/processes.ts'
import { callerKey, sealCaller } from '../../../schema/credentials/caller-token.ts'
import { deriveKey } from '../../../schema/credentials/secrets.ts'
import { whileHeld } from '../../support/database/held-transaction.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import type { TestAccount, TestGateway } from '../../support/gateway/gateway.ts'
import { approve, introspect, redeem, registerApp } from '../../support/oauth/oauth-flow.ts'
import { startChaosProxy } from '../../support/processes/chaos-proxy.ts'
import { hasHaproxy, startHaproxy } from '../../support/processes/haproxy.ts'
import { startTestProcesses, type TestProcessSet } from '../../support/processes/process-set.ts'
import { createClient } from '../../support/requests/client.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

const revealCredits = 5
const [firstSecret, secondSecret] = [1, 2].map((n) => `the secret that seals callers, number ${n}`)
const subgraphs = ['account', 'keys', 'oauth', 'usage']

/** Requests of clients that keep their connections, until they are told that it is enough. */
function startClients(url: string, accounts: readonly TestAccount[]) {
  const answers = new Map<string, number>()
  let isOver = false
  let charged = 0

  async function ask(client: Client, account: TestAccount, turn: number): Promise<string> {
    const isCharged = turn % 2 === 1
    const headers = {
      authorization: `Bearer ${account.liveKey}`,
      'content-type': 'application/json',
    }
    const { statusCode, body } = await client.request(
      isCharged
        ? {
            ...{ method: 'POST', path: '/v1/contacts/reveal', headers },
            body: '{"contact_id":"con_1"}',
          }
        : { method: 'GET', path: '/v1/account/credits', headers },
    )
    await body.dump()
    if (isCharged && statusCode === 200) charged += 1
    return String(statusCode)
  }

  async function run(account: TestAccount): Promise<void> {
    const client = new Client(url)
    for (let turn = 0; !isOver; turn += 1) {
      const answer = await ask(client, account, turn).catch((error: unknown) => String(error))
      // An account may make 100 calls in a second.
      if (answer === '429') await setTimeout(100)
      else answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
    await client.close()
  }

  const done = Promise.all(accounts.map(run))
  return {
    answers,
    charged: () => charged,
    total: () => [...answers.values()].reduce((sum, count) => sum + count, 0),
    async finish() {
      isOver = true
      await done
    },
  }
}

describe('a gateway of processes that are replaced', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-restarts-'))
  const keysFile = join(folder, 'caller-keys')
  let backend: StubBackend
  let processes: TestProcessSet
  let doors: readonly [TestGateway, TestGateway]
  beforeAll(async () => {
    writeFileSync(keysFile, `${firstSecret}\n`)
    backend = await startStubBackend()
    processes = await startTestProcesses({
      variables: {
        BACKEND_CONTACT_FINDER_URL: backend.url,
        BACKEND_TIMEOUT_MS: '20000',
        HOLD_TTL_SECONDS: '25',
        CALLER_KEYS_FILE: keysFile,
        DRAIN_TIMEOUT_SECONDS: '20',
        // Longer than a busy machine stops HAProxy, which must see it.
        DRAIN_NOTICE_SECONDS: '5',
        KEY_CACHE_SECONDS: '3600',
        LOG_LEVEL: 'error',
      },
    })
    doors = processes.doors
  })
  afterAll(async () => {
    await processes.close()
    await backend.close()
    rmSync(folder, { recursive: true })
  })

  const openAccounts = (count: number, credits: number) =>
    Promise.all(Array.from({ length: count }, () => doors[0].createAccount({ credits })))

  async function expectGone(ended: RoleProcess, name: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    ended.signal(name)
    expect(await ended.exited).toBe(name === 'SIGTERM' ? 0 : null)
  }

  function last(role: string): RoleProcess {
    const found = processes.set.of(role).at(-1)
    if (!found) throw new Error(`No ${role} is there.`)
    return found
  }

  function facadeAt({ baseUrl }: TestGateway): RoleProcess {
    const found = processes.set.of('facade').findLast(({ urls }) => urls.live === baseUrl)
    if (!found) throw new Error(`No facade is at ${baseUrl}.`)
    return found
  }

  test('redeems a code at one facade that was approved at the other (docs/promises.md O3)', async () => {
    const app = await registerApp(doors[0])
    const owner = await doors[1].createAccount()

    const code = await approve(doors[0], app, { owner })
    const tokens = await redeem(doors[1].live, app, code)
    const again = await redeem(doors[0].live, app, code)

    expect(tokens.status).toBe(200)
    expect([again.status, again.body]).toMatchObject([400, { error: 'invalid_grant' }])
    // RFC 6749 §4.1.2: a code that is sent twice ends its tokens, everywhere.
    const { access_token: token } = Object(tokens.body)
    for (const door of doors) {
      expect((await introspect(door.live, app, token)).body).toEqual({ active: false })
    }
    const other = await redeem(doors[1].live, app, await approve(doors[0], app, { owner }))
    const seen = await introspect(doors[0].live, app, Object(other.body).access_token)
    expect(seen.body).toMatchObject({ active: true, client_id: app.clientId })
  })

  test.skipIf(!hasHaproxy)(
    'replaces both facades one after the other behind a load balancer, and no request of 16 clients fails (docs/promises.md R6)',
    async () => {
      const accounts = await openAccounts(16, 1_000_000)
      const haproxy = await startHaproxy(doors.map(({ baseUrl }) => baseUrl))
      await haproxy.untilAllUp()
      const clients = startClients(haproxy.url, accounts)
      const untilAnswered = async (count: number) => {
        const goal = clients.total() + count
        await vi.waitUntil(() => clients.total() >= goal, patience)
      }

      for (const facade of doors.map(facadeAt)) {
        await untilAnswered(500)
        await expectGone(facade, 'SIGTERM')
        await processes.startAgain(facade)
        await haproxy.untilAllUp()
      }
      await untilAnswered(500)
      await clients.finish()
      await haproxy.close()

      console.info(`rolling restart: ${clients.total()} requests`, clients.answers)
      expect([...clients.answers.keys()]).toEqual(['200'])
      const [spent] = await doors[0].database.query(
        `SELECT -sum(credits)::int AS credits FROM account.ledger_entry
         WHERE kind = 'charge' AND account_id = ANY($1)`,
        [accounts.map(({ id }) => id)],
      )
      expect(spent).toEqual({ credits: clients.charged() * revealCredits })
      await expectExactBooks(doors[0])
    },
  )

  test('replaces the keys that seal callers while requests run: none fails, and the old key is refused', async () => {
    const usage = last('usage')
    const key = (secret = '') => callerKey(deriveKey(secret, 'caller'))
    const [first, second] = [key(firstSecret), key(secondSecret)]
    // Another facade, whom we watch on its way to the usage log.
    const sealedBy = new Set<string | undefined>()
    const watch = await startChaosProxy(usage.urls.internal ?? '')
    watch.judge((bytes) => {
      const [, token] = /authorization: Bearer (\S+)/.exec(bytes.toString('latin1')) ?? []
      if (token !== undefined) sealedBy.add(decodeProtectedHeader(token).kid)
      return null
    })
    const watched = await processes.set.start('facade', {
      ...facadeAt(doors[0]).variables,
      ...{ PORT: '0', SANDBOX_PORT: '0', INTERNAL_PORT: '0' },
      USAGE_SUBGRAPH_URL: watch.through(usage.urls.internal ?? ''),
    })
    const accepts = async (role: string, sealing: typeof first) => {
      const caller = { kind: 'service', environment: 'live', requestId: '', traceId: '' } as const
      const authorization = `Bearer ${await sealCaller(() => [sealing], role, caller)}`
      const url = last(role).urls.internal ?? ''
      const options = {
        method: 'POST',
        body: { query: '{ __typename }' },
        headers: { authorization },
      }
      return (await createClient(url).request('/graphql', options)).status === 200
    }
    const untilAll = (isRight: (role: string) => Promise<boolean>) =>
      vi.waitUntil(async () => (await Promise.all(subgraphs.map(isRight))).every(Boolean), patience)
    const clients = startClients(watched.urls.live ?? '', await openAccounts(4, 1_000_000))

    writeFileSync(keysFile, `${firstSecret}\n${secondSecret}\n`)
    await untilAll((role) => accepts(role, second))
    await vi.waitUntil(() => sealedBy.has(first.id), patience)
    expect([...sealedBy]).toEqual([first.id])
    writeFileSync(keysFile, `${secondSecret}\n${firstSecret}\n`)
    await vi.waitUntil(() => sealedBy.has(second.id), patience)
    writeFileSync(keysFile, `${secondSecret}\n`)
    await untilAll(async (role) => !(await accepts(role, first)))
    const before = clients.total()
    await vi.waitUntil(() => clients.total() > before + 100, patience)
    await clients.finish()

    expect([...clients.answers.keys()]).toEqual(['200'])
    await expectGone(watched, 'SIGTERM')
    await watch.close()
    await expectExactBooks(doors[0])
  })

  test('survives the kill of a facade and the worker: another worker releases holds and completes log and export', async () => {
    const [account] = await openAccounts(1, 100 * revealCredits)
    if (!account) throw new Error('It is there.')
    const { id, liveKey } = account
    const [{ live: door }, { live: rest }] = doors
    const [facade, usage, worker] = [facadeAt(doors[0]), last('usage'), last('worker')]
    const reveal = () => door.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)
    await plantRequests(id, 100_000)

    // Charged and answered, and then nothing more is written down.
    await expectGone(usage, 'SIGKILL')
    const charged = await Promise.all(Array.from({ length: 10 }, reveal))
    backend.received.splice(0)
    backend.answer(() => {})
    const lost = Array.from({ length: 10 }, () => reveal().catch(() => null))
    await vi.waitUntil(() => backend.received.length === 10, patience)
    await expectGone(facade, 'SIGKILL')
    const held = await rest.get('/v1/account/credits', liveKey)
    backend.answer((_request, res) => sendBackendJson(res, 200, {}))
    await processes.startAgain(usage)
    worker.signal('SIGSTOP')
    // 503 until the facade has found out that the subgraph is back.
    const job = await vi.waitUntil(async () => {
      const answer = await rest.post('/v1/account/audit/export', exported, liveKey)
      return answer.status === 202 ? answer : null
    }, patience)
    // Under this lock the worker cannot read the log, so the export cannot be ready before the worker is
    // killed.
    const lock = 'LOCK TABLE usage.usage_log IN ACCESS EXCLUSIVE MODE'
    const left = await whileHeld(processes.database, [lock, []], {
      async started() {
        worker.signal('SIGCONT')
        await vi.waitUntil(async () => (await exportOf(Object(job.body).id)).isRunning, patience)
        await expectGone(worker, 'SIGKILL')
        return await exportOf(Object(job.body).id)
      },
    })
    await processes.set.start('worker', worker.variables)

    expect(charged.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(await Promise.all(lost)).toEqual(Array(10).fill(null))
    expect(held.body).toMatchObject({ balance: 450, held: 50, available: 400 })
    expect(left).toMatchObject({ status: 'running', attempt: 1 })
    await vi.waitUntil(async () => (await exportOf(Object(job.body).id)).isDone, patience)
    expect(await exportOf(Object(job.body).id)).toMatchObject({
      ...{ status: 'completed', row_count: 100_000, failures: 0 },
    })
    const complete = [
      { status: 200, credits: revealCredits, count: 10 },
      { status: 503, credits: 0, count: 10 },
    ]
    await vi.waitFor(async () => expect(await revealsOf(id)).toEqual(complete), patience)
    const credits = await rest.get('/v1/account/credits', liveKey)
    expect(credits.body).toMatchObject({ balance: 450, held: 0, available: 450 })
    await processes.startAgain(facade)
    const back = await door.get('/v1/account/credits', liveKey)
    expect(back.body).toMatchObject({ balance: 450, held: 0, available: 450 })
    await expectExactBooks(doors[0])
  })

  const exported = { kind: 'requests', service: 'seo' }

  /** Plants requests as if they had been made; the export takes a while over them. */
  async function plantRequests(accountId: string, count: number): Promise<void> {
    await processes.database.query(
      `INSERT INTO usage.usage_log (account_id, environment, request_id, ts, method, endpoint,
         service, status, credits, latency_ms, trace_id, backend_module)
       SELECT $1, 'live', 'req_' || lpad(g::text, 26, '0'), now() - g * interval '1 ms', 'GET',
         '/v1/seo/keywords', 'seo', 200, 0, g % 1000, md5(g::text), 'seo'
       FROM generate_series(1, $2::int) AS g`,
      [accountId, count],
    )
  }

  async function exportOf(id: string) {
    const [row] = await processes.database.query<{
      status: string
      attempt: number
      row_count: number | null
      failures: number
    }>('SELECT status, attempt, row_count::int, failures FROM usage.audit_export WHERE id = $1', [
      id,
    ])
    if (!row) throw new Error(`${id} is not there.`)
    const { status } = row
    return { ...row, isRunning: status === 'running', isDone: /^(completed|failed)$/.test(status) }
  }

  function revealsOf(accountId: string) {
    return processes.database.query(
      `SELECT status, credits::int, count(*)::int AS count FROM usage.usage_log
       WHERE account_id = $1 AND endpoint = '/v1/contacts/reveal' GROUP BY 1, 2 ORDER BY 1`,
      [accountId],
    )
  }
})
