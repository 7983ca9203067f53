import type { Route } from '../route-kinds/route.ts'

export const accountRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/account',
    summary: 'Account info and balance',
    operation: 'GetAccount',
    subgraph: 'account',
    scope: 'account:read',
  },
  {
    method: 'get',
    path: '/account/credits',
    summary: 'Current credit balance',
    operation: 'GetCredits',
    subgraph: 'account',
    scope: 'account:read',
  },
  {
    method: 'get',
    path: '/account/overview',
    summary: 'Account, usage, subscription and add-ons at one glance',
    operation: 'GetOverview',
    subgraph: 'account',
    scope: 'account:read',
    readsUsage: true,
  },
]
