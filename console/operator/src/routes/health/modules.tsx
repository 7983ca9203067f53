import { Amount } from '../../../../src/components/figures.tsx'
import { type Column, List } from '../../../../src/components/list.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { Status } from '../../../../src/components/status.tsx'
import { duration } from '../../../../src/format/numbers.ts'
import { wholeList } from '../../data/read.ts'
import { type ModuleSum, modulesOf, type ProcessRead } from './reports.ts'

const columns: readonly Column<ModuleSum>[] = [
  { label: 'Module', cell: ({ name }) => <b>{name}</b>, sortBy: ({ name }) => name },
  {
    label: 'Breaker',
    cell: ({ openBreakers, processes }) =>
      openBreakers === 0 ? (
        <Status tone="good">closed</Status>
      ) : (
        <Status tone="alert">{`open in ${openBreakers} of ${processes}`}</Status>
      ),
  },
  {
    ...{ label: 'Calls', isRight: true, onPhone: 'line' },
    cell: ({ calls }) => <Amount value={calls} />,
    sortBy: ({ calls }) => calls,
  },
  {
    ...{ label: 'Failures', isRight: true, onPhone: 'line' },
    cell: ({ failures }) => <Amount value={failures} />,
    sortBy: ({ failures }) => failures,
  },
  {
    ...{ label: 'Mean latency', isRight: true, onPhone: 'side' },
    cell: ({ meanMs }) => <span className="amount">{duration(meanMs)}</span>,
    sortBy: ({ meanMs }) => meanMs,
  },
]

/** The backend modules, by the last 15 seconds of all processes. */
export function Modules({ read }: { readonly read: ProcessRead }) {
  const page = wholeList(read, read.data && modulesOf(read.data))
  return (
    <Card title="Modules in the last 15 seconds">
      <List
        {...{ name: 'modules', page, columns, keyOf: ({ name }: ModuleSum) => name }}
        empty="No process calls a live module."
      />
    </Card>
  )
}
