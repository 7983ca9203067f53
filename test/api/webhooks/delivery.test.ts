import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import {
  type Answer,
  createEndpoint,
  openReceiver,
  webhooksPath,
  webhookVariables,
} from '../../support/stubs/webhook-receiver.ts'
import { patience } from '../../support/time/patience.ts'

const hour = 3600

let database: TestDatabase
/** The two gateways, which both send due deliveries. */
let gateways: readonly [TestGateway, TestGateway]
beforeAll(async () => {
  database = await createTestDatabase()
  // With these pauses, a failed delivery is not tried again before a test is over.
  const variables = {
    ...webhookVariables,
    WEBHOOK_RETRY_SECONDS: `${hour},${2 * hour}`,
  }
  const first = await startTestGateway(variables, { database })
  gateways = [first, await startTestGateway(variables, { database })]
})
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()))
  await database.drop()
})

/** Resolves with the id of the event. */
async function sendTest({ liveKey }: TestAccount, id: string): Promise<string> {
  const path = `${webhooksPath}/${id}/test`
  const { status, body } = await gateways[0].live.post(path, undefined, liveKey)
  expect([status, body]).toEqual([202, expect.objectContaining({ event_type: 'webhook.test' })])
  return String(Object(body).event_id)
}

interface Delivery {
  readonly id: string
  readonly status: string
  readonly attempt_count: number
  readonly attempts: readonly { attempted_at: string; latency_ms: number; failure: string }[]
  readonly next_attempt_at: string
}

/** The newest, once it was tried so often. */
function untilTried({ liveKey }: TestAccount, id: string, attempts = 1): Promise<Delivery> {
  return vi.waitUntil(async () => {
    const { body } = await gateways[0].live.get(`${webhooksPath}/${id}/deliveries`, liveKey)
    const [delivery] = Object(body).items
    return delivery?.attempt_count === attempts ? delivery : null
  }, patience)
}

/** In seconds, from the end of its last attempt. */
function pauseOf({ attempts, next_attempt_at }: Delivery): number {
  const [last] = attempts
  if (!last) throw new Error('It was never tried.')
  return (Date.parse(next_attempt_at) - Date.parse(last.attempted_at) - last.latency_ms) / 1000
}

/** Makes what waits due. */
function hurry(id: string) {
  return database.query(
    `UPDATE account.webhook_delivery SET due_at = now() WHERE endpoint_id = $1 AND status = 'pending'`,
    [id],
  )
}

describe('a delivery that failed', () => {
  test('is retried after the pauses of the schedule, each up to a fifth longer, and not after the last', async () => {
    const account = await gateways[0].createAccount()
    const receiver = await openReceiver((_, response) => response.writeHead(302).end())
    const { id } = await createEndpoint(gateways[0], account.liveKey, receiver.url)

    await sendTest(account, id)
    const first = await untilTried(account, id)
    await hurry(id)
    const second = await untilTried(account, id, 2)
    await hurry(id)
    const third = await untilTried(account, id, 3)

    for (const [delivery, seconds] of [
      [first, hour],
      [second, 2 * hour],
    ] as const) {
      expect(delivery).toMatchObject({ status: 'pending' })
      // Two clocks: that of the receiver's answer, and the database's a moment later.
      expect(pauseOf(delivery)).toBeGreaterThan(seconds - 60)
      expect(pauseOf(delivery)).toBeLessThan(seconds * 1.2 + 60)
    }
    expect(third).toMatchObject({ status: 'failed', attempt_count: 3, next_attempt_at: null })
    expect(third.attempts.map(({ failure }) => failure)).toEqual(Array(3).fill('http 302'))
    await receiver.close()
  })

  test('waits as long as its receiver asks, at most a day, and never shorter than the schedule', async () => {
    const account = await gateways[0].createAccount()
    const asked = ['18000', '999999', '1']
    const receiver = await openReceiver((_, response) => {
      response.writeHead(503, { 'retry-after': asked.shift() }).end()
    })
    const { id } = await createEndpoint(gateways[0], account.liveKey, receiver.url)

    const pauses: number[] = []
    for (let count = 0; count < 3; count += 1) {
      await sendTest(account, id)
      pauses.push(pauseOf(await untilTried(account, id)))
    }

    const [patient = 0, excessive = 0, hasty = 0] = pauses
    expect(Math.abs(patient - 5 * hour)).toBeLessThan(60)
    expect(Math.abs(excessive - 24 * hour)).toBeLessThan(60)
    expect(hasty).toBeGreaterThan(hour - 60)
    await receiver.close()
  })

  test('marks its endpoint as failing until a delivery arrives', async () => {
    const account = await gateways[0].createAccount()
    let status = 500
    const receiver = await openReceiver((_, response) => response.writeHead(status).end())
    const { id } = await createEndpoint(gateways[0], account.liveKey, receiver.url)
    const shown = async () =>
      Object((await gateways[0].live.get(webhooksPath, account.liveKey)).body).items[0]

    await sendTest(account, id)
    await untilTried(account, id)
    const failing = await shown()
    status = 200
    await hurry(id)
    const arrived = await untilTried(account, id, 2)

    expect(failing).toMatchObject({ status: 'enabled', failing_since: expect.any(String) })
    expect(arrived).toMatchObject({ status: 'succeeded' })
    expect(await shown()).toMatchObject({ status: 'enabled', failing_since: null })
    await receiver.close()
  })
})

