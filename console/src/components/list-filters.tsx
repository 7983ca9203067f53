import { Button, NativeSelect, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFilters } from '../data/search.ts'

interface FilterBarProps {
  /** The names of the filters in the address. */
  readonly names: readonly string[]
  readonly children: ReactNode
}

/** The filters above a list. They stand in the address, and can be cleared together. */
export function FilterBar({ names, children }: FilterBarProps) {
  const { filters, set } = useFilters()
  const isFiltered = names.some((name) => filters[name])
  const clear = () => set(Object.fromEntries(names.map((name) => [name, undefined])))
  return (
    <search className="filter-bar">
      {children}
      {isFiltered && (
        <Button variant="subtle" size="sm" onClick={clear}>
          Clear filters
        </Button>
      )}
    </search>
  )
}

interface FilterProps {
  /** Its name in the address, which is its name in the API. */
  readonly name: string
  readonly label: string
}

interface ChoiceProps extends FilterProps {
  /** Values, or values with words for them. */
  readonly options: readonly (string | { readonly value: string; readonly label: string })[]
  /** What no choice means. */
  readonly all: string
}

export function ChoiceFilter({ name, label, options, all }: ChoiceProps) {
  const { filters, set } = useFilters()
  const choices = options.map((one) => (typeof one === 'string' ? { value: one, label: one } : one))
  return (
    <NativeSelect
      {...{ label, size: 'sm', value: filters[name] ?? '' }}
      data={[{ value: '', label: all }, ...choices]}
      onChange={({ currentTarget }) => set({ [name]: currentTarget.value || undefined })}
    />
  )
}

/** Applies when it is left, or by Enter. */
export function TextFilter({
  name,
  label,
  placeholder,
}: FilterProps & { readonly placeholder?: string }) {
  const { filters, set } = useFilters()
  const value = filters[name] ?? ''
  const apply = (text: string) => {
    if (text.trim() !== value) set({ [name]: text.trim() || undefined })
  }
  return (
    <TextInput
      key={value}
      {...{ label, size: 'sm', defaultValue: value, placeholder: placeholder ?? '' }}
      onBlur={({ currentTarget }) => apply(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Enter') apply(currentTarget.value)
      }}
    />
  )
}

/** An instant by the reader's own clock. The address has it in UTC. */
export function InstantFilter({ name, label }: FilterProps) {
  const { filters, set } = useFilters()
  const value = localInput(filters[name])
  const apply = (text: string) => {
    if (text !== value) set({ [name]: text ? new Date(text).toISOString() : undefined })
  }
  return (
    <TextInput
      key={value}
      {...{ label, size: 'sm', type: 'datetime-local', defaultValue: value }}
      onBlur={({ currentTarget }) => apply(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Enter') apply(currentTarget.value)
      }}
    />
  )
}

/** What an input of local time shows of an instant: `2026-01-31T09:30`. */
export function localInput(instant: string | undefined): string {
  const ms = Date.parse(instant ?? '')
  if (Number.isNaN(ms)) return ''
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
