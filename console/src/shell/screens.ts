import type { ComponentType } from 'react'
import type { IconName } from '../components/icons.tsx'

export interface Screen {
  /** Below `/console/`; empty for the first screen. */
  readonly path: string
  readonly label: string
  readonly icon: IconName
  readonly load: () => Promise<{ default: ComponentType }>
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
    ...{ path: 'settings', label: 'Settings', icon: 'settings' },
    load: () => import('../routes/settings/settings.tsx'),
  },
]
