import { Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import type { ApiKey } from 'credit-gateway-sdk'
import { gateway } from '../../api.ts'
import { CustomerFilter } from '../../components/forms/found-filters.tsx'
import { List } from '../../components/list.tsx'
import { Screen } from '../../components/screen.tsx'
import { useList } from '../../data/read.ts'
import { useFilters } from '../../data/search.ts'
import { CreateKey } from './create-key.tsx'
import { keyColumns } from './key-columns.tsx'

const typingMs = 300

const states = ['active', 'disabled', 'expired', 'revoked']

export default function Keys() {
  const { filters } = useFilters()
  const navigate = useNavigate()
  const asked = {
    ...(filters.q ? { q: filters.q } : {}),
    ...(filters.status ? { status: filters.status } : {}),
    ...(filters.customer ? { external_id: filters.customer } : {}),
  }
  const page = useList<ApiKey>(
    ['keys', asked],
    (input, options) =>
      gateway.keys.list({ ...asked, ...input } as Parameters<typeof gateway.keys.list>[0], options),
    { scopes: ['keys:read'] },
  )
  const isNarrowed = Object.keys(asked).length > 0

  return (
    <Screen title="API keys" actions={<CreateKey {...customerOf(filters.customer)} />}>
      <Filters />
      <div className="card">
        <List<ApiKey>
          {...{ name: 'API keys', page, columns: keyColumns, keyOf: ({ id }) => id }}
          onOpen={({ id }) => void navigate({ to: '/keys/$keyId', params: { keyId: id } as never })}
          empty={
            isNarrowed
              ? 'No key fits.'
              : 'You have no keys yet. Your programs call the API with a key: create one.'
          }
        />
      </div>
    </Screen>
  )
}

const customerOf = (customer: string | undefined) => (customer ? { customer } : {})

function Filters() {
  const { filters, set, replace } = useFilters()
  const search = useDebouncedCallback((q: string) => replace({ q: q || undefined }), typingMs)
  return (
    <div className="filters">
      <TextInput
        {...{ label: 'Search', placeholder: 'Name, prefix or last four', size: 'xs', w: 240 }}
        defaultValue={filters.q ?? ''}
        onChange={(event) => search(event.currentTarget.value.trim())}
      />
      <Select
        {...{
          label: 'Status',
          placeholder: 'All',
          size: 'xs',
          w: 140,
          data: states,
          clearable: true,
        }}
        clearButtonProps={{ 'aria-label': 'Clear status' }}
        value={filters.status ?? null}
        onChange={(value) => set({ status: value ?? undefined })}
      />
      <CustomerFilter />
    </div>
  )
}
