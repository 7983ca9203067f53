import { Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../data/act.ts'
import { fieldErrors } from '../problem.tsx'
import { BudgetFields, type BudgetInput, inputsOf } from './budget-fields.tsx'
import { FormDialog } from './form-dialog.tsx'

interface BudgetsDialogProps {
  readonly title: string
  /** Whose calls the budgets limit. */
  readonly note: string
  readonly budgets: readonly BudgetInput[]
  /** Replaces all budgets by these. */
  readonly save: (budgets: BudgetInput[]) => Promise<void>
  readonly onClose: () => void
}

/** Changes all budgets of a customer, or of the account. */
export function BudgetsDialog({ title, note, budgets, save, onClose }: BudgetsDialogProps) {
  const [input, setInput] = useState([...inputsOf(budgets)])
  const act = useAct(async () => {
    await save(input)
    onClose()
  })
  return (
    <FormDialog
      {...{ title, submit: 'Save budgets', size: 'lg', onClose }}
      {...{ isBusy: act.isBusy, problem: act.problem, fields: ['budgets'] }}
      onSubmit={() => void act.run()}
    >
      <Text size="sm">
        {note} A period that already has a budget keeps its use. A new limit needs a fresh proof
        that it is you.
      </Text>
      <BudgetFields
        {...{ budgets: input, onChange: setInput }}
        error={fieldErrors(act.problem).budgets}
      />
    </FormDialog>
  )
}
