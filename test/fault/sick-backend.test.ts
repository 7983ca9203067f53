import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { TestResponse } from '../support/client.ts'
import { expectError } from '../support/error-envelope.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '../support/gateway.ts'
import { type StubBackend, sendBackendJson, startStubBackend } from '../support/stub-backend.ts'
import { assessDamage, expectNoDamage, report } from './audit.ts'

const timeoutMs = 1000
const megabyte = Buffer.alloc(1024 * 1024, ' ')

let sick: StubBackend
let well: StubBackend
let gateway: TestGateway
beforeEach(async () => {
  sick = await startStubBackend()
  well = await startStubBackend()
  gateway = await startTestGateway({
    BACKEND_CONTACT_FINDER_URL: sick.url,
    BACKEND_MARKETS_URL: well.url,
    BACKEND_TIMEOUT_MS: String(timeoutMs),
  })
})
afterEach(async () => {
  await gateway.close()
  await sick.close()
  await well.close()
})

interface Timed {
  readonly answer: TestResponse
  readonly ms: number
}

async function timed(call: Promise<TestResponse>): Promise<Timed> {
  const startedMs = performance.now()
  return { answer: await call, ms: performance.now() - startedMs }
}

const reveal = (account: TestAccount) =>
  timed(gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, account.liveKey))

const listSegments = (account: TestAccount) =>
  timed(gateway.live.get('/v1/markets/segments?industry=retail', account.liveKey))

function createAccounts(count: number): Promise<TestAccount[]> {
  return Promise.all(Array.from({ length: count }, () => gateway.createAccount()))
}

/** `count` calls of every account at once. */
function together(
  accounts: readonly TestAccount[],
  count: number,
  call: (account: TestAccount) => Promise<Timed>,
): Promise<Timed[]> {
  return Promise.all(
    accounts.flatMap((account) => Array.from({ length: count }, () => call(account))),
  )
}

/** Nothing was charged but what succeeded, and nothing is held any more. */
async function expectSettled(injections: number, name: string, answers: readonly Timed[]) {
  const damage = await assessDamage(gateway, [])
  const [row] = await gateway.database.query<{ charges: string; holds: string }>(`
    SELECT (SELECT count(*) FROM account.ledger_audit WHERE kind = 'charge') AS charges,
      (SELECT count(*) FROM account.hold) AS holds`)
  const successes = answers.filter(({ answer }) => answer.status === 200).length
  // These calls have no key: whatever is charged beyond the successes is one too many.
  const doubleCharges = Number(row?.charges) - successes
  const slowestMs = Math.round(Math.max(...answers.map(({ ms }) => ms)))
  report(`${name} (slowest ${slowestMs} ms)`, injections, { ...damage, doubleCharges })
  expect(row?.holds).toBe('0')
  for (const { answer } of answers) {
    if (answer.status !== 200) expect(answer.headers.get('x-credits-charged') ?? '0').toBe('0')
  }
  await expectNoDamage(gateway, { ...damage, doubleCharges })
}

function countByStatus(answers: readonly Timed[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { answer } of answers) counts[answer.status] = (counts[answer.status] ?? 0) + 1
  return counts
}

/** Sends ever more until the gateway hangs up or it was a hundred megabytes; tells how much. */
async function flood(res: ServerResponse): Promise<number> {
  res.writeHead(200, { 'Content-Type': 'application/json' })
  const closed = once(res, 'close')
  let sent = 0
  while (sent < 100 && !res.closed) {
    sent += 1
    if (!res.write(megabyte)) await Promise.race([closed, once(res, 'drain')])
  }
  res.end()
  return sent
}

function drip(res: ServerResponse): void {
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100000' })
  const timer = setInterval(() => res.write('          '), 50)
  res.on('close', () => clearInterval(timer))
}

function breakOff(res: ServerResponse): void {
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' })
  res.write('{"contact_id":', () => res.destroy())
}

