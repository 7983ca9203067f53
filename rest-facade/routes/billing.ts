import { z } from 'zod'
import { idParam, pageParams, text } from '../http/input.ts'
import type { Route } from '../route-kinds/route.ts'

const positive = z.int('must be an integer').min(1, 'must be at least 1')

const autoRecharge = z.strictObject({
  enabled: z.boolean('must be true or false').optional(),
  threshold_credits: positive.nullish(),
  package_id: text(1, 100).nullish(),
  monthly_cap_cents: positive.nullish(),
})

const checkout = z.strictObject({
  package_id: text(1, 100),
  payment_method: text(1, 200).optional(),
})

/** What `readSignedBody` makes. */
const signed = z.strictObject({ body: z.string(), signature: z.string() })

export const billingRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/account/billing',
    summary: 'Balance, usage, packages, auto-recharge and recent ledger entries',
    operation: 'GetBilling',
    subgraph: 'account',
    scope: 'billing:read',
    readsUsage: true,
  },
  {
    method: 'patch',
    path: '/account/auto-recharge',
    summary: 'Change how credits are bought when they run low',
    operation: 'ConfigureAutoRecharge',
    subgraph: 'account',
    scope: 'billing:write',
    body: autoRecharge,
    needsBody: true,
  },
  {
    method: 'post',
    path: '/billing/checkout',
    summary: 'Buy a credit package',
    operation: 'Checkout',
    isExtension: true,
    subgraph: 'account',
    scope: 'billing:write',
    body: checkout,
    status: 201,
  },
  {
    method: 'post',
    path: '/billing/notifications/:provider',
    summary: 'What a payment provider tells of its own accord',
    operation: 'ReceivePaymentNotification',
    isExtension: true,
    subgraph: 'account',
    isSigned: true,
    params: z.strictObject({ provider: text(1, 100) }),
    body: signed,
  },
  {
    method: 'get',
    path: '/billing/invoices',
    summary: 'Invoices of the account, newest first',
    operation: 'ListInvoices',
    isExtension: true,
    subgraph: 'account',
    scope: 'billing:read',
    query: z.strictObject(pageParams),
  },
  {
    method: 'get',
    path: '/billing/invoices/:invoice_id',
    summary: 'One invoice',
    operation: 'GetInvoice',
    isExtension: true,
    subgraph: 'account',
    scope: 'billing:read',
    params: z.strictObject({ invoice_id: idParam('inv', 'invoice') }),
  },
]
