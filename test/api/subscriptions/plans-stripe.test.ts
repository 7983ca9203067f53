import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { taken } from '../../support/gateway/payment-returns.ts'
import { changePlan, payBy, planBooksOf } from '../../support/gateway/plans.ts'
import { type StripeStub, startStripeStub } from '../../support/stubs/stripe-stub.ts'

const secret = 'whsec_of_the_test'

let stripe: StripeStub
let gateway: TestGateway
beforeAll(async () => {
  stripe = await startStripeStub()
  gateway = await startTestGateway({
    ...{ PAYMENTS: 'stripe', STRIPE_SECRET_KEY: 'sk_test_of_the_test' },
    ...{ STRIPE_WEBHOOK_SECRET: secret, STRIPE_API_URL: stripe.url },
  })
})
afterAll(async () => {
  await expectExactBooks(gateway)
  await gateway.close()
  await stripe.close()
})

/** A notification of Stripe about the page of a payment. */
function notifyPaid(paymentId: string) {
  const [session] = stripe.sessionsOf(paymentId)
  const { payment_intent: intent } = Object(session)
  const payload = JSON.stringify({
    ...{ id: `evt_${newId('evt')}`, object: 'event', api_version: '2026-10-28.endive' },
    ...{ livemode: false, type: 'checkout.session.completed' },
    data: { object: { ...session, payment_intent: Object(intent).id } },
  })
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret })
  const headers = { 'stripe-signature': signature }
  return gateway.live.post('/v1/billing/notifications/stripe', payload, undefined, headers)
}

describe('POST /v1/account/subscription with Stripe', () => {
  test('leads to a page without a stored card, and raises the plan once that is paid, which stores the card', async () => {
    const account = await gateway.createAccount({ subscriptionTier: 'pro_sub', credits: 7 })

    const { status, body } = await changePlan(gateway, account, 'business_sub')

    expect(status).toBe(200)
    const { payment_id: id, action_url, granted_credits } = Object(body)
    expect(body).toMatchObject({ status: 'pending_payment' })
    expect(action_url).toBe(Object(stripe.sessionsOf(id)[0]).url)
    expect(await planBooksOf(gateway, account)).toMatchObject({ tier: 'pro_sub', balance: 7 })
    stripe.payOnPage(id)
    for (const answer of await Promise.all([notifyPaid(id), notifyPaid(id)])) {
      expect(answer).toMatchObject(taken)
    }
    expect(await planBooksOf(gateway, account)).toMatchObject({
      ...{ tier: 'business_sub', upgrades: 1, balance: 7 + granted_credits },
    })
    const methods = await gateway.live.get('/v1/billing/payment-methods', account.liveKey)
    expect(Object(methods.body).items).toMatchObject([{ default: true }])
  })

  test('collects by the stored card, as a payment whose payer is there', async () => {
    const account = await gateway.createAccount({ subscriptionTier: 'pro_sub', credits: 7 })
    await payBy(gateway, account, 'pm_card')

    const { body } = await changePlan(gateway, account, 'business_sub')

    expect(body).toMatchObject({ status: 'applied' })
    const [asked, ...again] = stripe.requestsOf(account.id, 'POST /v1/payment_intents')
    expect(again).toEqual([])
    expect(asked?.params).toMatchObject({
      ...{ amount: String(Object(body).total_cents), payment_method: 'pm_card' },
      ...{ setup_future_usage: 'off_session' },
    })
    expect(asked?.params).not.toHaveProperty('off_session')
  })

  test('is declined with the words of the provider, and changes nothing', async () => {
    const account = await gateway.createAccount({ subscriptionTier: 'pro_sub', credits: 7 })
    await payBy(gateway, account, 'pm_declined')

    const response = await changePlan(gateway, account, 'business_sub')

    expectError(gateway, response, {
      ...{ status: 402, code: 'PAYMENT_DECLINED' },
      message:
        'The payment was not collected, and the plan is as it was. Your card has insufficient funds.',
    })
    expect(await planBooksOf(gateway, account)).toMatchObject({ tier: 'pro_sub', balance: 7 })
  })
})
