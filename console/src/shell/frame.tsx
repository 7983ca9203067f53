import { ActionIcon } from '@mantine/core'
import { useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Icon } from '../components/icons.tsx'
import { useSession } from '../session/session.tsx'
import { AccountMenu } from './account-menu.tsx'
import { EnvironmentSwitch } from './environment-switch.tsx'
import { Navigation } from './navigation.tsx'
import { Shortcuts } from './shortcuts.tsx'

/** Header, navigation and the area of a screen. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const session = useSession()
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
    <div className="frame" data-environment={session.environment}>
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
        <AccountMenu />
        <Shortcuts />
        <EnvironmentSwitch />
      </header>
      <div className="frame-navigation" id="navigation" data-open={isOpen}>
        <Navigation />
      </div>
      <main className="frame-main" id="screen" tabIndex={-1} ref={main}>
        {session.isUnavailable && (
          <div className="screen away">
            <div className="notice" data-kind="caution" role="status">
              The gateway does not answer. The screen may show old data; the page tries again by
              itself.
            </div>
          </div>
        )}
        {children}
      </main>
    </div>
  )
}
