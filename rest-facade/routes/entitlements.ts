import { z } from 'zod'
import { subscriptionTiers } from '../../schema/vocabulary/rate-tiers.ts'
import { idParam, pageParams, text } from '../http/input.ts'
import { accountRoute } from './kinds/account-route.ts'

const keyword = z.strictObject({
  keyword: text(1, 100).regex(/\S/, 'must not be blank'),
  domain: z
    .hostname({ error: 'must be a domain name', abort: true })
    .max(253, 'must have at most 253 characters'),
  country: z
    .string()
    .regex(/^[A-Za-z]{2}$/, 'must be an ISO 3166-1 alpha-2 code')
    .default('US'),
  device: z.enum(['desktop', 'mobile'], 'must be desktop or mobile').default('desktop'),
})

const tier = z.enum(subscriptionTiers, `must be one of ${subscriptionTiers.join(', ')}`)
const when = z.enum(['now', 'period_end'], 'must be now or period_end').nullish()

export const entitlementRoutes = [
  accountRoute({
    method: 'get',
    path: '/billing/plans',
    summary: 'Plans on sale, and the plan of the account',
    operation: 'ListPlans',
    isExtension: true,
    scope: 'billing:read',
    keysOnly: true,
  }),
  accountRoute({
    method: 'post',
    path: '/account/subscription/preview',
    summary: 'Show what another plan would cost',
    description:
      'Shows what another plan would do and cost, and changes nothing. A start and a higher plan take effect once they are paid: `due_cents` is the difference of the prices for the seconds that are left of the period, rounded up, and `granted_credits` that of the allowances, rounded down. Send `quote_id` with the change: for ten minutes it has these amounts. A lower plan begins with the next period. What the state does not permit is the same 409 as for the change.',
    operation: 'PreviewPlan',
    isExtension: true,
    refusals: ['CONFLICT'],
    scope: 'billing:write',
    keysOnly: true,
    body: z.strictObject({ tier, when }),
    needsBody: true,
  }),
  accountRoute({
    method: 'post',
    path: '/account/subscription',
    summary: 'Start a subscription, or change its plan',
    description:
      'Starts a subscription, or changes its plan: up once it is paid, down with the next period. The default payment method pays; without one, `action_url` is a page of the payment provider. Until the payment is settled, `status` is `pending_payment` and the plan is as it was; if it is declined, this is a 402 `PAYMENT_DECLINED` and nothing changes. A lower plan and a cancellation replace each other; the present plan withdraws a lower one. A change is a 409 while another one is pending, with an old `quote_id`, and beyond three upgrades in a period.',
    operation: 'ChangePlan',
    isExtension: true,
    refusals: ['CONFLICT', 'PAYMENT_DECLINED', 'SERVICE_UNAVAILABLE'],
    scope: 'billing:write',
    keysOnly: true,
    body: z.strictObject({ tier, when, quote_id: text(1, 2000).nullish() }),
    needsBody: true,
  }),
  accountRoute({
    method: 'post',
    path: '/account/subscription/cancel',
    summary: 'Cancel the subscription at the end of its period',
    operation: 'CancelSubscription',
    refusals: ['CONFLICT'],
    scope: 'account:write',
  }),
  accountRoute({
    method: 'post',
    path: '/account/subscription/resume',
    summary: 'Resume a subscription that is scheduled to be cancelled',
    operation: 'ResumeSubscription',
    refusals: ['CONFLICT'],
    scope: 'account:write',
  }),
  accountRoute({
    method: 'get',
    path: '/account/addons',
    summary: 'Mass Mail and Rank Tracking entitlements',
    operation: 'GetAddons',
    scope: 'account:read',
  }),
  accountRoute({
    method: 'post',
    path: '/account/addons/mass-mail/cancel',
    summary: 'Cancel Mass Mail at the end of its period',
    operation: 'CancelMassMail',
    refusals: ['CONFLICT'],
    scope: 'account:write',
  }),
  accountRoute({
    method: 'get',
    path: '/account/addons/rank-tracking/keywords',
    summary: 'Tracked keywords, newest first',
    operation: 'ListTrackedKeywords',
    scope: 'account:read',
    query: z.strictObject(pageParams),
  }),
  accountRoute({
    method: 'post',
    path: '/account/addons/rank-tracking/keywords',
    summary: 'Track a keyword',
    operation: 'TrackKeyword',
    refusals: ['CONFLICT'],
    scope: 'account:write',
    body: keyword,
    status: 201,
  }),
  accountRoute({
    method: 'delete',
    path: '/account/addons/rank-tracking/keywords/:keyword_id',
    summary: 'Stop tracking a keyword',
    operation: 'UntrackKeyword',
    scope: 'account:write',
    params: z.strictObject({ keyword_id: idParam('kw', 'keyword') }),
  }),
]
