import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ LOW_CREDITS_THRESHOLDS: '500,100' })
})
afterAll(() => gateway.close())

function adjust(accountId: string, credits: number): Promise<unknown> {
  const input = { accountId, credits, reason: 'Test', idempotencyKey: crypto.randomUUID() }
  return gateway.graphql(
    'mutation ($input: AdjustCreditsInput!) { adjustCredits(input: $input) { id } }',
    { input },
  )
}

function eventsOf(accountId: string) {
  return gateway.database.query<{ type: string; data: object }>(
    `SELECT type, data FROM account.event
     WHERE account_id = $1 AND type IN ('credits.low', 'credits.exhausted') ORDER BY id`,
    [accountId],
  )
}

/** When everything that was crossed has been looked at. */
async function settled(accountId: string): Promise<void> {
  await vi.waitFor(async () => {
    const [row] = await gateway.database.query(
      `SELECT count(*)::int AS open FROM jobs.job
       WHERE name = 'WatchBalance' AND state < 'completed' AND data ->> 'accountId' = $1`,
      [accountId],
    )
    expect(row).toEqual({ open: 0 })
  }, patience)
}

const low = (balance: number, threshold_credits: number) => ({
  type: 'credits.low',
  data: { balance, threshold_credits },
})

describe('credits.low', () => {
  test('is sent once when 200 calls cross the threshold at the same time', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 1005 })
    await settled(id)
    const keys = await Promise.all(
      Array.from({ length: 4 }, async () => (await gateway.createKey(id)).plaintext),
    )

    const calls = Array.from({ length: 200 }, async (_, index) => {
      const key = keys[index % keys.length] ?? liveKey
      for (;;) {
        const body = { contact_id: 'con_1' }
        const { status } = await gateway.live.post('/v1/contacts/reveal', body, key)
        if (status !== 429) return status
      }
    })
    expect(new Set(await Promise.all(calls))).toEqual(new Set([200]))
    await settled(id)

    const events = await eventsOf(id)
    const thresholds = events.map(({ data }) => Object(data).threshold_credits)
    // A check between two charges sees one threshold crossed, a later check only the lower one.
    expect(thresholds.filter((threshold) => threshold === 100)).toHaveLength(1)
    expect(thresholds.filter((threshold) => threshold === 500).length).toBeLessThanOrEqual(1)
    expect(events).toHaveLength(new Set(thresholds).size)
  })

  test('is sent again only after the balance rose a fifth above the threshold', async () => {
    const { id } = await gateway.createAccount({ credits: 600 })
    await settled(id)

    for (const credits of [-101, 50, -60, 40, -50]) {
      await adjust(id, credits)
      await settled(id)
    }
    expect(await eventsOf(id)).toEqual([low(499, 500)])
    await adjust(id, 121)
    await settled(id)
    await adjust(id, -150)
    await settled(id)

    expect(await eventsOf(id)).toEqual([low(499, 500), low(450, 500)])
  })

  test('names the lower of two thresholds that are crossed at once; an empty balance has an event of its own', async () => {
    const { id } = await gateway.createAccount({ credits: 600 })
    await settled(id)

    await adjust(id, -550)
    await settled(id)
    await adjust(id, -50)
    await settled(id)

    expect(await eventsOf(id)).toEqual([
      low(50, 100),
      { type: 'credits.exhausted', data: { balance: 0 } },
    ])
  })

  test('is not sent for the starting balance of an account', async () => {
    const { id } = await gateway.createAccount({ credits: 50 })
    await settled(id)

    await adjust(id, -1)
    await settled(id)

    expect(await eventsOf(id)).toEqual([])
  })

  test('is sent for the first charge of a new account too', async () => {
    const { id } = await gateway.createAccount({ credits: 600 })
    const accounts = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const account = await gateway.createAccount({ credits: 110 })
        await adjust(account.id, -110)
        return account
      }),
    )
    await adjust(id, -101)
    await settled(id)

    expect(await eventsOf(id)).toEqual([low(499, 500)])
    for (const account of accounts) {
      await settled(account.id)
      expect(await eventsOf(account.id)).toEqual([
        { type: 'credits.exhausted', data: { balance: 0 } },
      ])
    }
  })

  test('is not sent for an account that was rolled back', async () => {
    const { id } = await gateway.createAccount({ credits: 600 })
    await settled(id)

    await expect(adjust(id, -601)).rejects.toThrow('credits')

    await settled(id)
    expect(await eventsOf(id)).toEqual([])
  })
})
