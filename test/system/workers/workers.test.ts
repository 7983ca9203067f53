import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { createAccountOnTier } from '../../support/gateway/account-on-tier.ts'
import { asTestGateway, type TestGateway, variablesFor } from '../../support/gateway/gateway.ts'
import { assessDamage, expectNoDamage, report } from '../../support/load/audit.ts'
import { mostConnections } from '../../support/load/connections.ts'
import {
  type DeduplicatingBackend,
  startDeduplicatingBackend,
} from '../../support/load/deduplicating-backend.ts'
import { idempotencyHeader, startLoad, wishesOf } from '../../support/load/load.ts'
import { openPage, type Page } from '../../support/oauth/sessions.ts'
import { pidsOf, workerPids } from '../../support/processes/children.ts'
import { compileProgram } from '../../support/processes/program.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../support/processes/workplace.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { openSocket, statusesOf } from '../../support/requests/socket.ts'
import { patience } from '../../support/time/patience.ts'

const workers = 2
const anonymousRps = 20
const connectionsPerAddress = 80
/** Each request has a connection of its own, and connections are handed to the workers in turn. */
const apart = { connection: 'close' }
const timeoutMs = 900_000

describe('a gateway with workers', () => {
  let database: TestDatabase
  let backend: DeduplicatingBackend
  let place: Workplace
  let variables: Readonly<Record<string, string>>
  let program: StartedGateway
  let gateway: TestGateway
  beforeAll(async () => {
    await compileProgram()
    database = await createTestDatabase()
    backend = await startDeduplicatingBackend()
    place = openWorkplace({ prefix: 'gateway-workers-' })
    variables = {
      ...variablesFor(database),
      WORKERS: String(workers),
      BACKEND_CONTACT_FINDER_URL: backend.url,
      ANONYMOUS_RPS: String(anonymousRps),
      MAX_CONNECTIONS_PER_ADDRESS: String(connectionsPerAddress),
      // Keys are believed for an hour: only a notice can make a worker forget one.
      KEY_CACHE_SECONDS: '3600',
      DRAIN_TIMEOUT_SECONDS: '60',
      // Callers must not wait long for the holds of a killed worker.
      BACKEND_TIMEOUT_MS: '10000',
      HOLD_TTL_SECONDS: '11',
      SMTP_URL: 'mailbox:',
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'json',
    }
    program = await place.start(variables)
    gateway = asTestGateway(program, database)
  })
  afterAll(async () => {
    await place.close()
    await backend.close()
    await database.drop()
  })

  let keys = 0
  /** Each call has a key of its own, so that a second charge of it is seen. */
  function nextKey(): Readonly<Record<string, string>> {
    keys += 1
    return { [idempotencyHeader]: `call-${keys}` }
  }

  const isReady = async () => (await gateway.internal.get('/ready')).status === 200

  /** The worker that is asked may be the one that was killed: its connections are reset. */
  const untilNotReady = () =>
    vi.waitUntil(async () => !(await isReady().catch(() => true)), patience)

  /** The answers of each window that was used up, by the second in which it ended. */
  function usedUp(responses: readonly TestResponse[], admitted: number): TestResponse[][] {
    const windows = Map.groupBy(responses, ({ headers }) => headers.get('x-ratelimit-reset'))
    return [...windows.values()]
      .filter((window) => window.some(({ status }) => status === 429))
      .map((window) => window.filter(({ status }) => status === admitted))
  }

  test('admits the limit of an account in each window, and counts each request down once', async () => {
    const { liveKey } = await createAccountOnTier(gateway, 'STARTER')

    // The requests at once are no more than one client may have connections.
    const responses: TestResponse[] = []
    while (usedUp(responses, 200).length < 2) {
      const calls = Array.from({ length: 20 }, () =>
        gateway.live.get('/v1/account', liveKey, apart),
      )
      responses.push(...(await Promise.all(calls)))
    }

    for (const admitted of usedUp(responses, 200)) {
      const remaining = admitted.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
      expect(remaining.toSorted((a, b) => b - a)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    }
  })

  test('a session has a window of its own, once for all workers', async () => {
    const { liveKey } = await createAccountOnTier(gateway, 'STARTER')
    const page = await openPage(gateway.live, liveKey)

    const responses: TestResponse[] = []
    while (usedUp(responses, 200).length < 1) {
      const calls = Array.from({ length: 20 }, () => page.get('/v1/account', apart))
      responses.push(...(await Promise.all(calls)))
    }

    for (const admitted of usedUp(responses, 200)) expect(admitted).toHaveLength(10)
  })

  test('a session that ends, or whose key ends, is refused by every worker at once', async () => {
    const account = await gateway.createAccount()
    const { id, plaintext } = await gateway.createKey(account.id)
    const pages = await Promise.all([
      openPage(gateway.live, plaintext),
      openPage(gateway.live, account.liveKey),
    ])
    const [ofKey, signedOut] = pages
    const statuses = (page: Page) =>
      Promise.all(
        Array.from({ length: 8 }, async () => (await page.get('/v1/account', apart)).status),
      )
    expect(await statuses(ofKey)).toEqual(Array.from({ length: 8 }, () => 200))

    const revoked = await gateway.live.request(`/v1/account/keys/${id}`, {
      ...{ method: 'DELETE', key: account.liveKey },
    })
    const ended = await signedOut.send('DELETE', '/v1/oauth/session')

    expect([revoked.status, ended.status]).toEqual([200, 200])
    for (const page of pages) {
      expect(await statuses(page)).toEqual(Array.from({ length: 8 }, () => 401))
    }
  })

  test('ANONYMOUS_RPS: an address has it once, not once for each worker', async () => {
    const responses: TestResponse[] = []
    while (usedUp(responses, 401).length < 1) {
      const calls = Array.from({ length: 30 }, () => gateway.live.get('/v1/account', 'x', apart))
      responses.push(...(await Promise.all(calls)))
    }

    const windows = Map.groupBy(responses, ({ headers }) => headers.get('x-ratelimit-reset'))
    for (const window of windows.values()) {
      const admitted = window.filter(({ status }) => status === 401)
      expect(admitted.length).toBeLessThanOrEqual(anonymousRps)
    }
  })

  test('MAX_CONNECTIONS_PER_ADDRESS: an address has it once, and an ended connection is free', async () => {
    const sockets: Socket[] = []
    async function statusOnNew(): Promise<number | null> {
      const { port } = new URL(gateway.baseUrl)
      const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: '127.0.0.9' })
      socket.on('error', () => {})
      sockets.push(socket)
      const answered = Promise.race([
        once(socket, 'data').then(([chunk]) => Number(String(chunk).split(' ')[1])),
        once(socket, 'close').then(() => null),
      ]).catch(() => null)
      socket.write('GET /v1/health HTTP/1.1\r\nHost: gateway\r\n\r\n')
      return answered
    }

    const statuses = []
    for (let index = 0; index <= connectionsPerAddress; index += 1)
      statuses.push(await statusOnNew())
    sockets[0]?.destroy()
    await vi.waitUntil(async () => (await statusOnNew()) === 200, patience)
    for (const socket of sockets) socket.destroy()

    expect(statuses).toEqual([...Array.from({ length: connectionsPerAddress }, () => 200), null])
  })

  test('has at most 25 connections to its database, and 10 for each further worker', async () => {
    const account = await gateway.createAccount()

    const most = await mostConnections(database, account, gateway)

    expect(most).toBeGreaterThan(10)
    expect(most).toBeLessThanOrEqual(25 + 10 * (workers - 1))
  })

  test('GET /metrics sums the counts of all workers', async () => {
    const { liveKey } = await gateway.createAccount()
    const countOf = async () => {
      const response = await fetch(`${program.internalUrl}/metrics`, { headers: apart })
      const line = /^gateway_http_requests_total\{.*route="\/v1\/account\/keys".*\} (\d+)$/m
      return Number(line.exec(await response.text())?.[1] ?? 0)
    }

    const before = await countOf()
    for (let index = 0; index < 6; index += 1) {
      expect((await gateway.live.get('/v1/account/keys', liveKey, apart)).status).toBe(200)
    }

    await vi.waitFor(
      async () => expect([await countOf(), await countOf()]).toEqual([before + 6, before + 6]),
      patience,
    )
  })

  test('GET /mailbox at any worker shows the mails of the process for jobs', async () => {
    const account = await gateway.createAccount()
    const address = 'person@acme.example'
    const body = { emails: [address], kinds: [] }
    const put = { method: 'PUT', key: account.liveKey, body }
    expect((await gateway.live.request('/v1/account/notifications', put)).status).toBe(200)

    for (let times = 0; times < 2 * workers; times += 1) {
      await vi.waitUntil(async () => {
        const mailbox = await gateway.internal.get('/mailbox', undefined, apart)
        return Object(mailbox.body).items.some(({ to }: { to: string }) => to === address)
      }, patience)
    }
  })

  test('a revoked key is refused by every worker from the answer of the revocation on', async () => {
    const account = await gateway.createAccount()
    const status = async (key: string) => (await gateway.live.get('/v1/account', key, apart)).status

    for (let round = 0; round < 3; round += 1) {
      const { id, plaintext } = await gateway.createKey(account.id)
      expect([await status(plaintext), await status(plaintext)]).toEqual([200, 200])
      await gateway.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id })
      // Each is counted with its address when it is refused.
      const after = await Promise.all([status(plaintext), status(plaintext), status(plaintext)])
      expect(after.filter((code) => code !== 429).every((code) => code === 401)).toBe(true)
    }
  })

  test('a call with a brace too many behind it is answered by every worker, and paid once', async () => {
    const { liveKey } = await gateway.createAccount()
    const body = '{"contact_id":"con_5f1e0c7a9b3d2e48"}'
    const head = [
      'POST /v1/contacts/reveal HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${liveKey}`,
    ]
    const more = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    // With a key, because the books of this gateway are judged as a whole: each charge has its wish.
    const callOf = (key: number) =>
      `${[...head, ...more, `Idempotency-Key: brace-${key}`].join('\r\n')}\r\n\r\n${body}}`

    const port = Number(new URL(gateway.baseUrl).port)
    const answers = Array.from(
      { length: 2 * workers },
      (_, index) => openSocket(port, callOf(index)).all,
    )

    for (const text of await Promise.all(answers)) expect(statusesOf(text)).toEqual([200, 400])
    const credits = await gateway.live.get('/v1/account/credits', liveKey, apart)
    expect(credits.body).toMatchObject({ balance: 1000 - 5 * answers.length, held: 0 })
  })

  test('SIGHUP replaces the workers without a failed call', { timeout: timeoutMs }, async () => {
    const { liveKey } = await gateway.createAccount({ credits: 1_000_000 })
    const before = workerPids(program.pid)
    const failures: unknown[] = []
    let answers = 0
    let isOver = false
    async function callOn(): Promise<void> {
      while (!isOver) {
        const answer = await gateway.live
          .post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey, nextKey())
          .catch((error: unknown) => ({ status: 0, body: String(Object(error).cause ?? error) }))
        if (![200, 429].includes(answer.status)) failures.push(answer)
        answers += 1
      }
    }

    // More of them would only keep the new workers from the processor.
    const clients = Promise.all(Array.from({ length: 2 }, callOn))
    await vi.waitUntil(() => answers > 20, patience)
    program.signal('SIGHUP')
    await vi.waitUntil(() => workerPids(program.pid).every((pid) => !before.includes(pid)), {
      ...patience,
      timeout: 200_000,
    })
    const afterReplacement = answers
    await vi.waitUntil(() => answers > afterReplacement + 20, patience)
    isOver = true
    await clients

    expect(failures).toEqual([])
    expect(workerPids(program.pid)).toHaveLength(workers)
    await vi.waitUntil(isReady, patience)
  })

  test('kill -9 of a worker loses and doubles no charge; the others serve on, and it is replaced', {
    timeout: timeoutMs,
  }, async () => {
    const accounts = await Promise.all(
      Array.from({ length: 4 }, () => gateway.createAccount({ credits: 100_000 })),
    )
    let isOver = false
    const load = startLoad(
      wishesOf(accounts, 100_000, () => isOver),
      {
        urlOf: () => gateway.baseUrl,
        clients: 4,
        answerPatienceMs: 10_000,
        patienceMs: timeoutMs,
      },
    )

    await vi.waitUntil(() => load.fulfilled() > 10, patience)
    const [victim = 0] = workerPids(program.pid)
    process.kill(victim, 'SIGKILL')
    await untilNotReady()
    const whileMissing = load.fulfilled()
    await vi.waitUntil(() => load.fulfilled() > whileMissing + 10, patience)
    await vi.waitUntil(isReady, { ...patience, timeout: 200_000 })
    const withAll = load.fulfilled()
    await vi.waitUntil(() => load.fulfilled() > withAll + 10, patience)
    isOver = true
    const fulfilments = await load.done

    await vi.waitUntil(async () => {
      const [row] = await database.query<{ count: string }>(
        `SELECT count(*) FROM account.ledger_entry e
         LEFT JOIN usage.usage_log u ON u.account_id = e.account_id
           AND u.environment = e.environment AND u.request_id = e.ref
         WHERE e.kind = 'charge' AND u.credits IS DISTINCT FROM -e.credits`,
      )
      return row?.count === '0'
    }, patience)
    const damage = await assessDamage(gateway, fulfilments)
    report('kill -9 of a worker', 1, damage, load)
    expect(load.malformed).toEqual([])
    await expectNoDamage(gateway, damage)
    expect(workerPids(program.pid)).toHaveLength(workers)
    expect(workerPids(program.pid)).not.toContain(victim)
    expect(program.isRunning()).toBe(true)
    expect(await place.run(['ledger', 'verify'], variables)).toMatchObject({ code: 0 })
  })

  test('kill -9 of the process for jobs: it is replaced, and workers reach its modules again', {
    timeout: timeoutMs,
  }, async () => {
    const { sandboxKey } = await gateway.createAccount()
    const [victim = 0] = pidsOf(program.pid, 'jobs')

    process.kill(victim, 'SIGKILL')
    await untilNotReady()
    await vi.waitUntil(isReady, { ...patience, timeout: 200_000 })

    for (let worker = 0; worker < workers; worker += 1) {
      const body = { contact_id: 'con_1' }
      const answer = await gateway.sandbox.post('/v1/contacts/reveal', body, sandboxKey, {
        ...apart,
        ...nextKey(),
      })
      expect(answer.status).toBe(200)
    }
  })

  test('a used port is an error that names it, and nothing of the second gateway stays', async () => {
    const { port } = new URL(gateway.baseUrl)

    const second = await place.run(['start'], { ...variables, PORT: port })

    expect(second).toMatchObject({ code: 1, stdout: '' })
    expect(second.stderr).toContain(`listen EADDRINUSE: address already in use 127.0.0.1:${port}`)
  })

  test('SIGTERM lets the calls of all workers end, and exits with 0', async () => {
    const { liveKey } = await gateway.createAccount()
    const before = backend.requests()
    const calls = Array.from({ length: 6 }, () =>
      gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey, {
        ...apart,
        ...nextKey(),
      }),
    )
    await vi.waitUntil(() => backend.requests() > before, patience)

    program.signal('SIGTERM')

    const answers = await Promise.all(calls)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    expect(await program.finished).toMatchObject({ code: 0, signal: null })
  })
})
