import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Screen } from '../../components/screen.tsx'

const pages = [
  ['/billing', 'Plan and credits'],
  ['/billing/payment', 'Payment'],
  ['/billing/invoices', 'Invoices'],
] as const

interface BillingPageProps {
  readonly at: (typeof pages)[number][0]
  readonly children: ReactNode
}

/** One of the three pages about money, with the way to the other two. */
export function BillingPage({ at, children }: BillingPageProps) {
  return (
    <Screen title="Billing">
      <nav className="pages" aria-label="Pages of billing">
        {pages.map(([path, label]) => (
          <Link
            key={path}
            to={path}
            activeOptions={{ exact: true, includeSearch: false }}
            aria-current={path === at ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      <div className="cards">{children}</div>
    </Screen>
  )
}
