import { Button, TextInput } from '@mantine/core'
import { useFilters } from '../../data/search.ts'

interface TextFilterProps {
  /** The name of the filter in the address. */
  readonly name: string
  readonly label: string
  readonly placeholder?: string
}

/** A filter that people type. It applies on Enter, and when the input loses the focus. */
export function TextFilter({ name, label, placeholder = '' }: TextFilterProps) {
  const { filters, set } = useFilters()
  const value = filters[name] ?? ''
  const apply = (text: string) => {
    if (text.trim() !== value) set({ [name]: text.trim() || undefined })
  }
  return (
    <TextInput
      key={value}
      {...{ label, placeholder, size: 'xs', w: 170, defaultValue: value }}
      onBlur={({ currentTarget }) => apply(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Enter') apply(currentTarget.value)
      }}
    />
  )
}

/** A button that removes all of these filters. It is shown while any is set. */
export function ClearFilters({ names }: { readonly names: readonly string[] }) {
  const { filters, set } = useFilters()
  if (!names.some((name) => filters[name])) return null
  return (
    <Button
      {...{ variant: 'subtle', size: 'xs' }}
      onClick={() => set(Object.fromEntries(names.map((name) => [name, undefined])))}
    >
      Clear filters
    </Button>
  )
}
