import type { ComponentType } from 'react'
import type { IconName } from '../../../src/components/icons.tsx'

type Load = () => Promise<{ default: ComponentType }>

interface Screen {
  /** Below `/operator/`; empty for the first screen. */
  readonly path: string
  readonly label: string
  readonly icon: IconName
  readonly load: Load
}

/** The screens of the navigation, in its order. Each is loaded when it is opened. */
export const screens: readonly Screen[] = [
  {
    ...{ path: '', label: 'Accounts', icon: 'customers' },
    load: () => import('../routes/accounts/accounts.tsx'),
  },
  {
    ...{ path: 'health', label: 'Health', icon: 'usage' },
    load: () => import('../routes/health/health.tsx'),
  },
  {
    ...{ path: 'money', label: 'Money', icon: 'billing' },
    load: () => import('../routes/money/money.tsx'),
  },
]

/** The pages of one account; each is a screen of its own. */
export const accountPage: Load = () => import('../routes/account/account.tsx')
