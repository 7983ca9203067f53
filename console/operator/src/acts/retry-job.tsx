import { integer } from '../../../src/format/numbers.ts'
import { ask, type Body } from '../api.ts'
import { actMs } from '../data/act.ts'
import { ActButton } from './act-button.tsx'
import { ActDialog } from './act-dialog.tsx'

export type DeadJob = Body<'DeadJobs'>[number]

/** Tries a job again that failed too often. */
export function RetryJobButton({ job }: { readonly job: DeadJob }) {
  return (
    <ActButton
      label="Retry"
      dialog={(onClose) => (
        <ActDialog
          {...{ title: 'Try a job again', submit: 'Retry', onClose }}
          changes={[{ what: job.operation, before: 'dead', after: 'due now' }]}
          act={(sent) => ask('RetryJobs', { input: { ...sent, id: job.id } }, { timeoutMs: actMs })}
          changed={({ deadBefore, deadAfter }) => [
            { what: 'Dead jobs', before: integer(deadBefore), after: integer(deadAfter) },
          ]}
        >
          <p>It failed: {job.reason}</p>
        </ActDialog>
      )}
    />
  )
}
