import { registerHooks } from 'node:module'
import { expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'

/** What this process loads of the library from here on; nothing before this file has. */
const loaded: string[] = []
registerHooks({
  load(url, context, nextLoad) {
    if (url.includes('/node_modules/stripe/')) loaded.push(url)
    return nextLoad(url, context)
  },
})

async function buy(gateway: TestGateway, payment_method: string): Promise<unknown> {
  const { liveKey } = await gateway.createAccount()
  const order = { package_id: 'pack_starter', payment_method }
  const { body } = await gateway.live.post('/v1/billing/checkout', order, liveKey)
  return Object(body).status
}

test('the Stripe library is loaded only by a gateway that is configured to use it', async () => {
  const without = await startTestGateway()
  expect(await buy(without, 'simulated')).toBe('succeeded')
  await without.close()

  expect(loaded).toEqual([])

  const configured = await startTestGateway({
    STRIPE_SECRET_KEY: 'sk_test_of_the_test',
    STRIPE_WEBHOOK_SECRET: 'whsec_of_the_test',
    STRIPE_API_URL: 'http://127.0.0.1:1',
  })
  expect(await buy(configured, 'pm_card')).toBe('pending')
  await configured.close()

  expect(loaded).not.toEqual([])
})
