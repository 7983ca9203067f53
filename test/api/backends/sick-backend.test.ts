import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { chosen } from '../../support/extent/extent.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  isOfRoles,
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { assessDamage, expectNoDamage, report } from '../../support/load/audit.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

const megabyte = Buffer.alloc(1024 * 1024, ' ')

let sick: StubBackend
let well: StubBackend
let gateway: TestGateway
/** With the deadline that ends what hangs, or where nothing does, with one that nothing reaches. */
async function start(deadline: 'soon' | 'late'): Promise<void> {
  sick = await startStubBackend()
  well = await startStubBackend()
  gateway = await startTestGateway({
    BACKEND_CONTACT_FINDER_URL: sick.url,
    BACKEND_MARKETS_URL: well.url,
    ...(deadline === 'soon' ? { BACKEND_TIMEOUT_MS: '1000' } : {}),
  })
}
afterEach(async () => {
  await gateway.close()
  await sick.close()
  await well.close()
})

const reveal = (account: TestAccount) => revealOne('con_1', account)

const revealOne = (contact_id: string, account: TestAccount) =>
  gateway.live.post('/v1/contacts/reveal', { contact_id }, account.liveKey)

const listSegments = (account: TestAccount) =>
  gateway.live.get('/v1/markets/segments?industry=retail', account.liveKey)

function createAccounts(count: number): Promise<TestAccount[]> {
  return Promise.all(Array.from({ length: count }, () => gateway.createAccount()))
}

/** `count` calls of every account at once. */
function together(
  accounts: readonly TestAccount[],
  count: number,
  call: (account: TestAccount) => Promise<TestResponse>,
): Promise<TestResponse[]> {
  return Promise.all(
    accounts.flatMap((account) => Array.from({ length: count }, () => call(account))),
  )
}

/** Expects that nothing was charged but what succeeded, and that nothing is held any more. */
async function expectSettled(injections: number, name: string, answers: readonly TestResponse[]) {
  const damage = await assessDamage(gateway, [])
  const [row] = await gateway.database.query<{ charges: string; holds: string }>(`
    SELECT (SELECT count(*) FROM account.ledger_audit WHERE kind = 'charge') AS charges,
      (SELECT count(*) FROM account.hold) AS holds`)
  const successes = answers.filter(({ status }) => status === 200).length
  // These calls have no idempotency key: every charge beyond the successes is a mistake.
  const doubleCharges = Number(row?.charges) - successes
  report(name, injections, { ...damage, doubleCharges })
  expect(row?.holds).toBe('0')
  for (const { status, headers } of answers) {
    if (status !== 200) expect(headers.get('x-credits-charged') ?? '0').toBe('0')
  }
  await expectNoDamage(gateway, { ...damage, doubleCharges })
}

function statusesOf(answers: readonly TestResponse[]): ReadonlySet<number> {
  return new Set(answers.map(({ status }) => status))
}

/** Expects this state of the breaker, as a monitor sees it. */
async function expectBreaker(state: '0' | '1'): Promise<void> {
  // With roles, the breaker is in another process than the one that `internal` reaches.
  if (isOfRoles) return
  const metrics = await (await fetch(`${gateway.internal.url}/metrics`)).text()
  expect(metrics).toContain(`\ngateway_backend_breaker_open{module="contact-finder"} ${state}\n`)
}

/** Calls that were refused with 503 must not have reached the backend. */
function refusedThoughReceived(answers: readonly TestResponse[]): (string | null)[] {
  const received = new Set(sick.received.map(({ headers }) => headers['x-request-id']))
  return answers
    .filter(({ status }) => status === 503)
    .map(({ headers }) => headers.get('x-request-id'))
    .filter((id) => id !== null && received.has(id))
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

  test.each(chosen('sickness', sicknesses, 3))(
    '$name costs nothing and holds nothing',
    async ({ name, ...sickness }) => {
      await start(sickness.expected === timeout ? 'soon' : 'late')
      const account = await gateway.createAccount({ credits: 100 })
      const running: unknown[] = []
      sick.answer((_, res) => void running.push(sickness.answer(res)))

      const answer = await reveal(account)

      expectError(gateway, answer, sickness.expected)
      expect(answer.headers.get('x-credits-charged')).toBe('0')
      expect(answer.headers.get('x-credits-remaining')).toBe('100')
      const [floodedMegabytes] = await Promise.all(running)
      if (typeof floodedMegabytes === 'number') expect(floodedMegabytes).toBeLessThan(64)
      await expectSettled(1, `a backend that ${name}`, [answer])
    },
  )
})

