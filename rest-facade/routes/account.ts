import { accountRoute } from './kinds/account-route.ts'

export const accountRoutes = [
  accountRoute({
    method: 'get',
    path: '/account',
    summary: 'Account info and balance',
    operation: 'GetAccount',
    scope: 'account:read',
  }),
  accountRoute({
    method: 'get',
    path: '/account/overview',
    summary: 'Account, usage, subscription and add-ons at a glance',
    description: 'Returns account, usage, subscription and add-ons at a glance.',
    operation: 'GetOverview',
    scope: 'account:read',
    readsUsage: true,
  }),
  accountRoute({
    method: 'get',
    path: '/account/forecast',
    summary: 'When the credits run out',
    description:
      'Shows when the credits run out if they go on being spent as in the last 30 days: in a tenth, half and nine tenths of 1,000 possible futures of a year. They know the day of the week, lots that expire, allowances that come, and automatic recharging. The answer is kept for ten minutes; a grant, a purchase and every change that you make end it earlier.',
    operation: 'GetForecast',
    isExtension: true,
    scope: 'account:read',
    readsUsage: true,
    countsAs: 5,
    keeping: { seconds: 600, scopes: ['billing:read'] },
  }),
]
