import { Button, Drawer, Select, TextInput, Title } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ApiKey } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, gateway, queries } from '../../api.ts'
import { SpendBar } from '../../components/charts/spend-bar.tsx'
import { OneTimeSecret } from '../../components/forms/one-time-secret.tsx'
import { Icon } from '../../components/icons.tsx'
import { type Column, List } from '../../components/list.tsx'
import { Screen } from '../../components/screen.tsx'
import { Time } from '../../components/time.tsx'
import { type Act, useAct } from '../../data/act.ts'
import { useList } from '../../data/read.ts'
import { useFilters } from '../../data/search.ts'
import { useSession } from '../../session/session.tsx'
import { KeyForm, type KeyInput, newKey } from './key-form.tsx'
import { KeyState } from './key-state.tsx'

const typingMs = 300

const states = ['active', 'disabled', 'expired', 'revoked']

export default function Keys() {
  const { can } = useSession()
  const { filters } = useFilters()
  const navigate = useNavigate()
  const [isCreating, setCreating] = useState(false)
  const [plaintext, setPlaintext] = useState<string | null>(null)
  const asked = {
    ...(filters.q ? { q: filters.q } : {}),
    ...(filters.status ? { status: filters.status } : {}),
  }
  const page = useList<ApiKey>(
    ['keys', asked],
    (input, options) =>
      gateway.keys.list({ ...asked, ...input } as Parameters<typeof gateway.keys.list>[0], options),
    { scopes: ['keys:read'] },
  )
  const create = useAct(async (input: KeyInput) => {
    const { data } = await acting.keys.issue(input as Parameters<typeof acting.keys.issue>[0])
    setCreating(false)
    setPlaintext(data.plaintext)
    void queries.invalidateQueries({ queryKey: ['keys'] })
  })

  return (
    <Screen
      title="API keys"
      actions={
        can('keys:write') && (
          <Button leftSection={<Icon name="plus" />} onClick={() => setCreating(true)}>
            Create key
          </Button>
        )
      }
    >
      <Filters />
      <div className="card">
        <List<ApiKey>
          {...{ name: 'API keys', page, columns, keyOf: ({ id }) => id }}
          onOpen={({ id }) => void navigate({ to: '/keys/$keyId', params: { keyId: id } as never })}
          empty={
            filters.q || filters.status
              ? 'No key fits.'
              : 'There are no keys yet. Your programs call the API with a key.'
          }
        />
      </div>
      <Creation
        {...{ isOpen: isCreating, act: create }}
        onClose={() => {
          setCreating(false)
          create.reset()
        }}
      />
      {plaintext !== null && (
        <OneTimeSecret
          title="Your new API key"
          advice="Your programs send it as Authorization: Bearer. Everybody who has it can spend your credits."
          values={[['API key', plaintext]]}
          onClose={() => setPlaintext(null)}
        />
      )}
    </Screen>
  )
}

interface CreationProps {
  readonly isOpen: boolean
  readonly act: Act<KeyInput, void>
  readonly onClose: () => void
}

function Creation({ isOpen, act, onClose }: CreationProps) {
  return (
    <Drawer opened={isOpen} onClose={onClose} title={<Title order={2}>Create an API key</Title>}>
      <KeyForm
        {...{
          initial: newKey,
          action: 'Create key',
          isBusy: act.isBusy,
          problem: act.problem,
        }}
        onSubmit={(input) => void act.run(input)}
        onCancel={onClose}
      />
    </Drawer>
  )
}

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
    </div>
  )
}

const columns: readonly Column<ApiKey>[] = [
  {
    label: 'Name',
    cell: ({ id, name }) => (
      <Link to="/keys/$keyId" params={{ keyId: id } as never} className="row-link">
        <b>{name}</b>
      </Link>
    ),
  },
  {
    label: 'Key',
    cell: ({ prefix, last4 }) => (
      <span className="mono amount">
        {prefix}…{last4}
      </span>
    ),
  },
  { label: 'Status', cell: (key) => <KeyState apiKey={key} /> },
  {
    label: 'Scopes',
    cell: ({ scopes }) => (
      <span title={scopes.join(' ')}>
        {scopes.includes('*')
          ? 'everything'
          : scopes.length === 1
            ? scopes[0]
            : `${scopes.length} scopes`}
      </span>
    ),
  },
  {
    label: 'Budget',
    cell: ({ budgets: [budget] }) =>
      budget ? <SpendBar budget={budget} /> : <span className="quiet">–</span>,
  },
  {
    label: 'Last used',
    cell: ({ last_used_at: at }) =>
      at ? <Time at={at} as="relative" /> : <span className="quiet">never</span>,
  },
  { label: 'Created', cell: ({ created_at: at }) => <Time at={at} as="day" /> },
]
