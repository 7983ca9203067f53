import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Answer, CallOptions } from 'credit-gateway-sdk'
import { useState } from 'react'
import { gateway } from '../../api.ts'
import { useAppNames, useKey } from '../../data/names.ts'
import { useRead } from '../../data/read.ts'
import { useFilters } from '../../data/search.ts'
import { nameOf } from '../../format/app-name.ts'
import { keyLabel, shortName } from '../../format/names.ts'
import { useSession } from '../../session/session.tsx'

const typingMs = 300

interface Choice {
  readonly value: string
  readonly label: string
}

interface FoundFilterProps {
  readonly label: string
  /** The name of the filter in the address. */
  readonly name: string
  /** The scope that the choices need. Without it the filter is shown only while it is set. */
  readonly scope: string
  /** The text if nothing fits. */
  readonly none: string
  /** The choices that fit the typed text. */
  readonly find: (q: string, options: CallOptions) => Promise<Answer<readonly Choice[]>>
  /** The name of the chosen one, if it is not among the choices; undefined: the value is its own name. */
  readonly chosenName?: string | undefined
}

/** A filter whose choices are found by typing. It asks for them when it is opened. */
function FoundFilter({ label, name, scope, none, find, chosenName }: FoundFilterProps) {
  const { filters, set } = useFilters()
  const session = useSession()
  const [isOpened, setOpened] = useState(false)
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text, typingMs)
  const chosen = filters[name]
  const found = useRead<readonly Choice[]>(['filter', name, q], (options) => find(q, options), {
    scopes: [scope],
    isEnabled: isOpened,
    keepsPrevious: true,
  })
  const data = [...(found.data ?? [])]
  if (chosen && !data.some(({ value }) => value === chosen)) {
    data.unshift({ value: chosen, label: chosenName ?? chosen })
  }
  if (!session.can(scope) && !chosen) return null
  return (
    <Select
      {...{ label, placeholder: 'All', size: 'xs', w: 180, data, clearable: true }}
      {...{ searchable: true, nothingFoundMessage: found.isFetching ? 'Loading…' : none }}
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      filter={({ options }) => options}
      value={chosen ?? null}
      onChange={(value) => set({ [name]: value ?? undefined })}
      onSearchChange={(value) => setText(data.some(({ label }) => label === value) ? '' : value)}
      onDropdownOpen={() => setOpened(true)}
    />
  )
}

/** The same answer with the choices of its items. */
function choicesOf<Item>(
  answer: Answer<{ readonly items: readonly Item[] }>,
  choiceOf: (item: Item) => Choice,
): Answer<readonly Choice[]> {
  return { ...answer, data: answer.data.items.map(choiceOf) }
}

/** Chooses an API key by its name. */
export function KeyFilter() {
  const session = useSession()
  const { key: id } = useFilters().filters
  const { data } = useKey(id)
  const ownName = id === session.key_id ? session.key_name : null
  const name = data ? keyLabel(data) : ownName
  return (
    <FoundFilter
      {...{ label: 'API key', name: 'key', scope: 'keys:read', none: 'No such key' }}
      find={async (q, options) =>
        choicesOf(await gateway.keys.list({ limit: 50, ...(q ? { q } : {}) }, options), (key) => ({
          value: key.id,
          label: keyLabel(key),
        }))
      }
      chosenName={id && (name ?? shortName('API key', id))}
    />
  )
}

/** Chooses a customer: the external id of keys. */
export function CustomerFilter() {
  return (
    <FoundFilter
      {...{ label: 'Customer', name: 'customer', scope: 'keys:read', none: 'No such customer' }}
      find={async (q, options) =>
        choicesOf(
          await gateway.account.listExternalIds({ limit: 50, ...(q ? { q } : {}) }, options),
          ({ external_id: id }) => ({ value: id, label: id }),
        )
      }
    />
  )
}

/** Chooses an endpoint, of those that were called in the last 30 days. */
export function EndpointFilter() {
  return (
    <FoundFilter
      {...{ label: 'Endpoint', name: 'endpoint', scope: 'usage:read', none: 'No such endpoint' }}
      find={async (q, options) => {
        const asked = { interval: 'day', group_by: 'endpoint' } as const
        const { data, ...answer } = await gateway.usage.summarize(asked, options)
        const names = new Set(data.items.flatMap(({ endpoint }) => endpoint ?? []))
        const fitting = [...names].filter((name) => name.toLowerCase().includes(q.toLowerCase()))
        return { ...answer, data: fitting.sort().map((value) => ({ value, label: value })) }
      }}
    />
  )
}

/** Chooses an app that may act for the account. */
export function AppFilter() {
  const { app: id } = useFilters().filters
  const name = useAppNames(id !== undefined).get(id ?? '')
  return (
    <FoundFilter
      {...{ label: 'App', name: 'app', scope: 'oauth:read', none: 'No such app' }}
      find={async (q, options) => {
        const found = choicesOf(
          await gateway.oauthApps.listConsents({ limit: 100 }, options),
          (consent) => ({ value: consent.client_id, label: nameOf(consent) }),
        )
        const isFitting = ({ label }: Choice) => label.toLowerCase().includes(q.toLowerCase())
        return { ...found, data: found.data.filter(isFitting) }
      }}
      chosenName={id && (name ?? shortName('App', id))}
    />
  )
}
