import { Link, useRouterState } from '@tanstack/react-router'
import { Icon } from '../components/icons.tsx'
import { useAttention } from '../data/attention.ts'
import { useToolsAddress } from '../data/tools.ts'
import { useSession } from '../session/session.tsx'
import { screens } from './screens.ts'
import { ZoneSwitch } from './zone-switch.tsx'

export function Navigation() {
  const { return_url: returnUrl } = useSession()
  const { data: toolsAddress } = useToolsAddress()
  const shown = screens.filter(({ needsTools }) => !needsTools || toolsAddress)
  const path = useRouterState({ select: ({ location }) => location.pathname.split('/')[1] ?? '' })
  return (
    <nav aria-label="Screens">
      {shown.map((screen) => (
        <Link
          key={screen.path}
          to={`/${screen.path}`}
          className="nav-link"
          aria-current={path === screen.path ? 'page' : undefined}
        >
          <Icon name={screen.icon} />
          {screen.label}
          {screen.path === '' && <AttentionDot />}
        </Link>
      ))}
      <hr />
      <a className="nav-link" href="/docs" target="_blank" rel="noreferrer">
        <Icon name="external" />
        Documentation
      </a>
      {returnUrl && (
        <a className="nav-link" href={returnUrl}>
          <Icon name="previous" />
          Back to {new URL(returnUrl).host}
        </a>
      )}
      <hr />
      <ZoneSwitch />
    </nav>
  )
}

/** Says on every screen that Overview has something that needs attention. */
function AttentionDot() {
  const items = useAttention().data?.items ?? []
  const [first] = items
  if (!first) return null
  return (
    <>
      <span className="nav-dot" data-severity={first.severity} aria-hidden="true" />
      <span className="unseen">({items.length} need attention)</span>
    </>
  )
}
