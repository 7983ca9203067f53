import { Button, Group, Modal, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { ProblemNotice } from '../problem.tsx'

interface FormDialogProps {
  readonly title: string
  readonly onClose: () => void
  /** The values of the inputs, by their names. */
  readonly onSubmit: (values: FormData) => void
  /** What the button says: the act. */
  readonly submit: string
  readonly isBusy: boolean
  readonly problem: Error | null
  /** The inputs that show their own problems. */
  readonly fields?: readonly string[]
  /** Whether something is lost by it. */
  readonly isDangerous?: boolean
  readonly isReady?: boolean
  readonly size?: string
  readonly children: ReactNode
}

/** A dialog with a form. It stays open until the act has succeeded, or is closed. */
export function FormDialog(props: FormDialogProps) {
  const { title, onClose, onSubmit, submit, isBusy, problem, fields, children } = props
  const { isDangerous = false, isReady = true, size = 'md' } = props
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // A form inside of another one, as React sees it, is none of the outer one's.
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
              Cancel
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

export { instantOf, numberOf, textOf } from './forms.ts'
