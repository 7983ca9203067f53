import { Button, Menu } from '@mantine/core'
import { type ComponentType, useState } from 'react'
import { Icon } from '../../../src/components/icons.tsx'
import { type Permission, useMay } from '../data/role.ts'
import type { AccountHead } from '../data/shown.ts'
import { AdjustCredits, GrantCredits } from './credit-acts.tsx'
import { LiftBlock } from './lift-block.tsx'
import { PortalLink } from './portal-link.tsx'
import { SetTier } from './set-tier.tsx'
import { CloseAccount, ResumeAccount, SuspendAccount } from './state-acts.tsx'

interface Act {
  readonly label: string
  readonly permission: Permission
  /** Whether the state of the account permits it. */
  readonly fits: (account: AccountHead) => boolean
  readonly isDangerous?: boolean
  readonly Dialog: ComponentType<{ account: AccountHead; onClose: () => void }>
}

const always = () => true
const isOpen = ({ status }: AccountHead) => status !== 'CLOSED'

const acts: readonly Act[] = [
  { label: 'Grant credits', permission: 'grant', fits: always, Dialog: GrantCredits },
  { label: 'Adjust credits', permission: 'adjust', fits: always, Dialog: AdjustCredits },
  { label: 'Set the tier', permission: 'setTier', fits: isOpen, Dialog: SetTier },
  {
    ...{ label: 'Lift the block of payments', permission: 'liftBlock', Dialog: LiftBlock },
    fits: ({ isPaymentBlocked }) => isPaymentBlocked,
  },
  { label: 'Make a portal link', permission: 'linkForViewer', fits: isOpen, Dialog: PortalLink },
  {
    ...{ label: 'Resume the account', permission: 'resume', Dialog: ResumeAccount },
    fits: ({ status }) => status === 'SUSPENDED',
  },
  {
    ...{ label: 'Suspend the account', permission: 'suspend', Dialog: SuspendAccount },
    ...{ fits: ({ status }) => status === 'ACTIVE', isDangerous: true },
  },
  {
    ...{ label: 'Close the account', permission: 'close', fits: isOpen, isDangerous: true },
    Dialog: CloseAccount,
  },
]

/** What the operator may do with the account as it is. */
export function AccountActs({ account }: { readonly account: AccountHead }) {
  const may = useMay()
  const [opened, setOpened] = useState<Act | null>(null)
  const offered = acts.filter(({ permission, fits }) => may(permission) && fits(account))
  return (
    <>
      {offered.length > 0 && (
        <Menu
          {...{ position: 'bottom-end', shadow: 'md', withInitialFocusPlaceholder: false }}
          portalProps={{ target: 'main' }}
        >
          <Menu.Target>
            <Button rightSection={<Icon name="caret" size={12} />}>Act</Button>
          </Menu.Target>
          <Menu.Dropdown>
            {offered.map((act) => (
              <Menu.Item
                key={act.label}
                {...(act.isDangerous ? { color: 'var(--alert)' } : {})}
                onClick={() => setOpened(act)}
              >
                {act.label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {opened && <opened.Dialog account={account} onClose={() => setOpened(null)} />}
    </>
  )
}
