import type { ComponentType } from 'react'
import type { IconName } from '../components/icons.tsx'

export interface Screen {
  /** Below `/console/`; empty for the first screen. */
  readonly path: string
  readonly label: string
  readonly icon: IconName
  readonly load: () => Promise<{ default: ComponentType }>
  /** Whether only a gateway with tools for agents has it. */
  readonly needsTools?: boolean
  /** Pages of single objects, below the path: `$keyId`. */
  readonly details?: readonly Detail[]
}

interface Detail {
  readonly path: string
  readonly load: () => Promise<{ default: ComponentType }>
}

/** All screens, in the order of the navigation. Each is loaded when it is opened. */
export const screens: readonly Screen[] = [
  {
    ...{ path: '', label: 'Overview', icon: 'overview' },
    load: () => import('../routes/overview/overview.tsx'),
  },
  {
    ...{ path: 'usage', label: 'Usage', icon: 'usage' },
    load: () => import('../routes/usage/usage.tsx'),
  },
  {
    ...{ path: 'logs', label: 'Logs', icon: 'logs' },
    load: () => import('../routes/logs/logs.tsx'),
  },
  {
    ...{ path: 'keys', label: 'API keys', icon: 'keys' },
    load: () => import('../routes/keys/keys.tsx'),
    details: [{ path: '$keyId', load: () => import('../routes/keys/key.tsx') }],
  },
  {
    ...{ path: 'customers', label: 'Customers', icon: 'customers' },
    load: () => import('../routes/customers/customers.tsx'),
    details: [{ path: '$externalId', load: () => import('../routes/customers/customer.tsx') }],
  },
  {
    ...{ path: 'credits', label: 'Credits', icon: 'credits' },
    load: () => import('../routes/credits/credits.tsx'),
  },
  {
    ...{ path: 'billing', label: 'Billing', icon: 'billing' },
    load: () => import('../routes/billing/billing.tsx'),
    details: [
      { path: 'payment', load: () => import('../routes/billing/payment.tsx') },
      { path: 'invoices', load: () => import('../routes/billing/invoices-page.tsx') },
    ],
  },
  {
    ...{ path: 'keywords', label: 'Keywords', icon: 'search' },
    load: () => import('../routes/keywords/keywords.tsx'),
  },
  {
    ...{ path: 'webhooks', label: 'Webhooks', icon: 'webhooks' },
    load: () => import('../routes/webhooks/webhooks.tsx'),
    details: [{ path: '$endpointId', load: () => import('../routes/webhooks/endpoint.tsx') }],
  },
  {
    ...{ path: 'apps', label: 'Apps', icon: 'apps' },
    load: () => import('../routes/apps/apps.tsx'),
    details: [{ path: '$clientId', load: () => import('../routes/apps/app.tsx') }],
  },
  {
    ...{ path: 'agents', label: 'Connect an agent', icon: 'agents', needsTools: true },
    load: () => import('../routes/agents/agents.tsx'),
  },
  {
    ...{ path: 'audit', label: 'Audit trail', icon: 'audit' },
    load: () => import('../routes/audit/audit.tsx'),
  },
  {
    ...{ path: 'members', label: 'Members', icon: 'user' },
    load: () => import('../routes/members/members.tsx'),
  },
  {
    ...{ path: 'settings', label: 'Settings', icon: 'settings' },
    load: () => import('../routes/settings/settings.tsx'),
  },
]
