import { TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ask } from '../api.ts'
import { actMs } from '../data/act.ts'
import type { AccountHead } from '../data/shown.ts'
import { ActDialog } from './act-dialog.tsx'

interface StateActProps {
  readonly account: AccountHead
  readonly onClose: () => void
}

interface StatusActProps extends StateActProps {
  readonly operation: 'SuspendAccount' | 'ResumeAccount' | 'CloseAccount'
  readonly title: string
  readonly submit: string
  readonly to: string
  readonly isDangerous?: boolean
  /** Whether the name of the account must be typed first. */
  readonly isNamed?: boolean
  readonly children: ReactNode
}

/** Changes whether the account is accepted. */
function StatusAct(props: StatusActProps) {
  const { account, operation, to, isNamed = false, children, ...dialog } = props
  const [typed, setTyped] = useState('')
  const word = (status: string) => status.toLowerCase()
  return (
    <ActDialog
      {...dialog}
      isReady={!isNamed || typed.trim() === account.name.trim()}
      changes={[{ what: 'Status', before: word(account.status), after: to }]}
      act={(sent) => ask(operation, { id: account.id, ...sent }, { timeoutMs: actMs })}
      changed={({ status, before }) => [
        { what: 'Status', before: word(before?.status ?? account.status), after: word(status) },
      ]}
    >
      <p>{children}</p>
      {isNamed && (
        <TextInput
          {...{ label: `Type “${account.name}” to confirm`, value: typed, 'data-autofocus': true }}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      )}
    </ActDialog>
  )
}

export function SuspendAccount(props: StateActProps) {
  return (
    <StatusAct
      {...{ ...props, operation: 'SuspendAccount', title: 'Suspend the account' }}
      {...{ submit: 'Suspend', to: 'suspended', isDangerous: true }}
    >
      Every call of the account is refused until it is resumed. Its data stay.
    </StatusAct>
  )
}

export function ResumeAccount(props: StateActProps) {
  return (
    <StatusAct
      {...{ ...props, operation: 'ResumeAccount', title: 'Resume the account' }}
      {...{ submit: 'Resume', to: 'active' }}
    >
      The calls of the account are accepted again.
    </StatusAct>
  )
}

export function CloseAccount(props: StateActProps) {
  return (
    <StatusAct
      {...{ ...props, operation: 'CloseAccount', title: 'Close the account' }}
      {...{ submit: 'Close the account', to: 'closed', isDangerous: true, isNamed: true }}
    >
      Every call of the account is refused from now on.
    </StatusAct>
  )
}
