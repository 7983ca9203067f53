import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { rounds } from '../../support/extent/extent.ts'
import { asTestGateway, variablesFor } from '../../support/gateway/gateway.ts'
import { compileProgram } from '../../support/processes/program.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../support/processes/workplace.ts'
import {
  createEndpoint,
  openReceiver,
  type Received,
  type WebhookReceiver,
  webhookVariables,
} from '../../support/stubs/webhook-receiver.ts'
import { patience } from '../../support/time/patience.ts'

/** The promise is about twenty, which takes minutes. */
const kills = rounds('WEBHOOK_KILLS', { all: 2, nightly: 20 })
const timeoutMs = 900_000
const grantsBetweenKills = 20

let database: TestDatabase
let place: Workplace
let receiver: WebhookReceiver
/** The messages that the receiver has accepted: half of all that come. */
const accepted: Received[] = []
beforeAll(async () => {
  await compileProgram()
  database = await createTestDatabase()
  place = openWorkplace({ prefix: 'gateway-webhooks-' })
  receiver = await openReceiver((message, response) => {
    const isAccepted = Math.random() < 0.5
    if (isAccepted) accepted.push(message)
    // In hand for a moment, so that a kill meets it.
    setTimeout(() => response.writeHead(isAccepted ? 204 : 503).end(), Math.random() * 20)
  })
})
afterAll(async () => {
  await place.close()
  await receiver.close()
  await database.drop()
})

function start(): Promise<StartedGateway> {
  return place.start({
    ...variablesFor(database),
    ...webhookVariables,
    // Another process takes the deliveries of a killed one after seven seconds; no schedule ends before.
    WEBHOOK_TIMEOUT_MS: '2000',
    WEBHOOK_RETRY_SECONDS: Array.from({ length: 20 }, () => '0').join(','),
    LOG_LEVEL: 'error',
  })
}

/** Grants credits as long as the gateway lives; what it answered last, nobody may ever hear. */
async function grantOn(gateway: StartedGateway, accountId: string): Promise<void> {
  const target = asTestGateway(gateway, database)
  const mutation = 'mutation ($input: GrantCreditsInput!) { grantCredits(input: $input) { id } }'
  await Promise.allSettled(
    Array.from({ length: grantsBetweenKills }, () => {
      const idempotencyKey = crypto.randomUUID()
      const input = { accountId, credits: 1, reason: 'Test', idempotencyKey }
      return target.graphql(mutation, { input })
    }),
  )
}

const entryOf = ({ data }: Received) => String(data.ledger_entry_id)

describe('a gateway that delivers webhooks', () => {
  test(`is killed ${kills} times (WEBHOOK_KILLS) while half of its attempts are refused: no event is lost, and every attempt of one has its id and its bytes`, {
    timeout: timeoutMs,
  }, async () => {
    let current = await start()
    const account = await asTestGateway(current, database).createAccount()
    const { live, sandbox } = asTestGateway(current, database)
    await createEndpoint({ live, sandbox }, account.liveKey, receiver.url)

    for (let kill = 1; kill <= kills; kill += 1) {
      const before = receiver.received.length
      const granting = grantOn(current, account.id)
      await vi.waitUntil(() => receiver.received.length > before + 5, patience)
      await sleep(Math.random() * 100)
      current.signal('SIGKILL')
      await current.finished
      await granting
      current = await start()
    }

    const rows = await vi.waitUntil(async () => {
      const deliveries = await database.query<{ status: string; event_id: string }>(
        'SELECT status, event_id FROM account.webhook_delivery WHERE account_id = $1',
        [account.id],
      )
      return deliveries.every(({ status }) => status !== 'pending') ? deliveries : null
    }, patience)
    const granted = await database.query<{ id: string }>(
      `SELECT id FROM account.ledger_entry
       WHERE account_id = $1 AND environment = 'live' AND ref LIKE 'internal:%' ORDER BY id`,
      [account.id],
    )
    current.signal('SIGKILL')
    await current.finished
    const { received } = receiver
    const ids = new Set(received.map(({ id }) => id))
    const tries = new Set(received.map(({ id, body }) => `${id} ${body}`))
    console.info(
      `webhooks: ${kills} kills, ${granted.length} events, ${received.length} attempts, ${received.length - accepted.length} refused`,
    )
    expect([...new Set(accepted.map(entryOf))].toSorted()).toEqual(granted.map(({ id }) => id))
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['succeeded']))
    expect(rows.map(({ event_id }) => event_id).toSorted()).toEqual([...ids].toSorted())
    expect(ids.size).toBe(granted.length)
    expect(tries.size).toBe(ids.size)
  })
})
