import { Button, Group, Modal, Stack, Textarea } from '@mantine/core'
import { ConnectionError } from 'credit-gateway-sdk'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ProblemNotice } from '../../../src/components/problem.tsx'
import { useAct } from '../data/act.ts'
import { type Change, Changes } from './changes.tsx'

/** What every act sends beside its own input. */
export interface Sent {
  readonly reason: string
  /** Made when the dialog opens: the act that is sent twice has one effect. */
  readonly idempotencyKey: string
}

interface ActDialogProps<Result> {
  readonly title: string
  /** The label of the button: it names the act. */
  readonly submit: string
  /** Whether the act takes something away. */
  readonly isDangerous?: boolean
  /** Whether the inputs are filled in. */
  readonly isReady?: boolean
  /** What the act will change, by what the page knows. */
  readonly changes: readonly Change[]
  readonly act: (sent: Sent) => Promise<Result>
  /** What the act has changed, by its answer. */
  readonly changed: (result: Result) => readonly Change[]
  /** Shown in place of what was changed. */
  readonly shown?: (result: Result) => ReactNode
  readonly onClose: () => void
  /** The consequences, and the inputs of the act. */
  readonly children?: ReactNode
}

const maxReason = 200

/**
 * Asks for the reason of an act and shows what it changes, then what it has changed. While an answer is
 * missing, the act can only be sent again as it was.
 */
export function ActDialog<Result>(props: ActDialogProps<Result>) {
  const { title, submit, changes, act, changed, shown, onClose, children } = props
  const { isDangerous = false, isReady = true } = props
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const [reason, setReason] = useState('')
  const [done, setDone] = useState<{ readonly result: Result } | null>(null)
  const sending = useAct(async () => {
    setDone({ result: await act({ reason: reason.trim(), idempotencyKey }) })
  })
  const isUnsure = sending.problem instanceof ConnectionError
  function send(event: FormEvent) {
    event.preventDefault()
    // React passes the event of an inner form on to the outer one, which must not get it.
    event.stopPropagation()
    void sending.run()
  }
  if (done) {
    return shown ? (
      shown(done.result)
    ) : (
      <Done {...{ title, changes: changed(done.result), onClose }} />
    )
  }
  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      <form onSubmit={send}>
        <Stack gap="md">
          <fieldset className="act" disabled={sending.isBusy || isUnsure}>
            <Stack gap="md">
              {children}
              <Textarea
                {...{ label: 'Reason', required: true, withAsterisk: false, maxLength: maxReason }}
                {...{ value: reason, autosize: true, minRows: 2 }}
                description="The audit trail of the account keeps it with your name."
                onChange={({ currentTarget }) => setReason(currentTarget.value)}
              />
            </Stack>
          </fieldset>
          <Changes title="What changes" changes={changes} />
          {isUnsure && (
            <div className="notice" data-kind="caution" role="status">
              Nobody knows yet whether this was done. Send it again: it takes effect once.
            </div>
          )}
          {sending.problem && <ProblemNotice error={sending.problem} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={sending.isBusy}
              disabled={!isReady || reason.trim() === ''}
              {...(isDangerous ? { color: 'red' } : {})}
            >
              {isUnsure ? 'Send again' : submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

interface DoneProps {
  readonly title: string
  readonly changes: readonly Change[]
  readonly onClose: () => void
}

function Done({ title, changes, onClose }: DoneProps) {
  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      <Stack gap="md">
        <div className="notice" data-kind="good" role="status">
          Done. The audit trail has it with your name and reason.
        </div>
        <Changes title="What has changed" changes={changes} />
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            Close
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
