import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let database: TestDatabase
let here: TestGateway
let there: TestGateway
beforeAll(async () => {
  database = await createTestDatabase()
  // Remembered for an hour: only a notice can make the other gateway forget.
  const variables = { KEY_CACHE_SECONDS: '3600' }
  here = await startTestGateway(variables, { database })
  there = await startTestGateway(variables, { database })
})
afterAll(async () => {
  await Promise.all([here.close(), there.close()])
  await database.drop()
})

const update = 'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }'

/** The answers of another gateway to the keys of both environments. */
async function seenThere(account: { readonly liveKey: string; readonly sandboxKey: string }) {
  const answers = await Promise.all([
    there.live.get('/v1/account', account.liveKey),
    there.sandbox.get('/v1/account', account.sandboxKey),
  ])
  return answers.map(({ status, headers }) => [status, headers.get('x-ratelimit-limit')])
}

describe('a change of an account in one gateway takes effect in another', () => {
  test('applies to the tier', async () => {
    const account = await here.createAccount({ tier: 'ENTERPRISE', subscriptionTier: 'pro_sub' })
    expect(await seenThere(account)).toEqual([
      [200, '50'],
      [200, '50'],
    ])

    await here.graphql(update, { input: { id: account.id, subscriptionTier: 'enterprise_sub' } })

    await vi.waitFor(async () => {
      expect(await seenThere(account)).toEqual([
        [200, '100'],
        [200, '100'],
      ])
    }, patience)
  })

  test.each(['SUSPENDED', 'CLOSED'])('applies to the status %s', async (status) => {
    const account = await here.createAccount()
    expect((await seenThere(account)).map(([code]) => code)).toEqual([200, 200])

    await here.graphql(update, { input: { id: account.id, status } })

    await vi.waitFor(async () => {
      const [here200] = await seenThere(account)
      expect(here200?.[0]).not.toBe(200)
      expect((await seenThere(account)).map(([code]) => Number(code) >= 400)).toEqual([true, true])
    }, patience)
  })
})