describe('two dispatchers', () => {
  test('send each event once, and never two attempts of it at a time', async () => {
    const slow: Answer = (_, response) => void setTimeout(() => response.writeHead(200).end(), 5)
    const receiver = await openReceiver(slow)
    const accounts = await Promise.all(Array.from({ length: 3 }, () => gateways[0].createAccount()))
    const ids = await Promise.all(
      accounts.map(({ liveKey }, index) =>
        createEndpoint(gateways[0], liveKey, `${receiver.url}/${index}`),
      ),
    )

    const asked: string[] = []
    // A round has as many calls as a gateway has connections: a call that waits too long for one is
    // refused.
    for (let round = 0; round < 4; round += 1) {
      const sent = accounts.flatMap((account, index) =>
        Array.from({ length: 5 }, () => sendTest(account, ids[index]?.id ?? '')),
      )
      asked.push(...(await Promise.all(sent)))
    }

    const messages = await receiver.until('webhook.test', asked.length)
    const arrived = messages.map(({ id }) => id)
    expect(arrived.toSorted()).toEqual(asked.toSorted())
    const over = await vi.waitUntil(async () => {
      const rows = await database.query<{ status: string; attempt_count: number }>(
        `SELECT DISTINCT status, attempt_count FROM account.webhook_delivery
         WHERE endpoint_id = ANY ($1)`,
        [ids.map(({ id }) => id)],
      )
      return rows.some(({ status }) => status === 'pending') ? null : rows
    }, patience)
    // One that was taken up too late is given back unsent.
    expect(over).toEqual([{ status: 'succeeded', attempt_count: 1 }])
    await receiver.close()
  })
})

describe('fifty receivers that never answer', () => {
  test('delay no other receiver: all of its events arrive while the fifty hang', async () => {
    const hung: ServerResponse[] = []
    let ended = 0
    const silent = await openReceiver((_, response) => {
      hung.push(response)
      response.once('close', () => {
        ended += 1
      })
    })
    // An account has eight attempts at a time to endpoints to which nothing has arrived.
    const accounts = await Promise.all(Array.from({ length: 7 }, () => gateways[0].createAccount()))
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const key = accounts[Math.floor(index / 8)]?.liveKey ?? ''
        return createEndpoint(gateways[0], key, `${silent.url}/${index}`)
      }),
    )
    // More than any of them is sent at a time.
    for (let event = 0; event < 5; event += 1) {
      await Promise.all(accounts.map(({ id }) => gateways[0].createKey(id)))
    }
    await vi.waitUntil(() => new Set(hung.map(({ req }) => req.url)).size === 50, patience)
    const receiver = await openReceiver()
    const healthy = await gateways[0].createAccount()
    const { id } = await createEndpoint(gateways[0], healthy.liveKey, receiver.url)

    const sentMs: number[] = []
    for (let event = 1; event <= 20; event += 1) {
      const startedMs = performance.now()
      await sendTest(healthy, id)
      await receiver.until('webhook.test', event)
      sentMs.push(performance.now() - startedMs)
    }

    const slowestMs = Math.max(...sentMs)
    console.info(`beside 50 hung receivers: the slowest of 20 took ${Math.round(slowestMs)} ms`)
    expect(receiver.received).toHaveLength(20)
    expect(ended).toBe(0)
    for (const { id: accountId } of accounts) {
      await database.query('DELETE FROM account.webhook_endpoint WHERE account_id = $1', [
        accountId,
      ])
    }
    await silent.close()
    await receiver.close()
  })
})
