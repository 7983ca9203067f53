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
]
