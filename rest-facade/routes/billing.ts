import { z } from 'zod'
import { billingDetails } from '../http/fields/billing-details.ts'
import { idParam, pageParams, text } from '../http/input.ts'
import { accountRoute } from './kinds/account-route.ts'
import { pdfRoute } from './kinds/pdf-route.ts'
import { quoteRoute } from './kinds/quote-route.ts'
import { signedRoute } from './kinds/signed-route.ts'

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
    summary: 'Show what calls would cost, and whether they would succeed',
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
    summary: 'Receive a notification of a payment provider',
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
  pdfRoute({
    method: 'get',
    path: '/billing/invoices/:invoice_id.pdf',
    summary: 'One invoice as a PDF',
    description:
      'Returns the printed invoice or credit note, with seller, buyer, the day or period of supply, payment method, tax and total. It is rendered when it is first asked for and kept: from then on you get the same bytes. An open invoice is printed again once it is paid.',
    operation: 'GetInvoicePdf',
    isExtension: true,
    scope: 'billing:read',
    params: z.strictObject({ invoice_id: idParam('inv', 'invoice') }),
  }),
  accountRoute({
    method: 'get',
    path: '/billing/details',
    summary: 'The recipient of invoices',
    operation: 'GetBillingDetails',
    isExtension: true,
    scope: 'billing:read',
    keysOnly: true,
  }),
  accountRoute({
    method: 'put',
    path: '/billing/details',
    summary: 'Change the recipient of invoices',
    description:
      'Replaces the recipient of invoices, whole. The country decides the tax of what you buy from then on; invoices that were made out before keep what they say. In the EU, `tax_id` is a VAT id of the country: spaces, dots and hyphens in it are removed. Letters that the fonts of the operator lack, and text from right to left, are 422: the message names the fields and the letters.',
    operation: 'ChangeBillingDetails',
    isExtension: true,
    scope: 'billing:write',
    keysOnly: true,
    body: billingDetails,
  }),
]
