import { Amount } from '../../../../src/components/figures.tsx'
import { type Column, List } from '../../../../src/components/list.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { Time } from '../../../../src/components/time.tsx'
import { wholeList } from '../../data/read.ts'
import type { GatewayProcess, ProcessRead } from './reports.ts'

const columns: readonly Column<GatewayProcess>[] = [
  { label: 'Role', cell: ({ role }) => <b>{role}</b> },
  { label: 'Process', cell: ({ id }) => <span className="mono">{id}</span> },
  { label: 'Version', onPhone: 'side', cell: ({ version }) => version },
  { label: 'Started', cell: ({ startedAt }) => <Time at={startedAt} as="relative" /> },
  { label: 'Seen', cell: ({ seenAt }) => <Time at={seenAt} as="relative" /> },
  {
    ...{ label: 'Refused for overload', isRight: true, onPhone: 'line' },
    cell: ({ overloadRefusals }) => <Amount value={overloadRefusals} />,
  },
]

/** The processes that have reported within a minute. */
export function Processes({ read }: { readonly read: ProcessRead }) {
  const versions = new Set(read.data?.map(({ version }) => version))
  return (
    <Card title="Processes">
      {versions.size > 1 && (
        <div className="card-body">
          <div className="notice" data-kind="caution" role="status">
            {versions.size} versions run beside each other: {[...versions].join(', ')}.
          </div>
        </div>
      )}
      <List
        {...{ name: 'processes', page: wholeList(read, read.data), columns }}
        keyOf={({ id }: GatewayProcess) => id}
        empty="No process has reported within a minute."
      />
    </Card>
  )
}
