import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { queries } from '../../api.ts'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { useAct } from '../../data/act.ts'

interface CancelProps {
  readonly title: string
  /** The label of the button that keeps what there is. */
  readonly keep: string
  readonly act: () => Promise<unknown>
  readonly onClose: () => void
  /** Says what ends, and when. */
  readonly children: ReactNode
}

/** Asks whether something ends with its period. */
export function Cancel({ title, keep, act, onClose, children }: CancelProps) {
  const cancel = useAct(async () => {
    await act()
    await queries.invalidateQueries({ queryKey: ['overview'] })
    await queries.invalidateQueries({ queryKey: ['billing'] })
    onClose()
  })
  return (
    <FormDialog
      {...{ title, submit: title, dismiss: keep, onClose, isDangerous: true }}
      {...{ isBusy: cancel.isBusy, problem: cancel.problem }}
      onSubmit={() => void cancel.run()}
    >
      <Text size="sm">{children}</Text>
    </FormDialog>
  )
}
