import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sessionOfAllTenants } from '../../../subgraphs/shared/database/tenant.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { asTestGateway, type TestGateway, variablesFor } from '../../support/gateway/gateway.ts'
import { wishCredits } from '../../support/load/load.ts'
import { compileProgram } from '../../support/processes/program.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../support/processes/workplace.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

const calls = 8
/** The advisory lock at which a fold waits as long as it is held. */
const gate = 2026

/** A gateway that runs. */
interface Member {
  readonly process: StartedGateway
  readonly gateway: TestGateway
}

let database: TestDatabase
let backend: StubBackend
let place: Workplace
let keeper: pg.Client
/** By name. */
const members = new Map<string, Member>()

beforeAll(async () => {
  await compileProgram()
  database = await createTestDatabase()
  // The trigger fires when the sums by hour are written, and before the fold is done.
  await database.query(`
    CREATE FUNCTION usage.wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $body$
      BEGIN PERFORM pg_advisory_xact_lock_shared(${gate}); RETURN NEW; END $body$;
    CREATE TRIGGER gate BEFORE INSERT ON usage.usage_key
      FOR EACH ROW EXECUTE FUNCTION usage.wait_at_gate()`)
  keeper = await connect()
  backend = await startStubBackend()
  backend.answer((_, res) => sendBackendJson(res, 200, { contact_id: 'con_1' }))
  place = openWorkplace()
  // One after the other: then they look for abandoned epochs at different moments.
  for (const name of ['one', 'two', 'three']) members.set(name, await start(name))
})
afterAll(async () => {
  await place.close()
  await backend.close()
  await keeper.end()
  await database.drop()
})

/** Starts a process whose sessions have this name. */
async function start(name: string): Promise<Member> {
  const serviceUrl = new URL(database.serviceUrl)
  serviceUrl.searchParams.set('application_name', name)
  const process = await place.start({
    ...variablesFor({ ...database, serviceUrl: serviceUrl.href }),
    BACKEND_CONTACT_FINDER_URL: backend.url,
    LOG_LEVEL: 'error',
  })
  return { process, gateway: asTestGateway(process, database) }
}

/** One that still runs. */
function anyone(): Member {
  const [member] = members.values()
  if (!member) throw new Error('None is left.')
  return member
}

async function connect(): Promise<pg.Client> {
  const options = sessionOfAllTenants
  const client = new pg.Client({ connectionString: database.ownerUrl, options })
  await client.connect()
  return client
}

async function use({ gateway }: Member, key: string): Promise<void> {
  for (let call = 0; call < calls; call += 1) {
    const { status } = await gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, key)
    expect(status).toBe(200)
  }
}

async function rows() {
  const [row] = await database.query<{ entries: number; summed: number; open: number }>(
    `SELECT (SELECT count(*)::int FROM usage.usage_log) AS entries,
       (SELECT coalesce(sum(requests), 0)::int FROM usage.usage_service WHERE unit = 'hour') AS summed,
       (SELECT count(*)::int FROM usage.usage_epoch) AS open`,
  )
  return row
}

const untilLogged = (entries: number) =>
  vi.waitUntil(async () => (await rows())?.entries === entries, patience)

/** From now on the gateways that have opened the epochs count as dead. */
async function abandonAll(): Promise<void> {
  await database.query(`UPDATE usage.usage_epoch SET started_at = started_at - interval '2 min'`)
}

/** The name of the gateway whose fold waits at the gate. */
function untilOneFolds(): Promise<string> {
  return vi.waitUntil(async () => {
    const [session] = await database.query<{ name: string }>(
      `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
       WHERE a.datname = current_database() AND a.query LIKE 'SELECT usage.fold_epoch%'
         AND l.locktype = 'advisory' AND l.objid = ${gate} AND NOT l.granted`,
    )
    return session?.name ?? ''
  }, patience)
}

const total = (parts: string) =>
  `SELECT sum(requests)::int AS requests, sum(credits)::int AS credits
   FROM (${parts}) AS part (requests, credits)`

