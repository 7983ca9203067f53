import { Amount } from '../../components/figures.tsx'
import { Card } from '../../components/screen.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { approximateDuration, integer, percent } from '../../format/numbers.ts'
import { type Group, groupLabels } from './groups.ts'
import type { Total } from './totals.ts'

export function Totals({ totals }: { readonly totals: Total }) {
  const shown = [
    ['Credits', integer(totals.credits)],
    ['Requests', integer(totals.requests)],
    ['Success rate', share(totals.success)],
    // Sums by caller have no latency.
    ...(totals.p50 === null
      ? []
      : [
          ['Latency p50', approximateDuration(totals.p50)],
          ['Latency p95', approximateDuration(totals.p95)],
        ]),
  ]
  return (
    <dl className="card stats">
      {shown.map(([label, value]) => (
        <div className="stat" key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function share(success: number | null): string {
  return success === null ? '–' : percent(success)
}

interface UsageTableProps {
  readonly group: Group
  readonly parts: readonly Total[]
  /** Opens the requests of a part. */
  readonly onOpen: (part: Total) => void
}

const columns: readonly Column<Total>[] = [
  {
    ...{ label: 'Credits', isRight: true, onPhone: 'side', sortBy: ({ credits }) => credits },
    cell: ({ credits }) => <Amount value={credits} />,
  },
  {
    ...{ label: 'Requests', isRight: true, sortBy: ({ requests }) => requests },
    cell: ({ requests }) => <Amount value={requests} />,
  },
  {
    ...{ label: 'Success', isRight: true, sortBy: ({ success }) => success },
    cell: ({ success }) => share(success),
  },
  {
    ...{ label: 'p50', isRight: true, sortBy: ({ p50 }) => p50 },
    cell: ({ p50 }) => approximateDuration(p50),
  },
  {
    ...{ label: 'p95', isRight: true, sortBy: ({ p95 }) => p95 },
    cell: ({ p95 }) => approximateDuration(p95),
  },
]

/** The numbers of the chart, in a table: one row for each part. */
export function UsageTable({ group, parts, onOpen }: UsageTableProps) {
  const label = groupLabels[group]
  const hasLatency = parts.some(({ p50 }) => p50 !== null)
  const shown = hasLatency ? columns : columns.filter(({ label }) => !/^p\d/.test(label))
  const first: Column<Total> = {
    ...{ label, sortBy: ({ name }) => name },
    cell: (part) => (
      <button type="button" className="row-link" onClick={() => onOpen(part)}>
        {part.name}
      </button>
    ),
  }
  return (
    <Card title={`By ${group}`}>
      <Table
        {...{ name: `Usage by ${group}`, columns: [first, ...shown], items: parts, onOpen }}
        keyOf={({ name }) => name}
      />
      {hasLatency && (
        <p className="card-body quiet small">
          Percentiles are approximate: p50 is that of a typical hour or day, p95 that of the
          slowest.
        </p>
      )}
    </Card>
  )
}
