import { createServer, connect as dial, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import {
  type AllTenantsDatabase,
  type OpenDatabase,
  openDatabase,
  type ServiceStatement,
  type Statement,
} from '../../../subgraphs/shared/database/database.ts'
import { types } from '../../../subgraphs/shared/database/statement.ts'
import { allTenants } from '../../../subgraphs/shared/database/tenant.ts'
import { createWireConnections } from '../../../subgraphs/shared/database/wire/wire-connections.ts'
import { databaseFailure } from '../../../subgraphs/shared/graph/database-failure.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { chosen } from '../../support/extent/extent.ts'
import { type ChaosProxy, startChaosProxy } from '../../support/processes/chaos-proxy.ts'
import { patience } from '../../support/time/patience.ts'

const storage = { name: 'faults', entities: [], migrations: [] }

let stored: TestDatabase
beforeAll(async () => {
  stored = await createTestDatabase()
})
afterAll(() => stored.drop())

const echo = {
  name: 'echo',
  text: 'SELECT $1 AS value, $2::text AS "asText"',
  parameters: ['int8', 'int8'],
} as const
const tenantEcho: Statement = { ...echo, wire: 'tenant' }
const serviceEcho: ServiceStatement = { ...echo, name: 'echo-service', wire: 'service' }
const answer = [{ value: 1, asText: '2' }]

type Ask = (database: OpenDatabase) => Promise<object[]>
const asks: readonly [string, Ask][] = [
  ['tenant', (database) => database.as('acct_a').query(tenantEcho, [1, 2])],
  ['service', (database) => database.as(allTenants).query(serviceEcho, [1, 2])],
]

function open(url: string, poolSize = 1): Promise<OpenDatabase> {
  return openDatabase(storage, { url, poolSize, warn: () => {} })
}

function outcomeOf(asked: Promise<object[]>): Promise<unknown> {
  return asked.catch((error: unknown) => error)
}

/**
 * The outcome of a statement that was sent. On a loaded machine the database may look silent for a
 * moment; until it answers again, statements are refused and not sent.
 */
async function outcomeWhenSent(ask: () => Promise<object[]>): Promise<unknown> {
  const sent = await vi.waitUntil(async () => {
    const outcome = await outcomeOf(ask())
    return databaseFailure(outcome)?.extensions.isUnsent ? null : { outcome }
  }, patience)
  return sent.outcome
}

interface CuttingProxy {
  readonly url: string
  /** From now on, so many bytes of answers pass; then `cut` happens to their connection. */
  cutAfter(bytes: number, cut: (client: Socket) => void): void
  /** How many bytes of answers have passed since `cutAfter`. */
  readonly passed: () => number
  mend(): void
  close(): Promise<void>
}

/** Passes bytes one by one, so that a cut comes at each of them. */
async function startCuttingProxy(targetUrl: string): Promise<CuttingProxy> {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  let left = Number.POSITIVE_INFINITY
  let passed = 0
  let cut: (client: Socket) => void = () => {}

  const listener = createServer({ noDelay: true }, (client) => {
    const server = dial({ host: target.hostname, port: Number(target.port), noDelay: true })
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
    let isOfStatements = false
    client.once('data', (startup: Buffer) => {
      isOfStatements = startup.includes(`credit-gateway ${storage.name}`)
    })
    client.on('data', (bytes: Buffer) => server.write(bytes))
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
    server.on('data', (bytes: Buffer) => {
      // The connection of the probe passes here too.
      if (!isOfStatements) {
        client.write(bytes)
        return
      }
      const passing = bytes.subarray(0, Math.min(left, bytes.length))
      passed += passing.length
      left -= bytes.length
      if (left >= 0) client.write(bytes)
      else client.write(passing, () => cut(client))
    })
  })
  const port = await freePort()
  await new Promise<void>((resolve) => {
    listener.listen(port, '127.0.0.1', resolve)
  })
  const url = new URL(targetUrl)
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    cutAfter(bytes, how) {
      ;[left, passed, cut] = [bytes, 0, how]
    },
    passed: () => passed,
    mend() {
      left = Number.POSITIVE_INFINITY
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        listener.close(() => resolve())
      }),
  }
}

/** A connection may end in either way; they take turns. */
const cuts: readonly ((client: Socket) => void)[] = [
  (client) => client.end(),
  (client) => client.resetAndDestroy(),
]

