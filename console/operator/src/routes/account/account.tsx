import { Link, useParams } from '@tanstack/react-router'
import { type ComponentType, useEffect } from 'react'
import { Icon } from '../../../../src/components/icons.tsx'
import { Loading } from '../../../../src/components/list.tsx'
import { ProblemNotice } from '../../../../src/components/problem.tsx'
import { Screen } from '../../../../src/components/screen.tsx'
import { Segments } from '../../../../src/components/segments.tsx'
import { useFilters } from '../../../../src/data/search.ts'
import { AccountActs } from '../../acts/account-acts.tsx'
import { Missing } from '../../components/missing.tsx'
import { useAsked } from '../../data/read.ts'
import { stateOf, useWhere } from '../../data/where.ts'
import { Apps } from './apps.tsx'
import { Audit } from './audit.tsx'
import { Budgets } from './budgets.tsx'
import { Credits } from './credits.tsx'
import { Head } from './head.tsx'
import { Keys } from './keys.tsx'
import { Log } from './log.tsx'
import { Members } from './members.tsx'
import { isPart, type Part, parts } from './parts.ts'
import { Payments } from './payments.tsx'
import { Plan } from './plan.tsx'

const screens: Readonly<Record<Part, ComponentType>> = {
  ...{ credits: Credits, keys: Keys, members: Members, apps: Apps, payments: Payments },
  ...{ plan: Plan, budgets: Budgets, log: Log, audit: Audit },
}

/** What the holder of an account sees, read only, and the acts of the operator. */
export default function Account() {
  const { part = 'credits' }: { part?: string } = useParams({ strict: false })
  const where = useWhere()
  const account = useAsked('AccountHead', stateOf(where), { isLive: true })
  if (!isPart(part)) return <Missing />
  const { data, error } = account
  if (data === null) {
    return (
      <Screen title="There is no such account">
        <p className="quiet">
          No account has the id <span className="mono">{where.id}</span>.
        </p>
        <Link to="/">Go to the accounts</Link>
      </Screen>
    )
  }
  const Shown = screens[part]
  // Nothing of one account or environment stays for another.
  const shown = `${where.id} ${where.environment}`
  return (
    <Screen
      title={data?.name ?? 'Account'}
      actions={
        <>
          <EnvironmentChoice />
          {data && <AccountActs key={shown} account={data} />}
        </>
      }
    >
      <Link to="/" className="crumb">
        <Icon name="previous" size={12} />
        All accounts
      </Link>
      {error && <ProblemNotice error={error} retry={() => void account.refetch()} />}
      {!data && !error && <Loading what="the account" />}
      {data && (
        <>
          <Head account={data} />
          <Parts id={where.id} part={part} />
          <div className="cards" key={`${shown} ${part}`}>
            <Shown />
          </div>
        </>
      )}
    </Screen>
  )
}

function Parts({ id, part }: { readonly id: string; readonly part: Part }) {
  const { filters } = useFilters()
  const { environment } = filters
  useEffect(() => {
    document.querySelector('.pages > [aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <nav className="pages parts" aria-label="Parts of the account">
      {Object.entries(parts).map(([name, label]) => (
        <Link
          key={name}
          to="/accounts/$accountId/$part"
          params={{ accountId: id, part: name } as never}
          search={(environment ? { environment } : {}) as never}
          aria-current={name === part ? 'page' : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}

const environments = [
  { value: 'live', label: 'Live' },
  { value: 'sandbox', label: 'Sandbox' },
] as const

/** Credits, payments, apps and the log are apart for each environment. */
function EnvironmentChoice() {
  const { filters, set } = useFilters()
  return (
    <Segments
      {...{ label: 'Environment', options: environments }}
      chosen={filters.environment === 'sandbox' ? 'sandbox' : 'live'}
      onChoose={(chosen) => set({ environment: chosen === 'sandbox' ? chosen : undefined })}
    />
  )
}
