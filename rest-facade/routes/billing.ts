import { z } from 'zod'
import { idParam, pageParams, text } from '../http/input.ts'
import { accountRoute } from '../route-kinds/account-route.ts'
import { quoteRoute } from '../route-kinds/quote-route.ts'
import { signedRoute } from '../route-kinds/signed-route.ts'

const positive = z.int('must be an integer').min(1, 'must be at least 1')

const autoRecharge = z.strictObject({
  enabled: z.boolean('must be true or false').optional(),
  threshold_credits: positive.nullish(),
  package_id: text(1, 100).nullish(),
  monthly_cap_cents: positive.nullish(),
})

export const billingRoutes = [
  quoteRoute({
    method: 'post',
    path: '/quotes',
    summary: 'What calls would cost, and whether they would succeed',
    description:
      'Judges 1 to 100 calls of product operations as if they were made now, each on its own, and asks no product. Nothing is charged or held, and no idempotency key is used up. Counts in the rate limit as one request for every ten calls begun. In the sandbox the prices are those of the live API.',
    operation: 'QuoteCalls',
    isExtension: true,
  }),
  accountRoute({
    method: 'get',
    path: '/account/billing',
    summary: 'Balance, usage, packages, auto-recharge and recent ledger entries',
    operation: 'GetBilling',
    scope: 'billing:read',
    readsUsage: true,
  }),
  accountRoute({
    method: 'patch',
    path: '/account/auto-recharge',
    summary: 'Change how credits are bought when they run low',
    operation: 'ConfigureAutoRecharge',
    scope: 'billing:write',
    body: autoRecharge,
    needsBody: true,
  }),
  signedRoute({
    method: 'post',
    path: '/billing/notifications/:provider',
    summary: 'What a payment provider tells of its own accord',
    operation: 'ReceivePaymentNotification',
    isExtension: true,
    params: z.strictObject({ provider: text(1, 100) }),
  }),
  accountRoute({
    method: 'get',
    path: '/billing/invoices',
    summary: 'Invoices of the account, newest first',
    operation: 'ListInvoices',
    isExtension: true,
    scope: 'billing:read',
    query: z.strictObject(pageParams),
  }),
  accountRoute({
    method: 'get',
    path: '/billing/invoices/:invoice_id',
    summary: 'One invoice',
    operation: 'GetInvoice',
    isExtension: true,
    scope: 'billing:read',
    params: z.strictObject({ invoice_id: idParam('inv', 'invoice') }),
  }),
]