describe('a backend that', () => {
  const timeout = { status: 504, code: 'BACKEND_TIMEOUT' }
  const broken = { status: 502, code: 'BACKEND_ERROR' }
  const json = { 'Content-Type': 'application/json' }
  const sicknesses: readonly {
    readonly name: string
    readonly expected: { readonly status: number; readonly code: string }
    readonly answer: (res: ServerResponse) => unknown
  }[] = [
    { name: 'hangs', expected: timeout, answer: () => {} },
    { name: 'drips', expected: timeout, answer: drip },
    {
      name: 'hangs after its head',
      expected: timeout,
      answer: (res) => res.writeHead(200, json).flushHeaders(),
    },
    { name: 'resets', expected: broken, answer: (res) => res.socket?.resetAndDestroy() },
    { name: 'closes without a word', expected: broken, answer: (res) => res.destroy() },
    { name: 'closes before the body ends', expected: broken, answer: breakOff },
    {
      name: 'answers HTML',
      expected: broken,
      answer: (res) => res.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>'),
    },
    {
      name: 'answers half JSON',
      expected: broken,
      answer: (res) => res.writeHead(200, json).end('{"contact_id":"con'),
    },
    {
      name: 'answers JSON as plain text',
      expected: broken,
      answer: (res) => res.writeHead(200, { 'Content-Type': 'text/plain' }).end('{}'),
    },
    { name: 'answers without end', expected: broken, answer: flood },
    {
      name: 'answers nothing that HTTP knows',
      expected: broken,
      answer: (res) => res.socket?.end('220 smtp.example ESMTP\r\n'),
    },
  ]

  test.each(sicknesses)('$name costs nothing and holds nothing', async ({ name, ...sickness }) => {
    const account = await gateway.createAccount({ credits: 100 })
    const running: unknown[] = []
    sick.answer((_, res) => void running.push(sickness.answer(res)))

    const { answer, ms } = await reveal(account)

    expectError(gateway, answer, sickness.expected)
    expect(answer.headers.get('x-credits-charged')).toBe('0')
    expect(answer.headers.get('x-credits-remaining')).toBe('100')
    expect(ms).toBeLessThan(timeoutMs + 2000)
    const [floodedMegabytes] = await Promise.all(running)
    if (typeof floodedMegabytes === 'number') expect(floodedMegabytes).toBeLessThan(64)
    await expectSettled(1, `a backend that ${name}`, [{ answer, ms }])
  })
})

describe('a sick backend under load', () => {
  test('hurts only those who call it', async () => {
    const accounts = await createAccounts(4)
    const others = await createAccounts(2)
    const segments = { items: [] }
    well.answer((_, res) => sendBackendJson(res, 200, segments))
    sick.answer(() => {})
    const baseline = await together(others, 20, listSegments)

    const hanging = together(accounts, 60, reveal)
    await vi.waitUntil(() => sick.received.length >= 100, { timeout: 5000 })
    const beside = await together(others, 20, listSegments)
    const hung = await hanging

    expect(countByStatus([...baseline, ...beside])).toEqual({ 200: 80 })
    expect(Object.keys(countByStatus(hung)).every((status) => /50[34]/.test(status))).toBe(true)
    expect(Math.max(...hung.map(({ ms }) => ms))).toBeLessThan(timeoutMs + 3000)
    expect(Math.max(...beside.map(({ ms }) => ms))).toBeLessThan(timeoutMs + 2000)
    await expectSettled(hung.length, 'a hanging module', [...hung, ...baseline, ...beside])
  })

  test('is left alone for a while, and used again once it is well', async () => {
    const accounts = await createAccounts(2)
    const [account] = accounts
    sick.answer((_, res) => sendBackendJson(res, 500, {}))

    const failing = await together(accounts, 70, reveal)
    const reached = sick.received.length
    const refused = await reveal(account ?? (await gateway.createAccount()))
    const reachedAfter = sick.received.length
    sick.answer((_, res) => sendBackendJson(res, 200, {}))
    const wellMs = performance.now()
    const later: Timed[] = []
    await vi.waitUntil(
      async () => {
        const next = await reveal(account ?? (await gateway.createAccount()))
        later.push(next)
        return next.answer.status === 200
      },
      { timeout: 10_000, interval: 100 },
    )

    expectError(gateway, refused.answer, { status: 503, code: 'SERVICE_UNAVAILABLE' })
    expect(refused.answer.headers.get('retry-after')).toBe('1')
    expect(refused.answer.headers.get('x-credits-charged')).toBe('0')
    expect(reachedAfter).toBe(reached)
    expect(performance.now() - wellMs).toBeLessThan(5000)
    await expectSettled(failing.length, 'a failing module', [...failing, refused, ...later])
  })

  test('keeps nobody waiting beyond the deadline, however many are in the queue', async () => {
    const accounts = await createAccounts(6)
    sick.answer((_, res) => {
      setTimeout(() => sendBackendJson(res, 200, {}), timeoutMs * 0.8)
    })

    const answers = await together(accounts, 100, reveal)

    const slowestMs = Math.max(...answers.map(({ ms }) => ms))
    await expectSettled(answers.length, 'a slow module', answers)
    expect(slowestMs).toBeLessThan(timeoutMs * 2.5)
  })
})
