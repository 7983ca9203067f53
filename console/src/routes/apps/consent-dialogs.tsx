import { Checkbox, Text } from '@mantine/core'
import type { Budget, GrantedConsent } from 'credit-gateway-sdk'
import { acting, queries } from '../../api.ts'
import { AmountInput } from '../../components/forms/amount-input.tsx'
import { countOf, FormDialog } from '../../components/forms/form-dialog.tsx'
import { fieldErrors } from '../../components/problem.tsx'
import { useAct } from '../../data/act.ts'
import { nameOf } from '../../format/app-name.ts'

interface ConsentDialogProps {
  readonly consent: GrantedConsent
  readonly onClose: () => void
}

const periods: readonly (readonly [Budget['period'], string])[] = [
  ['day', 'A day'],
  ['week', 'A week'],
  ['month', 'A month'],
  ['total', 'In total'],
]

const readAgain = () => queries.invalidateQueries({ queryKey: ['consents'] })

export function ChangeBudgets({ consent, onClose }: ConsentDialogProps) {
  const { client_id, budgets } = consent
  const change = useAct(async (values: FormData) => {
    const enforce = values.get('enforce') !== null
    const asked = periods.flatMap(([period]) => {
      const limit_credits = countOf(values, period)
      return limit_credits === null ? [] : [{ period, limit_credits, enforce }]
    })
    await acting.oauthApps.changeConsent({ client_id, budgets: asked })
    await readAgain()
    onClose()
  })
  const errors = fieldErrors(change.problem)
  return (
    <FormDialog
      {...{ title: `Budget of ${nameOf(consent)}`, submit: 'Save budget', onClose }}
      {...{ isBusy: change.isBusy, problem: change.problem, fields: ['budgets'] }}
      onSubmit={(values) => void change.run(values)}
    >
      <Text size="sm">
        The credits that the app may spend. An empty input sets no limit. A period that already has
        a budget keeps its use.
      </Text>
      {periods.map(([period, label]) => (
        <AmountInput
          key={period}
          {...{ name: period, label, unit: 'credits' }}
          initial={budgets.find((one) => one.period === period)?.limit_credits ?? null}
        />
      ))}
      {errors.budgets && <div className="field-error small">{errors.budgets}</div>}
      <Checkbox
        {...{ name: 'enforce', label: 'Refuse calls beyond it' }}
        description="Without this, you only get a message when the budget is used up."
        defaultChecked={budgets.every(({ enforce }) => enforce)}
      />
    </FormDialog>
  )
}

export function WithdrawConsent({ consent, onClose }: ConsentDialogProps) {
  const { client_id } = consent
  const withdraw = useAct(async () => {
    await acting.oauthApps.withdrawConsent({ client_id })
    await readAgain()
    onClose()
  })
  return (
    <FormDialog
      {...{ title: 'Withdraw access', submit: 'Withdraw access', onClose, isDangerous: true }}
      {...{ isBusy: withdraw.isBusy, problem: withdraw.problem }}
      onSubmit={() => void withdraw.run()}
    >
      <Text size="sm">
        After this, {nameOf(consent)} can no longer act for this account: all of its tokens stop
        working at once, also in calls that it makes while nobody is there. People who want to use
        it again are asked once more.
      </Text>
    </FormDialog>
  )
}
