import { ActionIcon, Button } from '@mantine/core'
import { Link, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Icon, Logo } from '../../../src/components/icons.tsx'
import { messageOf } from '../../../src/components/problem.tsx'
import { Time } from '../../../src/components/time.tsx'
import { ZoneSwitch } from '../../../src/shell/zone-switch.tsx'
import { useAct } from '../data/act.ts'
import { signOut, useOperator } from '../session/session.tsx'
import { screens } from './screens.ts'

/** Header, navigation and the area of a screen. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const main = useRef<HTMLElement>(null)
  const shown = useRef(path)

  // After a change of the screen, the focus goes there.
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    setOpen(false)
    main.current?.focus({ preventScroll: true })
  }, [path])

  return (
    <div className="frame" data-environment="live">
      <a className="skip" href="#screen">
        Skip to the screen
      </a>
      <header className="frame-header">
        <ActionIcon
          {...{ className: 'frame-burger', size: 'lg', onClick: () => setOpen(!isOpen) }}
          aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
          aria-expanded={isOpen}
          aria-controls="navigation"
        >
          <Icon name={isOpen ? 'close' : 'menu'} size={18} />
        </ActionIcon>
        <OperatorMenu />
      </header>
      <div className="frame-navigation" id="navigation" data-open={isOpen}>
        <Navigation path={path} />
      </div>
      <main className="frame-main" id="screen" tabIndex={-1} ref={main}>
        {children}
      </main>
    </div>
  )
}

function Navigation({ path }: { readonly path: string }) {
  const [, first = ''] = path.split('/')
  const current = first === 'accounts' ? '' : first
  return (
    <nav aria-label="Screens">
      {screens.map((screen) => (
        <Link
          key={screen.path}
          to={`/${screen.path}`}
          className="nav-link"
          aria-current={current === screen.path ? 'page' : undefined}
        >
          <Icon name={screen.icon} />
          {screen.label}
        </Link>
      ))}
      <hr />
      <ZoneSwitch />
    </nav>
  )
}

/** Who is signed in, as what, for how long; and the sign-out. */
function OperatorMenu() {
  const { name, role, expiresAt, provenAt } = useOperator()
  const leave = useAct(signOut)
  return (
    <div className="account">
      <Button
        {...{ variant: 'subtle', color: 'gray', px: 'xs', miw: 0, popoverTarget: 'account-menu' }}
        {...{ leftSection: <Logo size={22} />, rightSection: <Icon name="caret" size={12} /> }}
        {...{ 'aria-label': `Operator ${name}, ${role}` }}
      >
        <span className="clip account-name">
          {name} <span className="quiet">{role}</span>
        </span>
      </Button>
      <div id="account-menu" className="account-menu" popover="auto">
        <div className="account-who small">
          <div>{name}</div>
          <div className="quiet">Role {role}</div>
          <div className="quiet">
            Proven <Time at={provenAt} as="relative" />
          </div>
          <div className="quiet">
            Signed in until <Time at={expiresAt} />
          </div>
        </div>
        <button type="button" className="nav-link" onClick={() => void leave.run()}>
          <Icon name="close" />
          Sign out
        </button>
        {leave.problem && (
          <div className="notice" data-kind="alert" role="alert">
            {messageOf(leave.problem)}
          </div>
        )}
      </div>
    </div>
  )
}
