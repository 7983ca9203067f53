import { Amount } from '../../../../src/components/figures.tsx'
import { type Column, List } from '../../../../src/components/list.tsx'
import { Card } from '../../../../src/components/screen.tsx'
import { Time } from '../../../../src/components/time.tsx'
import { integer } from '../../../../src/format/numbers.ts'
import { type DeadJob, RetryJobButton } from '../../acts/retry-job.tsx'
import { useAsked, wholeList } from '../../data/read.ts'
import { useMay } from '../../data/role.ts'
import { type GatewayProcess, newestWorker, type ProcessRead } from './reports.ts'

type Queue = GatewayProcess['queues'][number]

const queueColumns: readonly Column<Queue>[] = [
  { label: 'Queue', cell: ({ name }) => <b>{name}</b> },
  {
    ...{ label: 'Oldest', isRight: true, onPhone: 'line' },
    cell: ({ oldestSeconds }) => (
      <span className="amount">{integer(Math.round(oldestSeconds))} s</span>
    ),
  },
  { label: 'Waiting', isRight: true, cell: ({ waiting }) => <Amount value={waiting} /> },
]

/** What is due and waits, and the jobs that failed too often. */
export function Jobs({ read }: { readonly read: ProcessRead }) {
  const may = useMay()
  const queues = read.data && (newestWorker(read.data)?.queues ?? [])
  return (
    <>
      <Card title="Queues">
        <List
          {...{ name: 'queues', page: wholeList(read, queues), columns: queueColumns }}
          keyOf={({ name }: Queue) => name}
          empty="Nothing that is due waits."
        />
      </Card>
      {may('seeDeadJobs') && <DeadJobs />}
    </>
  )
}

function DeadJobs() {
  const may = useMay()
  const read = useAsked('DeadJobs', {}, { isLive: true })
  const columns: readonly Column<DeadJob>[] = [
    { label: 'Job', cell: ({ operation }) => <b>{operation}</b> },
    { label: 'About', cell: ({ subject }) => <Subject subject={subject} /> },
    { label: 'Why', cell: ({ reason }) => reason },
    { label: 'Failed', cell: ({ failedAt }) => <Time at={failedAt} as="relative" /> },
    ...(may('retryJob') ? [retrying] : []),
  ]
  return (
    <Card title="Dead jobs">
      <List
        {...{ name: 'dead jobs', page: wholeList(read, read.data), columns }}
        keyOf={({ id }: DeadJob) => id}
        empty="No job has failed too often."
      />
    </Card>
  )
}

const retrying: Column<DeadJob> = {
  ...{ label: '', isRight: true },
  cell: (job) => <RetryJobButton job={job} />,
}

/** The ids and instants that the job is about. */
function Subject({ subject }: Pick<DeadJob, 'subject'>) {
  return (
    <span className="mono small">
      {Object.entries(subject)
        .map(([name, value]) => `${name} ${String(value)}`)
        .join(', ')}
    </span>
  )
}