/** The entries that readers add to the sums. */
const inNoSum = `SELECT 1, credits FROM usage.usage_log
  WHERE epoch IN (SELECT epoch FROM usage.usage_epoch)`

const statements = {
  log: total('SELECT 1, credits FROM usage.usage_log'),
  services: total(`SELECT requests, credits FROM usage.usage_service WHERE unit = 'hour'
    UNION ALL ${inNoSum}`),
  endpoints: total(`SELECT requests, credits FROM usage.usage_endpoint WHERE unit = 'day'
    UNION ALL ${inNoSum}`),
  keys: total(`SELECT requests, credits FROM usage.usage_key WHERE unit = 'day'
    UNION ALL ${inNoSum}`),
}

/** Adds up the log and the sums in one snapshot after the other. */
async function watchTotals() {
  const client = await connect()
  const differing = new Set<string>()
  let looks = 0
  let isOver = false

  async function look(): Promise<void> {
    const seen = new Map<string, string>()
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    for (const [name, text] of Object.entries(statements)) {
      seen.set(name, JSON.stringify((await client.query(text)).rows[0]))
    }
    await client.query('COMMIT')
    if (new Set(seen.values()).size > 1) differing.add([...seen].join(' '))
    looks += 1
  }

  async function watch(): Promise<void> {
    while (!isOver) {
      await look()
      await sleep(5)
    }
  }
  const watching = watch()
  return {
    /** Resolves after a look that has begun since. */
    async looked(): Promise<void> {
      const before = looks
      await vi.waitUntil(() => looks >= before + 2, patience)
    },
    /** Returns what has differed. */
    async end(): Promise<readonly string[]> {
      isOver = true
      await watching
      await client.end()
      return [...differing]
    },
  }
}

test("kill -9 of two gateways folding each other's abandoned epochs: sums and log equal in one REPEATABLE READ snapshot, at every moment", async () => {
  const { liveKey } = await anyone().gateway.createAccount()
  let made = 0
  async function useAll(users: Iterable<Member>): Promise<void> {
    for (const user of users) {
      await use(user, liveKey)
      made += calls
    }
  }
  // The gateway that looks last opens the epoch that is folded first.
  await useAll([...members.values()].toReversed())
  await untilLogged(made)
  const logged = await rows()
  expect(logged).toMatchObject({ entries: made, summed: 0 })
  // Each worker of a gateway has its own.
  expect(logged?.open).toBeGreaterThanOrEqual(3)

  const totals = await watchTotals()
  const [close, open] = [`SELECT pg_advisory_lock(${gate})`, `SELECT pg_advisory_unlock(${gate})`]
  await keeper.query(close)
  await abandonAll()
  // The gate opens for the fold that waits there, and closes behind it.
  for (const release of [`${open}; ${close}`, open]) {
    const name = await untilOneFolds()
    const { process } = members.get(name) ?? anyone()
    members.delete(name)
    await totals.looked()
    expect(await rows()).toMatchObject({ summed: 0 })
    // The epoch that is being folded takes no entries: those of its gateway wait.
    await useAll(members.values())
    process.signalGroup('SIGKILL')
    await process.finished
    await totals.looked()
    await keeper.query(release)
    await untilLogged(made)
  }
  await vi.waitUntil(async () => {
    // On a slow machine a minute is over, and a gateway has opened another one.
    await abandonAll()
    return (await rows())?.open === 0
  }, patience)
  await totals.looked()

  expect(await totals.end()).toEqual([])
  expect(members.size).toBe(1)
  expect(await rows()).toEqual({ entries: made, summed: made, open: 0 })
  const { gateway } = anyone()
  expect(await gateway.graphql('{ usageAudit { entries drifts { problem } } }')).toEqual({
    usageAudit: { entries: made, drifts: [] },
  })
  const { body } = await gateway.live.get('/v1/account/billing', liveKey)
  expect(body).toMatchObject({ month_to_date: { requests: made, credits: made * wishCredits } })
})
