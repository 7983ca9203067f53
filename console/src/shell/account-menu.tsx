import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { Icon, Logo } from '../components/icons.tsx'
import { messageOf } from '../components/problem.tsx'
import { useAct } from '../data/act.ts'
import { useSession } from '../session/session.tsx'

/** The shown account, the person or key that is signed in, and the sign-out. */
export function AccountMenu() {
  const session = useSession()
  const signOut = useAct(session.signOut)
  const menu = useRef<HTMLDivElement>(null)
  const who = session.actor ?? session.key_name ?? 'an API key'
  return (
    <div className="account">
      <Button
        {...{ variant: 'subtle', color: 'gray', px: 'xs', miw: 0, popoverTarget: 'account-menu' }}
        {...{ leftSection: <Logo size={22} />, rightSection: <Icon name="caret" size={12} /> }}
        {...{ 'aria-label': `Account ${session.account_name}` }}
      >
        <span className="clip account-name">{session.account_name}</span>
      </Button>
      <div id="account-menu" className="account-menu" popover="auto" ref={menu}>
        <div className="account-who small">
          <div>{session.account_name}</div>
          <div className="mono quiet">{session.account_id}</div>
          <div className="quiet">
            Signed in {session.role ? 'as' : 'with'} {who}
            {session.role && `, ${session.role}`}
          </div>
        </div>
        <Link to="/settings" className="nav-link" onClick={() => menu.current?.hidePopover()}>
          <Icon name="settings" />
          Settings
        </Link>
        <button type="button" className="nav-link" onClick={() => void signOut.run()}>
          <Icon name="close" />
          Sign out
        </button>
        {signOut.problem && (
          <div className="notice" data-kind="alert" role="alert">
            {messageOf(signOut.problem)}
          </div>
        )}
      </div>
    </div>
  )
}