describe.each(asks)('a cut of the connection of a wire statement of the %s', (kind, ask) => {
  let proxy: CuttingProxy
  let database: OpenDatabase
  beforeAll(async () => {
    proxy = await startCuttingProxy(stored.serviceUrl)
    database = await open(proxy.url)
  })
  afterAll(async () => {
    await database.close()
    await proxy.close()
  })

  test.each([
    ['a statement that it has not prepared', 0],
    ['a statement that it has prepared', 1],
  ])(
    'at any byte of the answer to %s fails the statement, and serves the next one',
    async (which, runs) => {
      async function freshConnection(): Promise<void> {
        proxy.cutAfter(0, (client) => client.destroy())
        await outcomeOf(ask(database))
        proxy.mend()
        // A connection that has prepared another statement.
        const connect: Statement = {
          name: 'connect',
          text: 'SELECT 1',
          parameters: [],
          wire: 'tenant',
        }
        const connectService: ServiceStatement = {
          ...connect,
          name: 'connect-service',
          wire: 'service',
        }
        await outcomeWhenSent(() => database.query(connect, []))
        await outcomeWhenSent(() => database.as(allTenants).query(connectService, []))
        for (let run = 0; run < runs; run += 1) await expectAnswer()
      }

      const expectAnswer = async () =>
        expect(await outcomeWhenSent(() => ask(database))).toEqual(answer)

      function cutAt(bytes: number): Promise<unknown> {
        return outcomeWhenSent(async () => {
          await freshConnection()
          proxy.cutAfter(bytes, cuts[bytes % 2] ?? (() => {}))
          return ask(database).finally(() => proxy.mend())
        })
      }

      await freshConnection()
      proxy.cutAfter(Number.POSITIVE_INFINITY, () => {})
      await expectAnswer()
      const length = proxy.passed()
      expect(length).toBeGreaterThan(40)

      const places = chosen(`cuts of ${which} of the ${kind}`, [...Array(length).keys()], 24)
      for (const bytes of places) {
        const outcome = await cutAt(bytes)

        expect([bytes, outcome]).toEqual([bytes, expect.any(Error)])
        // The caller does not know whether the statement was committed.
        expect(databaseFailure(outcome)?.extensions).toMatchObject({
          code: 'SERVICE_UNAVAILABLE',
        })
        await expectAnswer()
      }
      console.log(`cut at ${places.length} of ${length} bytes`)
    },
  )
})

