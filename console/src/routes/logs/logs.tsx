import { SegmentedControl, Switch, TextInput } from '@mantine/core'
import type { UsageLogEntry } from 'credit-gateway-sdk'
import { type FormEvent, useState } from 'react'
import { adviceOf } from '../../../../schema/vocabulary/error-texts/error-advice.ts'
import { SelectFilter, statusClasses, TimeFilter } from '../../components/forms/filters.tsx'
import { textOf } from '../../components/forms/forms.ts'
import {
  AppFilter,
  CustomerFilter,
  EndpointFilter,
  KeyFilter,
} from '../../components/forms/found-filters.tsx'
import { Screen } from '../../components/screen.tsx'
import { useFilters } from '../../data/search.ts'
import { services } from '../../format/names.ts'
import { Callers } from './callers.tsx'
import { ErrorGroups } from './error-groups.tsx'
import { RequestDrawer } from './request-drawer.tsx'
import { Requests } from './requests.tsx'

type View = 'requests' | 'errors' | 'customer' | 'app'

export default function Logs() {
  const { filters, set, replace } = useFilters()
  const [isLive, setLive] = useState(false)
  const [opened, setOpened] = useState<UsageLogEntry | null>(null)
  const view = views.find(({ value }) => value === filters.view)?.value ?? 'requests'

  function open(entry: UsageLogEntry) {
    setOpened(entry)
    set({ request: entry.request_id, cursor: filters.cursor })
  }
  return (
    <Screen
      title="Logs"
      actions={
        <>
          {view === 'requests' && (
            <Switch
              {...{ label: 'Auto-refresh', size: 'sm', checked: isLive && !filters.cursor }}
              disabled={filters.cursor !== undefined}
              onChange={(event) => setLive(event.currentTarget.checked)}
            />
          )}
          <SegmentedControl
            {...{ size: 'xs', value: view, 'aria-label': 'What is listed' }}
            data={views}
            onChange={(value) => set({ view: value === 'requests' ? undefined : value })}
          />
        </>
      }
    >
      <Filters view={view} />
      <div className="card">
        {view === 'requests' && <Requests isLive={isLive} onOpen={open} />}
        {view === 'errors' && <ErrorGroups />}
        {(view === 'customer' || view === 'app') && <Callers group={view} />}
      </div>
      {filters.request !== undefined && (
        <RequestDrawer
          id={filters.request}
          known={opened?.request_id === filters.request ? opened : null}
          onClose={() => replace({ request: undefined, cursor: filters.cursor })}
        />
      )}
    </Screen>
  )
}

function Filters({ view }: { readonly view: View }) {
  const { filters, set } = useFilters()
  function search(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const id = textOf(new FormData(event.currentTarget), 'id')
    if (id) set({ request: id, cursor: filters.cursor })
  }
  return (
    <div className="filters">
      <TimeFilter fallback={view === 'requests' ? null : '7d'} names={['1h', '24h', '7d', '30d']} />
      <SelectFilter label="Service" name="service" data={services} />
      <SelectFilter label="Status" name="status" data={statusesOf(view)} />
      {view === 'requests' && <EndpointFilter />}
      {(view === 'requests' || view === 'errors') && (
        <SelectFilter label="Error" name="error" data={Object.keys(adviceOf)} />
      )}
      <KeyFilter />
      <CustomerFilter />
      <AppFilter />
      <form onSubmit={search}>
        <TextInput
          {...{ name: 'id', label: 'Request ID', placeholder: 'req_…, then Enter' }}
          {...{ size: 'xs', w: 190 }}
        />
      </form>
    </div>
  )
}

const views = [
  { value: 'requests', label: 'Requests' },
  { value: 'errors', label: 'Errors' },
  { value: 'customer', label: 'By customer' },
  { value: 'app', label: 'By app' },
] satisfies { value: View; label: string }[]

function statusesOf(view: View) {
  return view === 'errors'
    ? statusClasses.filter(({ value }) => value === '4xx' || value === '5xx')
    : statusClasses
}
