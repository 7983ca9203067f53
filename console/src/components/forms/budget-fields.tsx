import { ActionIcon, Button, Checkbox, Group, Input, Select, Stack } from '@mantine/core'
import type { Budget } from 'credit-gateway-sdk'
import { Icon } from '../icons.tsx'
import { AmountInput } from './amount-input.tsx'

export type BudgetInput = Pick<Budget, 'period' | 'limit_credits' | 'enforce'>

/** The inputs of the budgets that there are. */
export function inputsOf(budgets: readonly BudgetInput[]): readonly BudgetInput[] {
  return budgets.map(({ period, limit_credits, enforce }) => ({ period, limit_credits, enforce }))
}

const periods = [
  { value: 'day', label: 'a day' },
  { value: 'week', label: 'a week' },
  { value: 'month', label: 'a month' },
  { value: 'total', label: 'in total' },
] as const

interface BudgetFieldsProps {
  readonly budgets: readonly BudgetInput[]
  readonly onChange: (budgets: BudgetInput[]) => void
  readonly error: string | undefined
}

/** The inputs of budgets: at most one for each period. */
export function BudgetFields({ budgets, onChange, error }: BudgetFieldsProps) {
  const isFree = (value: Budget['period']) => !budgets.some(({ period }) => period === value)
  const free = isFree('month') ? 'month' : periods.find(({ value }) => isFree(value))?.value
  function change(index: number, part: Partial<BudgetInput>) {
    onChange(budgets.map((budget, at) => (at === index ? { ...budget, ...part } : budget)))
  }
  return (
    <fieldset className="scopes">
      <legend>Budgets</legend>
      <Stack gap="xs">
        {budgets.map((budget, index) => (
          <Group key={budget.period} gap="xs" align="flex-start">
            <AmountInput
              {...{ size: 'xs', w: 150, 'aria-label': 'Credits of the budget', required: true }}
              {...{ unit: 'credits', initial: budget.limit_credits }}
              onAmount={(amount) => change(index, { limit_credits: amount ?? 0 })}
            />
            <Select
              {...{
                size: 'xs',
                w: 120,
                'aria-label': 'Period of the budget',
                allowDeselect: false,
              }}
              data={periods.filter(({ value }) => value === budget.period || isFree(value))}
              value={budget.period}
              onChange={(value) =>
                change(index, { period: (value ?? 'month') as BudgetInput['period'] })
              }
            />
            <Checkbox
              {...{ size: 'xs', label: 'Refuse calls beyond it', checked: budget.enforce }}
              onChange={(event) => change(index, { enforce: event.currentTarget.checked })}
            />
            <ActionIcon
              aria-label={`Remove the budget of a ${budget.period}`}
              onClick={() => onChange(budgets.filter((_, at) => at !== index))}
            >
              <Icon name="close" size={14} />
            </ActionIcon>
          </Group>
        ))}
        {free && (
          <div>
            <Button
              {...{
                variant: 'default',
                size: 'compact-xs',
                leftSection: <Icon name="plus" size={12} />,
              }}
              onClick={() =>
                onChange([...budgets, { period: free, limit_credits: 1000, enforce: true }])
              }
            >
              Add a budget
            </Button>
          </div>
        )}
      </Stack>
      {error && <Input.Error mt="xs">{error}</Input.Error>}
    </fieldset>
  )
}
