import { Button, Group, Modal, Progress, Stack, Text } from '@mantine/core'
import type { AuditExportJob } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, gateway } from '../../api.ts'
import { Icon } from '../../components/icons.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { useAct } from '../../data/act.ts'
import { askedOf } from '../../data/asked.ts'
import { useRead } from '../../data/read.ts'
import type { Filters } from '../../data/search.ts'
import type { Span } from '../../data/span.ts'
import { integer } from '../../format/numbers.ts'
import { useSession } from '../../session/session.tsx'

interface ExportButtonProps {
  readonly span: Span
  readonly filters: Filters
}

/** Exports the requests behind the screen as CSV, with the same filters. */
export function ExportButton({ span, filters }: ExportButtonProps) {
  const { can } = useSession()
  const [jobId, setJobId] = useState<string | null>(null)
  const [isOpen, setOpen] = useState(false)
  const begin = useAct(async () => {
    const body = {
      ...{ kind: 'requests' as const, ...span, ...askedOf(filters) },
    }
    const { data } = await acting.audit.createExport(
      body as Parameters<typeof acting.audit.createExport>[0],
    )
    setJobId(data.id)
  })
  if (!can('audit:write')) return null
  return (
    <>
      <Button
        {...{ variant: 'default', leftSection: <Icon name="download" /> }}
        onClick={() => {
          setOpen(true)
          setJobId(null)
          void begin.run()
        }}
      >
        Export CSV
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Export as CSV">
        {begin.problem && <ProblemNotice error={begin.problem} retry={() => void begin.run()} />}
        {!begin.problem && <ExportState jobId={jobId} />}
      </Modal>
    </>
  )
}

const pollMs = 2000

function ExportState({ jobId }: { readonly jobId: string | null }) {
  const [isDone, setDone] = useState(false)
  const job = useRead<AuditExportJob>(
    ['exports', jobId],
    async (options) => {
      const answer = await gateway.audit.getExport({ job_id: jobId ?? '' }, options)
      setDone(['completed', 'failed'].includes(answer.data.status))
      return answer
    },
    { isEnabled: jobId !== null, isLive: !isDone, everyMs: pollMs },
  )
  if (job.error) return <ProblemNotice error={job.error} retry={() => void job.refetch()} />
  const { data } = job
  if (!data || data.status === 'queued' || data.status === 'running') {
    return (
      <Stack gap="sm" role="status" aria-busy="true">
        <Text size="sm">
          {data?.status === 'running'
            ? 'Preparing the file…'
            : 'Waiting for other exports to finish…'}
        </Text>
        <Progress value={100} animated aria-label="Progress of the export" />
      </Stack>
    )
  }
  if (data.status === 'failed') {
    return (
      <div className="notice" data-kind="alert" role="alert">
        The export failed{data.error ? `: ${data.error}` : '.'}
      </div>
    )
  }
  return (
    <Group justify="space-between">
      <Text size="sm" role="status">
        The file has {integer(data.row_count ?? 0)} requests.
      </Text>
      {data.result_url && (
        <Button
          component="a"
          href={data.result_url}
          download
          leftSection={<Icon name="download" />}
        >
          Download
        </Button>
      )}
    </Group>
  )
}
