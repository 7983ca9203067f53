import { z } from 'zod'
import { idParam, pageParams, text } from '../http/input.ts'
import { returnPage } from '../pages/payments/return-page.ts'
import { simulatedDecision, simulatedPage } from '../pages/payments/simulated-page.ts'
import { accountRoute } from './kinds/account-route.ts'
import { pageRoute } from './kinds/page-route.ts'
import { publicRoute } from './kinds/public-route.ts'

const checkout = z.strictObject({
  package_id: text(1, 100),
  payment_method: text(1, 200).nullish(),
  return_url: text(1, 2000).nullish(),
  client_reference_id: text(1, 200).nullish(),
})

const paymentMethod = z.strictObject({
  payment_method_id: idParam('pm', 'payment method'),
})

/** A part of a signed link. */
const part = z.string('must be sent once').min(1, 'must not be empty').max(200, 'is too long')

/** Providers and browsers may add parameters of their own to a link. */
const returnLink = z.object({ checkout_id: part, expires: part, signature: part })
const simulatedLink = z.object({ payment_id: part, signature: part })

const choices = [
  ...['pay', 'decline', 'confirm', 'close'],
  ...['refund', 'refund_part', 'dispute', 'win', 'lose'],
] as const
const choice = z.strictObject({
  choice: z.enum(choices, `must be one of ${choices.join(', ')}`),
  card: z.string('must be sent once').max(100, 'is too long').optional(),
})

/** Checkouts, stored payment methods, and the pages that a payer sees. */
export const checkoutRoutes = [
  accountRoute({
    method: 'post',
    path: '/billing/checkout',
    summary: 'Buy a credit package',
    description:
      'Buys a credit package. Without a payment method, `action_url` is a page of the payment provider where the payer chooses one. A declined stored card is a 201 with the state `failed`. After 5 declined cards in an hour this is a 429 that names the limit, and with 10 open checkouts a 409.',
    operation: 'Checkout',
    isExtension: true,
    refusals: ['CONFLICT'],
    scope: 'billing:write',
    keysOnly: true,
    body: checkout,
    status: 201,
  }),
  accountRoute({
    method: 'get',
    path: '/billing/checkout/preview',
    summary: 'What a package costs, with tax',
    operation: 'PreviewCheckout',
    isExtension: true,
    refusals: ['SERVICE_UNAVAILABLE'],
    scope: 'billing:read',
    keysOnly: true,
    query: z.strictObject({ package_id: text(1, 100) }),
  }),
  accountRoute({
    method: 'get',
    path: '/billing/payments',
    summary: 'Payments of the account, newest first',
    description:
      'Lists every payment of the account with its source, newest first: checkouts, recharges, renewals and changes of the plan.',
    operation: 'ListPayments',
    isExtension: true,
    scope: 'billing:read',
    keysOnly: true,
    query: z.strictObject(pageParams),
  }),
  accountRoute({
    method: 'get',
    path: '/billing/payments/:payment_id',
    summary: 'One payment',
    operation: 'GetPayment',
    isExtension: true,
    scope: 'billing:read',
    keysOnly: true,
    params: z.strictObject({ payment_id: idParam('pay', 'payment') }),
  }),
  accountRoute({
    method: 'get',
    path: '/billing/next-recharge',
    summary: 'What auto-recharge would do next',
    operation: 'GetNextRecharge',
    isExtension: true,
    refusals: ['SERVICE_UNAVAILABLE'],
    scope: 'billing:read',
    keysOnly: true,
  }),
  accountRoute({
    method: 'get',
    path: '/billing/checkouts',
    summary: 'Checkouts of the account, newest first',
    operation: 'ListCheckouts',
    isExtension: true,
    scope: 'billing:read',
    keysOnly: true,
    query: z.strictObject(pageParams),
  }),
  accountRoute({
    method: 'get',
    path: '/billing/checkouts/:checkout_id',
    summary: 'One checkout',
    operation: 'GetCheckout',
    isExtension: true,
    scope: 'billing:read',
    keysOnly: true,
    params: z.strictObject({ checkout_id: idParam('pay', 'checkout') }),
  }),
  accountRoute({
    method: 'get',
    path: '/billing/payment-methods',
    summary: 'Stored payment methods, newest first',
    operation: 'ListPaymentMethods',
    isExtension: true,
    scope: 'billing:read',
    keysOnly: true,
    query: z.strictObject(pageParams),
  }),
  accountRoute({
    method: 'get',
    path: '/billing/payment-methods/:payment_method_id',
    summary: 'One stored payment method',
    operation: 'GetPaymentMethod',
    isExtension: true,
    scope: 'billing:read',
    keysOnly: true,
    params: paymentMethod,
  }),
  accountRoute({
    method: 'delete',
    path: '/billing/payment-methods/:payment_method_id',
    summary: 'Remove a stored payment method',
    operation: 'DeletePaymentMethod',
    isExtension: true,
    refusals: ['CONFLICT'],
    scope: 'billing:write',
    keysOnly: true,
    params: paymentMethod,
  }),
  accountRoute({
    method: 'post',
    path: '/billing/payment-methods/:payment_method_id/default',
    summary: 'Use a payment method for recharges and renewals',
    description:
      'Makes a stored payment method the one that recharges and renewals use. A card of a disputed payment is refused until the operator lifts the block.',
    operation: 'SetDefaultPaymentMethod',
    isExtension: true,
    refusals: ['CONFLICT'],
    scope: 'billing:write',
    keysOnly: true,
    params: paymentMethod,
  }),
  pageRoute({
    method: 'get',
    path: '/billing/return',
    isRooted: true,
    summary: 'The page to which a payer comes back',
    operation: 'FollowReturnLink',
    isExtension: true,
    query: returnLink,
    pageOf: returnPage,
  }),
  publicRoute({
    method: 'get',
    path: '/billing/return/status',
    isRooted: true,
    summary: 'The state of the payment that a return link is about',
    operation: 'GetReturnStatus',
    refusals: ['NOT_FOUND'],
    isExtension: true,
    query: returnLink,
  }),
  pageRoute({
    method: 'get',
    path: '/billing/simulated',
    isRooted: true,
    summary: 'The page of a payment at the simulated provider',
    operation: 'ShowSimulatedPayment',
    isExtension: true,
    query: simulatedLink,
    pageOf: simulatedPage,
  }),
  pageRoute({
    method: 'post',
    path: '/billing/simulated',
    isRooted: true,
    summary: 'Pay, decline, confirm or let money come back at the simulated provider',
    operation: 'DecideSimulatedPayment',
    isExtension: true,
    query: simulatedLink,
    body: choice,
    formExample: { choice: 'pay', card: 'simulated' },
    leadsOn: true,
    pageOf: simulatedDecision,
  }),
]
