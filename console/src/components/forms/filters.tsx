import { Button, Group, Popover, Select, Stack } from '@mantine/core'
import '@mantine/dates/styles.css'
import { DateTimePicker } from '@mantine/dates'
import { useState } from 'react'
import { useFilters } from '../../data/search.ts'
import { type SpanName, spans } from '../../data/span.ts'
import { fromInput, nameZone, toInput } from '../../format/dates.ts'
import { useZone } from '../../format/zone.ts'

interface SelectFilterProps {
  readonly label: string
  /** The name of the filter in the address. */
  readonly name: string
  readonly data: readonly (string | { readonly value: string; readonly label: string })[]
  /** The text while nothing is chosen. */
  readonly placeholder?: string
  /** Whether typing finds a choice: for many of them. */
  readonly isSearchable?: boolean
}

/** One filter of a screen. Its value is in the address. */
export function SelectFilter({
  label,
  name,
  data,
  placeholder = 'All',
  isSearchable = false,
}: SelectFilterProps) {
  const { filters, set } = useFilters()
  return (
    <Select
      {...{ label, placeholder, data: [...data], size: 'xs', w: 160, clearable: true }}
      {...(isSearchable && { searchable: true, nothingFoundMessage: 'Nothing fits', w: 210 })}
      clearButtonProps={{ 'aria-label': `Clear ${label.toLowerCase()}` }}
      value={filters[name] ?? null}
      onChange={(value) => set({ [name]: value ?? undefined })}
    />
  )
}

export const statusClasses = [
  { value: '2xx', label: '2xx success' },
  { value: '3xx', label: '3xx redirect' },
  { value: '4xx', label: '4xx refused' },
  { value: '5xx', label: '5xx failed' },
]

interface TimeFilterProps {
  /** The value if the address has none. */
  readonly fallback: SpanName | null
  readonly names: readonly SpanName[]
}

const custom = 'custom'

/** The period that a screen shows: a span that ends now, or one between two instants. */
export function TimeFilter({ fallback, names }: TimeFilterProps) {
  const { filters, set } = useFilters()
  const zone = useZone()
  const [isOpen, setOpen] = useState(false)
  const isCustom = filters.from !== undefined || filters.to !== undefined
  const [from, setFrom] = useState(localOf(filters.from, zone))
  const [to, setTo] = useState(localOf(filters.to, zone))
  const data = [
    ...(fallback === null ? [{ value: 'all', label: 'All time' }] : []),
    ...names.map((value) => ({ value, label: spans[value].label })),
    { value: custom, label: isCustom ? 'Between two times' : 'Between…' },
  ]
  function choose(value: string | null) {
    if (value === custom) return setOpen(true)
    set({
      span: value === fallback || value === 'all' ? undefined : (value ?? undefined),
      from: undefined,
      to: undefined,
    })
  }
  function apply() {
    setOpen(false)
    set({ span: undefined, from: instantOf(from, zone), to: instantOf(to, zone) })
  }
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      trapFocus
      withinPortal
      withRoles={false}
      position="bottom-start"
      shadow="md"
    >
      <Popover.Target>
        <div>
          <Select
            {...{ label: 'Time', size: 'xs', w: 170, data, allowDeselect: false }}
            value={isCustom ? custom : (filters.span ?? fallback ?? 'all')}
            onChange={choose}
          />
        </div>
      </Popover.Target>
      <Popover.Dropdown aria-label="Time between">
        <Stack gap="xs">
          <DateTimePicker
            {...{ label: 'From', size: 'xs', w: 220, clearable: true, value: from }}
            {...{ onChange: setFrom, popoverProps: { withinPortal: false } }}
          />
          <DateTimePicker
            {...{ label: 'To', size: 'xs', w: 220, clearable: true, value: to }}
            {...{ onChange: setTo, popoverProps: { withinPortal: false } }}
          />
          <div className="quiet small">In {nameZone(zone, Date.now())}</div>
          <Group justify="flex-end" gap="xs">
            <Button size="xs" variant="default" onClick={() => setOpen(false)}>
              Cancel
            </Button>
            <Button size="xs" onClick={apply}>
              Apply
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

/** The picker uses the chosen time zone, the address uses UTC. */
function localOf(instant: string | undefined, zone: string): string | null {
  const ms = Date.parse(instant ?? '')
  return Number.isNaN(ms) ? null : toInput(ms, zone).replace('T', ' ')
}

function instantOf(local: string | null, zone: string): string | undefined {
  return local === null ? undefined : new Date(fromInput(local, zone)).toISOString()
}
