import { Autocomplete } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ExternalIdPage } from 'credit-gateway-sdk'
import { gateway } from '../../api.ts'
import { SpendBar } from '../../components/charts/spend-bar.tsx'
import { useRead } from '../../data/read.ts'

const typingMs = 300
const maxSuggestions = 20

interface CustomerFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

/** The customer whose key it is. Known ones are suggested, with the budgets that their keys share. */
export function CustomerField({ value, onChange, error }: CustomerFieldProps) {
  const [q] = useDebouncedValue(value.trim(), typingMs)
  const found = useRead<ExternalIdPage>(
    ['external-ids', 'suggested', q],
    (options) =>
      gateway.account.listExternalIds({ limit: maxSuggestions, ...(q ? { q } : {}) }, options),
    { scopes: ['keys:read'], keepsPrevious: true },
  )
  const items = found.data?.items ?? []
  const known = items.find(({ external_id: id }) => id === value)
  return (
    <div>
      <Autocomplete
        {...{ label: 'Customer', placeholder: 'acme', value, onChange, error }}
        description="Your own ID for the customer, team or agent that uses the key, without spaces. Keys of one customer share its budgets."
        data={items.map(({ external_id: id }) => id)}
        maxLength={128}
      />
      {known && known.budgets.length > 0 && (
        <div className="boxed-note small">
          All keys of {known.external_id} together:
          {known.budgets.map((budget) => (
            <SpendBar key={budget.period} budget={budget} />
          ))}
        </div>
      )}
    </div>
  )
}
