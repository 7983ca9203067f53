import { z } from 'zod'
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

export const entitlementRoutes = [
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
