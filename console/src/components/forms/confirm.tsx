import { TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { FormDialog } from './form-dialog.tsx'

interface ConfirmProps {
  /** The question: "Revoke this key?" */
  readonly title: string
  /** The consequence: what stops working. */
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
export function Confirm({ children, action, name, onConfirm, ...props }: ConfirmProps) {
  const [typed, setTyped] = useState('')
  const isReady = name === undefined || typed.trim() === name.trim()
  return (
    <FormDialog {...props} submit={action} isDangerous isReady={isReady} onSubmit={onConfirm}>
      <div>{children}</div>
      {name !== undefined && (
        <TextInput
          {...{ label: `Type “${name}” to confirm`, value: typed, 'data-autofocus': true }}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </FormDialog>
  )
}
