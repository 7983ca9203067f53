import { Button, Group, Progress } from '@mantine/core'
import type { AuditExportJob } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, gateway, queries } from '../../api.ts'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { Icon } from '../../components/icons.tsx'
import { Loading } from '../../components/list.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { Card } from '../../components/screen.tsx'
import { Status } from '../../components/status.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { type Act, useAct } from '../../data/act.ts'
import { useRead } from '../../data/read.ts'
import { showDate } from '../../format/dates.ts'
import { integer } from '../../format/numbers.ts'
import { currentZone } from '../../format/zone.ts'

const pollMs = 2000
const shownAtFirst = 5

const isOver = ({ status }: AuditExportJob) => status === 'completed' || status === 'failed'

/** The jobs that write files, newest first. The API has the latest 200. */
export function Exports() {
  const [isWhole, setWhole] = useState(false)
  const [isRunning, setRunning] = useState(false)
  const { data, error, missing, refetch } = useRead<AuditExportJob[]>(
    ['exports', 'list'],
    async (options) => {
      const answer = await gateway.audit.listExports({}, options)
      setRunning(!answer.data.every(isOver))
      return answer
    },
    { scopes: ['audit:read'], isLive: isRunning, everyMs: pollMs },
  )
  const again = useAct(async (job_id: string) => {
    await acting.audit.repeatExport({ job_id })
    await queries.invalidateQueries({ queryKey: ['exports'] })
  })
  // A link works for some minutes, so each download gets a new one.
  const download = useAct(async (job_id: string) => {
    const { data: job } = await acting.audit.getExport({ job_id })
    if (!job.result_url) throw new Error('The file is not kept any more. Export it again.')
    location.assign(job.result_url)
  })
  // The audit trail below shows which scope is missing.
  if (missing) return null
  const items = isWhole ? data : data?.slice(0, shownAtFirst)
  const problem = download.problem ?? again.problem ?? (data ? null : error)
  return (
    <Card title="Exports">
      {problem && (
        <div className="card-body">
          <ProblemNotice
            error={problem}
            retry={problem === error ? () => void refetch() : undefined}
          />
        </div>
      )}
      {!data && !error && <Loading what="the exports" />}
      {data?.length === 0 && (
        <div className="card-body quiet" role="status">
          No export yet. Export writes the trail, or the usage log, into a file.
        </div>
      )}
      {items && items.length > 0 && (
        <Table
          {...{ name: 'exports', columns: [...columns, actionsColumn(download, again)], items }}
          keyOf={({ id }) => id}
        />
      )}
      {data && data.length > shownAtFirst && (
        <div className="card-body">
          <Button variant="subtle" size="xs" onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show the newest only' : `Show all ${data.length}`}
          </Button>
        </div>
      )}
    </Card>
  )
}

const columns: readonly Column<AuditExportJob>[] = [
  {
    label: 'What',
    cell: ({ filters }) => (
      <>
        {filters.kind === 'requests' ? 'Usage log' : 'Audit trail'}
        <div className="quiet small">{filterWords(filters)}</div>
      </>
    ),
  },
  { label: 'State', cell: (job) => <Progressing job={job} /> },
  {
    ...{ label: 'Rows', isRight: true },
    cell: ({ row_count }) => (
      <span className="amount">{row_count === null ? '–' : integer(row_count)}</span>
    ),
  },
  { label: 'Asked for', cell: ({ created_at }) => <Time at={created_at} as="relative" /> },
]

type OnJob = Act<string, void>

function actionsColumn(download: OnJob, again: OnJob): Column<AuditExportJob> {
  return {
    ...{ label: '', isRight: true },
    cell: (job) => (
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        {job.result_url !== null && (
          <Button
            {...{
              variant: 'default',
              size: 'xs',
              leftSection: <Icon name="download" size={12} />,
            }}
            onClick={() => void download.run(job.id)}
          >
            Download
          </Button>
        )}
        {isOver(job) && (
          <PermittedButton
            {...{ scope: 'audit:write', variant: 'default', size: 'xs' }}
            onClick={() => void again.run(job.id)}
          >
            Repeat
          </PermittedButton>
        )}
      </Group>
    ),
  }
}

function Progressing({ job }: { readonly job: AuditExportJob }) {
  if (job.status === 'completed') return <Status tone="good">completed</Status>
  if (job.status === 'failed') {
    return (
      <>
        <Status tone="alert">failed</Status> <span className="quiet small">{job.error}</span>
      </>
    )
  }
  const words =
    job.status === 'queued'
      ? 'Waits for its turn'
      : `${integer(job.row_count ?? 0)} rows are written`
  return (
    <div role="status">
      <div className="small">{words}</div>
      <Progress.Root size="xs">
        <Progress.Section
          value={100}
          animated
          aria-label="The export runs"
          aria-valuetext={words}
        />
      </Progress.Root>
    </div>
  )
}

function filterWords(filters: AuditExportJob['filters']): string {
  const { from, to } = filters
  const day = (instant: string | null) =>
    instant === null ? null : showDate(Date.parse(instant), 'day', currentZone())
  const span = [from && `from ${day(from)}`, to && `to ${day(to)}`]
  const rest = Object.entries(filters)
    .filter(([name]) => !['kind', 'from', 'to'].includes(name))
    .map(([name, value]) => value && `${name} ${value}`)
  return [...span, ...rest].filter(Boolean).join(', ') || 'everything'
}