describe('a database behind a network', () => {
  let proxy: ChaosProxy
  let database: OpenDatabase
  let forAllTenants: AllTenantsDatabase
  beforeAll(async () => {
    proxy = await startChaosProxy(stored.serviceUrl)
    database = await open(proxy.through(stored.serviceUrl))
    forAllTenants = database.as(allTenants)
  })
  afterEach(() => proxy.set('pass'))
  afterAll(async () => {
    await database.close()
    await proxy.close()
  })

  const untilAnswered = (ask: Ask) =>
    vi.waitFor(async () => expect(await ask(database)).toEqual(answer), patience)

  /** The extensions of the error that the facade gets. */
  const extensionsOf = (outcome: unknown) => databaseFailure(outcome)?.extensions

  test.each(asks)(
    'that swallows everything gives up wire statements of the %s: sent ones have an unknown outcome, waiting ones were not sent',
    async (_, ask) => {
      await untilAnswered(ask)

      proxy.set('black hole')
      const [sent, waiting] = await Promise.all([
        outcomeOf(ask(database)),
        outcomeOf(ask(database)),
      ])
      const later = await outcomeOf(ask(database))
      proxy.set('pass')

      expect(sent).toMatchObject({ name: 'SilentDatabase' })
      expect(extensionsOf(sent)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
      expect(extensionsOf(sent)?.isUnsent).toBeUndefined()
      // A process that stood still may find both out at once.
      const message = expect.stringMatching(
        /^(The database does not answer|No connection became free in time)\.$/,
      )
      expect(waiting).toMatchObject({ name: 'RefusedUnsent', message })
      expect(later).toMatchObject({
        name: 'RefusedUnsent',
        message: 'The database does not answer.',
      })
      for (const unsent of [waiting, later]) {
        expect(extensionsOf(unsent)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', isUnsent: true })
      }
      await untilAnswered(ask)
    },
  )

  test('that swallows only the bytes of their connections fails wire statements, and the next ones use other connections', async () => {
    for (const [, ask] of asks) await untilAnswered(ask)

    expect(proxy.forget('credit-gateway faults')).toBeGreaterThan(1)
    const outcomes = await Promise.all(asks.map(([, ask]) => outcomeOf(ask(database))))

    for (const sent of outcomes) {
      expect(sent).toMatchObject({ name: 'SilentDatabase' })
      expect(extensionsOf(sent)?.isUnsent).toBeUndefined()
    }
    for (const [, ask] of asks) await untilAnswered(ask)
  })

  test.each(asks)(
    'that resets connections fails wire statements of the %s until it stops',
    async (_, ask) => {
      await untilAnswered(ask)

      proxy.set('reset')
      const outcomes = await Promise.all([outcomeOf(ask(database)), outcomeOf(ask(database))])
      proxy.set('pass')

      for (const outcome of outcomes) {
        expect(extensionsOf(outcome)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
      }
      await untilAnswered(ask)
    },
  )

  test.each(asks)(
    'that refuses connections has not been sent the statements of the %s',
    async (_, ask) => {
      await untilAnswered(ask)
      proxy.set('refuse')
      await vi.waitFor(
        () => expect(database.connections()).toMatchObject({ inUse: 0, idle: 0 }),
        patience,
      )

      const outcomes = await Promise.all([outcomeOf(ask(database)), outcomeOf(ask(database))])
      proxy.set('pass')

      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ name: 'RefusedUnsent' })
        expect(extensionsOf(outcome)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', isUnsent: true })
      }
      await untilAnswered(ask)
    },
  )

  test('that answers slowly is waited for', async () => {
    for (const [, ask] of asks) await untilAnswered(ask)
    proxy.set({ delayMs: 50 })

    const both = await Promise.all(asks.map(([, ask]) => ask(database)))

    expect(both).toEqual([answer, answer])
  })

  test('refuses more statements than may wait, and serves those before them', async () => {
    const sleep: ServiceStatement = {
      name: 'sleep',
      text: 'SELECT pg_sleep(0.2)',
      parameters: [],
      wire: 'service',
    }
    await vi.waitUntil(() => forAllTenants.query(sleep, []).catch(() => null), patience)

    const first = forAllTenants.query(sleep, [])
    const rest = Array.from({ length: 1010 }, () =>
      outcomeOf(forAllTenants.query(serviceEcho, [1, 2])),
    )
    const outcomes = await Promise.all(rest)

    expect(await first).toHaveLength(1)
    const isTooMany = (outcome: unknown) =>
      outcome instanceof Error && outcome.message === 'Too many statements wait for a connection.'
    const refused = outcomes.filter(isTooMany)
    expect(refused).toHaveLength(10)
    for (const outcome of refused) {
      expect(extensionsOf(outcome)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', isUnsent: true })
    }
    // On a loaded machine, some of the others wait for too long.
    for (const outcome of outcomes.filter((one) => !isTooMany(one) && one instanceof Error)) {
      expect(outcome).toMatchObject({ message: 'No connection became free in time.' })
    }
    expect(outcomes.filter((one) => !(one instanceof Error))).toContainEqual(answer)
  })

  test('has statements that wait for too long fail unsent, while the one before them goes on', async () => {
    const slow: Statement = {
      name: 'slow',
      // The other statement may wait for 2 seconds, and this one may take 4.5.
      text: 'SELECT pg_sleep(2.6)',
      parameters: [],
      wire: 'tenant',
    }

    for (const [, ask] of asks) await untilAnswered(ask)

    const [first, second] = await Promise.all([
      outcomeOf(database.query(slow, [])),
      outcomeOf(database.query(tenantEcho, [1, 2])),
    ])

    expect(first).toHaveLength(1)
    expect(second).toMatchObject({ message: 'No connection became free in time.' })
    expect(extensionsOf(second)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', isUnsent: true })
  })
})

describe('a server that takes connections and never answers', () => {
  test('has been sent nothing: the statement that waits for its first connection fails unsent', async () => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => sockets.add(socket.on('error', () => {})))
    const port = await freePort()
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    const connections = createWireConnections({
      connection: { host: '127.0.0.1', port, user: 'nobody', connectionTimeoutMillis: 2000 },
      maxConnections: 1,
      timeoutMs: 5000,
      types,
      setter: null,
      suspectSilence: () => {},
    })

    const outcome = await outcomeOf(connections.run(serviceEcho, [1, 2], ''))
    for (const socket of sockets) socket.destroy()
    server.close()
    await connections.close()

    expect(outcome).toMatchObject({ name: 'RefusedUnsent', code: 'ETIMEDOUT' })
    expect(databaseFailure(outcome)?.extensions).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      isUnsent: true,
    })
  })

  test('is an outage for processes that connect to it', () => {
    const late = new Error('timeout expired')

    expect(databaseFailure(late)?.extensions).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })
})

describe('a database that refuses the login', () => {
  test('is the reason why a wire statement fails, and no outage', async () => {
    const own = await createTestDatabase()
    const database = await open(own.serviceUrl)
    const name = new URL(own.serviceUrl).pathname.slice(1)
    await own.query(`REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`)

    const outcome = await outcomeOf(database.query(tenantEcho, [1, 2]))
    await database.close()
    await own.drop()

    expect(outcome).toMatchObject({ name: 'RefusedUnsent', code: '42501' })
    expect(databaseFailure(outcome)).toBeNull()
  })
})

test('a free connection runs the statement again that it ran last', async () => {
  const database = await open(stored.serviceUrl, 16)
  const view = database.as(allTenants)
  const pidOf = async (name: string) => {
    const text = 'SELECT pg_backend_pid() AS pid, $1 AS value'
    const [row] = await view.query<{ readonly pid: number }>(
      { name, wire: 'service', text, parameters: ['int8'] },
      [1],
    )
    return row?.pid
  }

  // The first connection may have served all before the others are open.
  const together = await vi.waitUntil(async () => {
    const pids = await Promise.all(['one', 'one', 'other'].map(pidOf))
    return new Set(pids).size === 3 && pids
  }, patience)
  const apart = []
  for (const name of ['one', 'one', 'other', 'one', 'other', 'other']) apart.push(await pidOf(name))
  await database.close()

  // Of two connections that have run a statement, the one that ran it last.
  const [one] = apart
  const other = together[2]
  expect(together.slice(0, 2)).toContain(one)
  expect(apart).toEqual([one, one, other, one, other, other])
})
