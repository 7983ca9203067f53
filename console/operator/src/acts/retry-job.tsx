import { Button } from '@mantine/core'
import { useState } from 'react'
import { integer } from '../../../src/format/numbers.ts'
import { ask, type Body } from '../api.ts'
import { actMs } from '../data/act.ts'
import { ActDialog } from './act-dialog.tsx'

export type DeadJob = Body<'DeadJobs'>[number]

/** Tries a job again that failed too often. */
export function RetryJobButton({ job }: { readonly job: DeadJob }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="default" size="compact-xs" onClick={() => setOpen(true)}>
        Retry
      </Button>
      {isOpen && (
        <ActDialog
          {...{ title: 'Try a job again', submit: 'Retry', onClose: () => setOpen(false) }}
          changes={[{ what: job.operation, before: 'dead', after: 'due now' }]}
          act={(sent) => ask('RetryJobs', { input: { ...sent, id: job.id } }, { timeoutMs: actMs })}
          changed={({ deadBefore, deadAfter }) => [
            { what: 'Dead jobs', before: integer(deadBefore), after: integer(deadAfter) },
          ]}
        >
          <p>It failed: {job.reason}</p>
        </ActDialog>
      )}
    </>
  )
}
