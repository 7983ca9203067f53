import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ProblemNotice } from './problem.tsx'

interface ConfirmProps {
  /** The question: "Revoke this key?" */
  readonly title: string
  /** What breaks. */
  readonly children: ReactNode
  /** The label of the button: "Revoke". */
  readonly action: string
  /** A name that must be typed first. */
  readonly name?: string
  readonly isBusy: boolean
  readonly problem: Error | null
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before something that cannot be undone. */
export function Confirm({ title, children, action, name, ...props }: ConfirmProps) {
  const [typed, setTyped] = useState('')
  const isTyped = name === undefined || typed.trim() === name.trim()
  return (
    <Modal opened onClose={props.onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isTyped) props.onConfirm()
        }}
      >
        <Stack gap="md">
          <div>{children}</div>
          {name !== undefined && (
            <TextInput
              {...{ label: `Type “${name}” to confirm`, value: typed, 'data-autofocus': true }}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          )}
          {props.problem && <ProblemNotice error={props.problem} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={props.onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red" loading={props.isBusy} disabled={!isTyped}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
