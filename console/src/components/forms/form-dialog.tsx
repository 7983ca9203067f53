import { Button, Group, Modal, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { ProblemNotice } from '../problem.tsx'

interface FormDialogProps {
  readonly title: string
  readonly onClose: () => void
  /** The values of the inputs, by their names. */
  readonly onSubmit: (values: FormData) => void
  /** The label of the button: it names the action. */
  readonly submit: string
  readonly isBusy: boolean
  readonly problem: Error | null
  /** The inputs that show their own problems. */
  readonly fields?: readonly string[]
  /** Whether the action deletes something. */
  readonly isDangerous?: boolean
  readonly isReady?: boolean
  /** The label of the button that closes the dialog and changes nothing. */
  readonly dismiss?: string
  readonly size?: string
  readonly children: ReactNode
}

/** A dialog with a form. It stays open until the action succeeds or the person closes it. */
export function FormDialog(props: FormDialogProps) {
  const { title, onClose, onSubmit, submit, isBusy, problem, fields, children } = props
  const { isDangerous = false, isReady = true, size = 'md', dismiss = 'Cancel' } = props
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // React passes the event of an inner form on to the outer one, which must not get it.
    event.stopPropagation()
    onSubmit(new FormData(event.currentTarget))
  }
  return (
    <Modal opened onClose={onClose} title={title} size={size}>
      <form onSubmit={send}>
        <Stack gap="md">
          {children}
          {problem && <ProblemNotice error={problem} fields={fields ?? []} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {dismiss}
            </Button>
            <Button
              type="submit"
              loading={isBusy}
              disabled={!isReady}
              {...(isDangerous ? { color: 'red' } : {})}
            >
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

export { countOf, instantOf, textOf } from './forms.ts'
