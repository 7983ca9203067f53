import { Button, Select, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { SelectFilter } from '../../../../src/components/forms/filters.tsx'
import { textOf } from '../../../../src/components/forms/forms.ts'
import { ClearFilters } from '../../../../src/components/forms/text-filter.tsx'
import { useFilters } from '../../../../src/data/search.ts'
import { isLookUp, lookUps, shownOf } from './look-ups.ts'

const states = [
  { value: 'SUSPENDED', label: 'Suspended' },
  { value: 'CLOSED', label: 'Closed' },
  { value: 'NEGATIVE', label: 'Negative balance' },
  { value: 'LOW', label: 'Credits run low' },
  { value: 'PAST_DUE', label: 'Past due' },
  { value: 'DISPUTED', label: 'Disputed' },
]

const tiers = [
  ...['STARTER', 'GROWTH', 'PROFESSIONAL', 'BUSINESS', 'ENTERPRISE', 'SCALE'].map((value) => ({
    value,
    label: value.charAt(0) + value.slice(1).toLowerCase(),
  })),
]

const orders = [
  { value: 'LOWEST_BALANCE', label: 'Lowest balance' },
  { value: 'HIGHEST_BALANCE', label: 'Highest balance' },
]

const names = ['state', 'tier', 'order', 'by', 'find'] as const

/** Narrows the list, or finds accounts by a whole text. */
export function Filters() {
  const { filters } = useFilters()
  const isLooking = isLookUp(filters.by) && Boolean(filters.find)
  // The graph orders by balances what a filter or a tier has narrowed.
  const isOrdered = Boolean(filters.state ?? filters.tier)
  return (
    <div className="filters">
      <Finder key={`${filters.by} ${filters.find}`} />
      {!isLooking && (
        <>
          <SelectFilter label="State" name="state" data={states} />
          <SelectFilter label="Tier" name="tier" data={tiers} />
          {isOrdered && (
            <SelectFilter label="Order" name="order" data={orders} placeholder="Newest" />
          )}
        </>
      )}
      <ClearFilters names={names} />
    </div>
  )
}

const byName = { label: 'Name or mail', example: 'A part of it' }

/** Finds by a part of the name, or by a whole mail address, key prefix, external id or account id. */
function Finder() {
  const { filters, set } = useFilters()
  const [by, setBy] = useState(isLookUp(filters.by) ? filters.by : null)
  const { example } = by === null ? byName : lookUps[by]
  function find(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const text = shownOf(textOf(new FormData(event.currentTarget), 'find'))
    set({ find: text, by: text && by ? by : undefined })
  }
  return (
    <form className="finder" onSubmit={find}>
      <Select
        {...{ label: 'Find by', size: 'xs', w: 160, allowDeselect: false, value: by ?? 'name' }}
        data={[
          { value: 'name', label: byName.label },
          ...Object.entries(lookUps).map(([value, { label }]) => ({ value, label })),
        ]}
        onChange={(value) => setBy(isLookUp(value ?? undefined) ? (value as typeof by) : null)}
      />
      <TextInput
        {...{ name: 'find', size: 'xs', w: 220, defaultValue: filters.find ?? '' }}
        {...{ 'aria-label': 'Text to find', placeholder: example }}
      />
      <Button type="submit" size="xs" variant="default">
        Find
      </Button>
    </form>
  )
}
