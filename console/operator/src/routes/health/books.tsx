import { List } from '../../../../src/components/list.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { Time } from '../../../../src/components/time.tsx'
import { Unread } from '../../../../src/components/unread.tsx'
import { integer } from '../../../../src/format/numbers.ts'
import type { Body } from '../../api.ts'
import { AccountLink } from '../../components/account-link.tsx'
import { Stats } from '../../components/stats.tsx'
import { useAsked, wholeList } from '../../data/read.ts'
import { newestOf, type ProcessRead, sum } from './reports.ts'

type Drift = Body<'BalanceDrifts'>[number]

const hourSeconds = 3600

/** The first thing to look at: drift, the last comparison and digest, overload, dead jobs. */
export function Books({ read }: { readonly read: ProcessRead }) {
  const { data } = read
  if (!data) {
    return (
      <Card title="Health">
        <Unread read={read} what="the reports of the processes" />
      </Card>
    )
  }
  const books = data.flatMap((process) => process.books ?? [])
  const drifts = Math.max(0, ...books.map((one) => one.drifts))
  const compared = newestOf(books.map(({ comparedAt }) => comparedAt))
  const digest = newestOf(books.map(({ digestAt }) => digestAt))
  const overdue = Math.max(0, ...books.map(({ digestOverdueSeconds }) => digestOverdueSeconds))
  const refusals = sum(data.map(({ overloadRefusals }) => overloadRefusals))
  return (
    <Stats
      stats={[
        {
          name: 'Drift',
          value: books.length === 0 ? 'unknown' : <Alarm count={drifts} />,
          note: compared ? (
            <>
              compared <Time at={compared} as="relative" />
            </>
          ) : (
            'not compared yet'
          ),
        },
        {
          name: 'Digest of the day',
          value: digest ? <Time at={digest} as="relative" /> : '–',
          note:
            overdue > 0
              ? `overdue for ${integer(Math.ceil(overdue / hourSeconds))} h`
              : digest
                ? 'found in its place'
                : 'none was found yet',
        },
        {
          name: 'Refused for overload',
          value: <Alarm count={refusals} />,
          note: 'in the last 15 seconds',
        },
        {
          name: 'Dead jobs',
          value: <Alarm count={Math.max(0, ...data.map(({ deadJobs }) => deadJobs ?? 0))} />,
          note: 'failed too often',
        },
      ]}
    />
  )
}

/** A count of which anything but 0 is an alarm. */
function Alarm({ count }: { readonly count: number }) {
  return <span className={count > 0 ? 'negative' : undefined}>{integer(count)}</span>
}

/** Balances that differ from their ledger, compared when the screen is opened. */
export function Drifts() {
  const read = useAsked('BalanceDrifts', {})
  return (
    <Card title="Balances that differ from their ledger">
      <List
        {...{ name: 'drifts', page: wholeList(read, read.data) }}
        keyOf={({ accountId, environment, seq }: Drift) => `${accountId} ${environment} ${seq}`}
        columns={[
          { label: 'Account', cell: ({ accountId }) => <AccountLink id={accountId} /> },
          { label: 'Environment', cell: ({ environment }) => environment },
          { label: 'What differs', cell: ({ problem }) => problem },
        ]}
        empty="Every balance is the sum of its ledger."
      />
    </Card>
  )
}
