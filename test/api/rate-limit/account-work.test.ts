import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { whileHeld } from '../../support/database/held-transaction.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { openPage } from '../../support/oauth/sessions.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

const summary = '/v1/account/usage/summary?interval=hour&group_by=service'
const lockSums = 'LOCK TABLE usage.usage_service IN ACCESS EXCLUSIVE MODE'
const atOnce = 4
const waiting = 16

/** Holds up every summary meanwhile. */
function whileSumsAreLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  return whileHeld(gateway.database, [lockSums, []], { started: work })
}

/** Sends summaries, and tells how many are answered so far. */
function askForSummaries(key: string, count: number, signal?: AbortSignal) {
  const statuses: number[] = []
  const asked = Array.from({ length: count }, async () => {
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(gateway.live.url + summary, { headers, signal })
    await response.arrayBuffer()
    statuses.push(response.status)
    return response.status
  })
  return { statuses, all: Promise.allSettled(asked) }
}

function countOf(statuses: readonly number[], status: number): number {
  return statuses.filter((one) => one === status).length
}

async function countHangUps({ id }: TestAccount): Promise<number> {
  const sql = 'SELECT 1 FROM usage.usage_log WHERE account_id = $1 AND status = 499'
  return (await gateway.database.query(sql, [id])).length
}

describe('routes of an account that are no product operations', () => {
  test('GET /v1/account/usage/summary: 4 run and 16 wait in turn; one more is 429, and no other account', async () => {
    const [account, other] = await Promise.all([gateway.createAccount(), gateway.createAccount()])
    const second = await gateway.createKey(account.id)

    const { sent, refused, others } = await whileSumsAreLocked(async () => {
      const sent = askForSummaries(account.liveKey, atOnce + waiting + 1)
      await vi.waitUntil(() => sent.statuses.length === 1, patience)
      return {
        sent,
        refused: await gateway.live.get(summary, second.plaintext),
        others: await Promise.all([
          gateway.live.get('/v1/account/credits', other.liveKey),
          gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, account.liveKey),
        ]),
      }
    })
    await sent.all

    expect(countOf(sent.statuses, 429)).toBe(1)
    expect(countOf(sent.statuses, 200)).toBe(atOnce + waiting)
    expect(others.map(({ status }) => status)).toEqual([200, 200])
    expectError(gateway, refused, {
      status: 429,
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'Too many requests of the account run or wait at the same time.',
      page: 'rate-limits',
    })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(Number(refused.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0)
  })

  test('a request that is given up leaves the line; one that runs has its place until its work ends', async () => {
    const account = await gateway.createAccount()
    const leaving = new AbortController()

    const later = await whileSumsAreLocked(async () => {
      const gone = askForSummaries(account.liveKey, atOnce + waiting + 1, leaving.signal)
      await vi.waitUntil(() => gone.statuses.length === 1, patience)
      leaving.abort()
      await vi.waitUntil(async () => (await countHangUps(account)) === waiting, patience)
      const later = askForSummaries(account.liveKey, waiting + 1)
      await vi.waitUntil(() => later.statuses.length === 1, patience)
      return later
    })
    await later.all

    expect(countOf(later.statuses, 200)).toBe(waiting)
    expect(countOf(later.statuses, 429)).toBe(1)
  })

  test('DELETE /v1/account/keys/{key_id}: a key that holds every place is revoked all the same', async () => {
    const account = await gateway.createAccount()
    const thief = await gateway.createKey(account.id)
    const { port } = new URL(gateway.live.url)
    const head = [
      'POST /v1/quotes HTTP/1.1',
      'Host: 127.0.0.1',
      `Authorization: Bearer ${thief.plaintext}`,
      'Content-Type: application/json',
      'Content-Length: 100',
    ]
    const sockets = Array.from({ length: atOnce + waiting + 2 }, () =>
      connect(Number(port), '127.0.0.1').on('error', () => {}),
    )
    for (const socket of sockets) socket.write(`${head.join('\r\n')}\r\n\r\n{`)
    const answered = () => sockets.filter(({ bytesRead }) => bytesRead > 0).length
    await vi.waitUntil(() => answered() === 2, patience)
    const read = () => gateway.live.get('/v1/account', account.liveKey)
    const refused = await read()

    const revoked = await gateway.live.request(`/v1/account/keys/${thief.id}`, {
      method: 'DELETE',
      key: account.liveKey,
    })
    for (const socket of sockets) socket.destroy()

    expect([refused.status, revoked.status]).toEqual([429, 200])
    expect((await gateway.live.get('/v1/account', thief.plaintext)).status).toBe(401)
    await vi.waitUntil(async () => (await read()).status === 200, patience)
  })

  test('the time of its statements is used up: 429 with Retry-After, live and sandbox, until there is some again', async () => {
    const limited = await startTestGateway({ ACCOUNT_WORK_MS: '100' })
    const [account, other] = await Promise.all([limited.createAccount(), limited.createAccount()])

    const { sent } = await whileHeld(limited.database, [lockSums, []], {
      patientMs: 1500,
      started: async (untilOneWaits) => {
        const sent = limited.live.get(summary, account.liveKey)
        await untilOneWaits('FROM usage.usage_service')
        return { sent }
      },
    })
    const { status } = await sent
    const refused = await limited.live.get('/v1/account', account.liveKey)
    const inSandbox = await limited.sandbox.get('/v1/account', account.sandboxKey)
    const product = await limited.live.post(
      '/v1/contacts/reveal',
      { contact_id: 'con_1' },
      account.liveKey,
    )
    const othersAnswer = await limited.live.get('/v1/account', other.liveKey)

    expect(status).toBe(200)
    for (const response of [refused, inSandbox]) {
      expectError(limited, response, {
        status: 429,
        code: 'RATE_LIMIT_EXCEEDED',
        message: 'The account has used up its time for requests that are no product calls.',
        page: 'rate-limits',
      })
      expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      expect(response.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/)
    }
    expect([product.status, othersAnswer.status]).toEqual([200, 200])
    await vi.waitUntil(
      async () => (await limited.live.get('/v1/account', account.liveKey)).status === 200,
      patience,
    )
    await limited.close()
  })

  test('POST /v1/quotes and sessions count too: they wait for the same places', async () => {
    const account = await gateway.createAccount()
    const page = await openPage(gateway.live, account.liveKey)
    const quote = { calls: [{ method: 'POST', path: '/v1/contacts/reveal' }] }

    const { sent, answers } = await whileSumsAreLocked(async () => {
      const sent = askForSummaries(account.liveKey, atOnce + waiting + 1)
      await vi.waitUntil(() => sent.statuses.length === 1, patience)
      return {
        sent,
        answers: await Promise.all([
          gateway.live.post('/v1/quotes', quote, account.liveKey),
          page.get('/v1/account'),
        ]),
      }
    })
    await sent.all

    expect(answers.map(({ status }) => status)).toEqual([429, 429])
  })
})
