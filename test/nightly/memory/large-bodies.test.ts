import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { rounds } from '../../support/extent/extent.ts'
import {
  asTestGateway,
  type TestAccount,
  type TestGateway,
  variablesFor,
} from '../../support/gateway/gateway.ts'
import { memoryOf } from '../../support/processes/memory.ts'
import { compileProgram, shipped } from '../../support/processes/program.ts'
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

const mebibyte = 1024 * 1024
/** One account has at most 32 calls at a module at once. */
const callsOfAccount = 25
const accounts = 4
const calls = accounts * callsOfAccount
/** Further bodies of each kind; they cost more time. */
const further = 20
const manyRows = rounds('EXPORT_ROWS', { all: 50_000, nightly: 1_000_000 })
/** The limit of the resident memory of a gateway after any load. */
const mostMb = 350

let database: TestDatabase
let place: Workplace
let module: StubBackend
let started: StartedGateway
let gateway: TestGateway
beforeAll(async () => {
  await compileProgram()
  database = await createTestDatabase()
  module = await startStubBackend()
  const { nodeFlags, variables } = shipped()
  place = openWorkplace({ prefix: 'gateway-memory-', nodeFlags })
  started = await place.start({
    ...variablesFor(database),
    ...variables,
    ...{ NODE_OPTIONS: '--max-old-space-size=256', WORKERS: '1', LOG_LEVEL: 'error' },
    EXPORT_DIR: join(place.folder, 'exports'),
    BACKEND_CLOUD_URL: module.url,
    // However slow the machine is.
    ...{ BACKEND_TIMEOUT_MS: '300000', HOLD_TTL_SECONDS: '600' },
  })
  gateway = asTestGateway(started, database)
})
afterAll(async () => {
  await gateway.close()
  await place.close()
  await module.close()
  await database.drop()
})

/** With spaces, as long as a body may be. */
const padded = (body: unknown) => JSON.stringify(body).padEnd(mebibyte)

/** Answers 201. */
const upload = padded({ name: 'a.bin', content_base64: 'QUJD'.repeat(175_000) })

/** The most members that a body may have, with names that fill it: answers 200. */
function quote(): string {
  const members = Array.from({ length: 19_990 }, (_, index) => [`${index}`.padStart(42, 'n'), 1])
  const call = { method: 'POST', path: '/v1/contacts/reveal', body: Object.fromEntries(members) }
  return padded({ calls: [call] })
}

/** What would take most room when it is parsed: answers 422, because there are too many. */
const tooMany = padded({ name: 'a.bin', content_base64: Array(349_500).fill({}) })

const file = { file_id: 'fil_1e5d8c2b7a4f9063', name: 'a.bin', size_bytes: 525_000 }

/** From now on the module answers nothing until `answerAll`, and then everything at once. */
function holdCalls(): { readonly held: () => number; readonly answerAll: () => void } {
  const held: ServerResponse[] = []
  module.answer((_, res) => void held.push(res))
  return {
    held: () => held.length,
    answerAll() {
      for (const res of held) sendBackendJson(res, 201, file)
      module.answer((_, res) => sendBackendJson(res, 201, file))
    },
  }
}

async function statusesOf(path: string, body: string, count: number, of: readonly TestAccount[]) {
  const answers = Array.from({ length: count }, (_, index) =>
    gateway.live.post(path, body, of[index % of.length]?.liveKey),
  )
  return (await Promise.all(answers)).map(({ status }) => status)
}

const only = (status: number) => new Set([status])

/** Follows the links of all pages, from the first one on. Returns how many there are. */
async function readDocs(): Promise<number> {
  const known = new Set(['/docs', '/llms.txt', '/docs/postman.json'])
  for (const path of known) {
    const answer = await fetch(new URL(path, gateway.baseUrl))
    const text = await answer.text()
    expect({ path, status: answer.status }).toEqual({ path, status: 200 })
    for (const [, link = ''] of text.matchAll(/href="(\/docs[^"#]*)/g)) known.add(link)
  }
  return known.size
}

/**
 * Memory is given back when the garbage collector runs, so the process has something to do. Each round
 * has a new account: none reaches its rate limit, however long it takes.
 */
async function untilSmall(): Promise<void> {
  await vi.waitUntil(async () => {
    const small = JSON.stringify({ name: 'a.txt', content_base64: 'QUJD' })
    const account = await gateway.createAccount()
    expect(new Set(await statusesOf('/v1/cloud/files', small, 10, [account]))).toEqual(only(201))
    return memoryOf(started.pid).nowMb < mostMb
  }, patience)
}

async function exportRows({ id, liveKey }: TestAccount): Promise<unknown> {
  await database.query(
    `INSERT INTO usage.usage_log (account_id, environment, request_id, ts, method, endpoint, service,
       status, credits, latency_ms, trace_id, backend_module)
     SELECT $1, 'live', 'req_' || lpad(g::text, 26, '0'), now() - g * interval '1 ms', 'GET',
       '/v1/seo/keywords', 'seo', 200, 2, g % 1000, md5(g::text), 'seo'
     FROM generate_series(1, $2::int) AS g`,
    [id, manyRows],
  )
  const path = '/v1/account/audit/export'
  const begun = await gateway.live.post(path, { kind: 'requests', service: 'seo' }, liveKey)
  expect(begun.status).toBe(202)
  return vi.waitUntil(async () => {
    const { body } = await gateway.live.get(`${path}/${Object(begun.body).id}`, liveKey)
    return ['completed', 'failed'].includes(Object(body).status) ? body : null
  }, patience)
}

describe(`a process whose heap has 256 MB and whose memory stays below ${mostMb} MB`, () => {
  test(`answers ${calls + 2 * further} bodies of 1 MiB at once, all pages of the docs and an export of ${manyRows} rows`, async () => {
    const startMb = memoryOf(started.pid).nowMb
    const owners = await Promise.all(
      Array.from({ length: accounts }, () => gateway.createAccount()),
    )
    const other = await gateway.createAccount({ credits: 1_000_000 })
    const { held, answerAll } = holdCalls()

    const uploads = statusesOf('/v1/cloud/files', upload, calls, owners)
    // All of them reach the module: none keeps its room while the module works.
    await vi.waitUntil(() => held() === calls, patience)
    const others = await Promise.all([
      statusesOf('/v1/quotes', quote(), further, [other]),
      statusesOf('/v1/cloud/files', tooMany, further, [other]),
    ])
    answerAll()

    expect(new Set(await uploads)).toEqual(only(201))
    expect(others.map((statuses) => new Set(statuses))).toEqual([only(200), only(422)])
    const pages = await readDocs()
    expect(pages).toBeGreaterThan(50)
    expect((await gateway.live.get('/v1/openapi.json')).status).toBe(200)
    expect(await exportRows(other)).toMatchObject({ status: 'completed', row_count: manyRows })
    expect(started.isRunning()).toBe(true)
    await untilSmall()
    const { nowMb, peakMb } = memoryOf(started.pid)
    console.info(
      `memory: ${startMb} MB after the start, ${peakMb} MB at most, ${nowMb} MB after all, with ${pages} pages`,
    )
  })
})