describe('a sick backend under load', () => {
  test('affects only its own callers', async () => {
    await start('late')
    const accounts = await createAccounts(4)
    const others = await createAccounts(2)
    const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>()
    well.answer((_, res) => sendBackendJson(res, 200, { items: [] }))
    sick.answer(async (_, res) => {
      await mayAnswer
      sendBackendJson(res, 200, {})
    })
    let ended = 0

    const hanging = together(accounts, 60, (account) =>
      reveal(account).finally(() => {
        ended += 1
      }),
    )
    // One module may have this many calls under way; all others wait for their turn.
    await vi.waitUntil(() => sick.received.length >= 128, patience)
    const beside = await together(others, 20, listSegments)
    const endedMeanwhile = ended
    letAnswer()
    const hung = await hanging

    expect(statusesOf(beside)).toEqual(new Set([200]))
    expect(endedMeanwhile).toBe(0)
    expect(statusesOf(hung)).toEqual(new Set([200]))
    await expectSettled(hung.length, 'a hanging module', [...hung, ...beside])
  })

  test('is not called for a while, and is used again once it has recovered', async () => {
    await start('late')
    const accounts = await createAccounts(2)
    const account = await gateway.createAccount()
    sick.answer((_, res) => sendBackendJson(res, 500, {}))

    const failing: TestResponse[] = []
    const isLeftAlone = () => failing.some(({ status }) => status === 503)
    await vi.waitUntil(async () => {
      failing.push(...(await together(accounts, 70, reveal)))
      return isLeftAlone()
    }, patience)
    await expectBreaker('1')
    sick.answer((_, res) => sendBackendJson(res, 200, {}))
    const later: TestResponse[] = []
    await vi.waitUntil(
      async () => {
        const next = await reveal(account)
        later.push(next)
        return next.status === 200
      },
      { ...patience, interval: 100 },
    )

    await expectBreaker('0')
    const [refused] = failing.filter(({ status }) => status === 503)
    if (!refused) throw new Error('Nobody was refused.')
    expectError(gateway, refused, { status: 503, code: 'SERVICE_UNAVAILABLE' })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('x-credits-charged')).toBe('0')
    expect(refusedThoughReceived([...failing, ...later])).toEqual([])
    await expectSettled(failing.length, 'a failing module', [...failing, ...later])
  })

  test('that fails for one account only refuses the calls of this account, and no calls of others', async () => {
    await start('late')
    const failing = await gateway.createAccount()
    const other = await gateway.createAccount()
    sick.answer(({ headers }, res) =>
      sendBackendJson(res, headers['gateway-account'] === failing.id ? 500 : 200, {}),
    )

    const answers: TestResponse[] = []
    await vi.waitUntil(async () => {
      answers.push(...(await together([failing], 30, reveal)))
      return statusesOf(answers).has(503)
    }, patience)
    const beside = await together([other], 20, reveal)

    await expectBreaker('0')
    const [refused] = answers.filter(({ status }) => status === 503)
    if (!refused) throw new Error('The account was not refused.')
    expectError(gateway, refused, {
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      message: 'Calls of this account to contact-finder have been failing; try again in a second.',
    })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(statusesOf(beside)).toEqual(new Set([200]))
    expect(refusedThoughReceived(answers)).toEqual([])
    await expectSettled(answers.length, 'a module that fails for one', [...answers, ...beside])
  })

  test('leaves three quarters of its places to others when one account floods it', async () => {
    await start('late')
    const flooder = await gateway.createAccount()
    const others = await createAccounts(3)
    const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>()
    sick.answer(async (_, res) => {
      await mayAnswer
      sendBackendJson(res, 200, {})
    })

    const flood = together([flooder], 90, reveal)
    await vi.waitUntil(() => sick.received.length >= 32, patience)
    const beside = together(others, 32, (account) => revealOne('con_2', account))
    // All that the others send is under way before any call of the flood has ended.
    const received = () => sick.received.filter(({ body }) => body.includes('con_2')).length
    await vi.waitUntil(() => received() === 96, patience)
    const receivedMeanwhile = sick.received.length
    letAnswer()
    const [flooded, answered] = await Promise.all([flood, beside])

    expect(receivedMeanwhile).toBe(128)
    expect(statusesOf(answered)).toEqual(new Set([200]))
    // The waiting calls had their turn.
    expect(statusesOf(flooded)).toEqual(new Set([200]))
    await expectSettled(186, 'a flooded module', [...flooded, ...answered])
  })

  test("refuses the calls that exceed the account's part of the queue, for 0 credits, and no calls of others", async () => {
    await start('late')
    const flooder = await gateway.createAccount({ credits: 2000 })
    const other = await gateway.createAccount()
    const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>()
    sick.answer(async (_, res) => {
      await mayAnswer
      sendBackendJson(res, 200, {})
    })
    const refusedSeries =
      '\ngateway_backend_requests_total{environment="live",module="contact-finder",outcome="refused"}'
    /**
     * Half of the calls that may run or wait, but for the 64 that are kept for accounts without
     * one.
     */
    const room = 282

    const flood: Promise<TestResponse>[] = []
    const answers: TestResponse[] = []
    const isRefused = ({ status }: TestResponse) => status === 503
    async function send(): Promise<TestResponse> {
      const answer = await reveal(flooder)
      answers.push(answer)
      return answer
    }
    await vi.waitUntil(
      () => {
        // An account may send a hundred in a second.
        flood.push(...Array.from({ length: 20 }, send))
        return answers.some(isRefused)
      },
      { ...patience, interval: 250 },
    )
    await vi.waitUntil(() => flood.length - answers.length === room, patience)
    await vi.waitFor(async () => {
      const credits = await gateway.live.get('/v1/account/credits', flooder.liveKey)
      expect(credits).toMatchObject({ status: 200, body: { balance: 2000, held: room * 5 } })
    }, patience)
    const beside = reveal(other)
    await vi.waitUntil(() => sick.received.length === 33, patience)
    letAnswer()
    const [answered, all] = await Promise.all([beside, Promise.all(flood)])

    const refused = all.filter(isRefused)
    if (!refused[0]) throw new Error('Nobody was refused.')
    expectError(gateway, refused[0], {
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      message: 'Too many calls of this account wait for contact-finder; try again in a second.',
    })
    expect(refused[0].headers.get('retry-after')).toBe('1')
    expect(answered.status).toBe(200)
    expect(all.filter(({ status }) => status === 200)).toHaveLength(room)
    if (!isOfRoles) {
      const metrics = await (await fetch(`${gateway.internal.url}/metrics`)).text()
      expect(metrics).toContain(`${refusedSeries} ${refused.length}\n`)
    }
    expect(refusedThoughReceived(all)).toEqual([])
    await expectSettled(all.length, 'a module without room for one account', [...all, answered])
  })

  test('refuses at once when no place is free, without looking up the key', async () => {
    await start('late')
    const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>()
    sick.answer(async (_, res) => {
      await mayAnswer
      sendBackendJson(res, 200, {})
    })
    const unknown = () =>
      gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, 'svc_live_unknown')

    // The more accounts there are, the less is left for each; a new one takes what is left.
    const running: Promise<TestResponse[]>[] = []
    const refused = await vi.waitUntil(
      async () => {
        running.push(together(await createAccounts(25), 30, reveal))
        const answer = await unknown()
        return answer.status === 503 && answer
      },
      { ...patience, interval: 100 },
    )

    expectError(gateway, refused, { status: 503, code: 'SERVICE_UNAVAILABLE' })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/)
    const elsewhere = await gateway.live.get('/v1/markets/segments', 'svc_live_unknown')
    expectError(gateway, elsewhere, { status: 401, code: 'INVALID_API_KEY' })
    letAnswer()
    const answers = (await Promise.all(running)).flat()
    expect(statusesOf(answers)).toContain(200)
    expect(statusesOf(answers)).toContain(503)
    expect(refusedThoughReceived(answers)).toEqual([])
    await expectSettled(answers.length, 'a module without a place', answers)
  })

  test('keeps no caller waiting for an answer that never comes, whatever the length of the queue', async () => {
    await start('soon')
    const accounts = await createAccounts(6)
    sick.answer(() => {})

    const answers = await together(accounts, 100, reveal)

    expect([...statusesOf(answers)].every((status) => status === 503 || status === 504)).toBe(true)
    expect(answers.some(({ status }) => status === 504)).toBe(true)
    expect(refusedThoughReceived(answers)).toEqual([])
    await expectSettled(answers.length, 'a silent module', answers)
  })
})
