import { Button, Group, Stack, TagsInput, TextInput } from '@mantine/core'
import '@mantine/dates/styles.css'
import { DateTimePicker } from '@mantine/dates'
import type { ApiKey } from 'credit-gateway-sdk'
import { type FormEvent, useState } from 'react'
import { BudgetFields, type BudgetInput, inputsOf } from '../../components/forms/budget-fields.tsx'
import { fieldErrors, ProblemNotice } from '../../components/problem.tsx'
import { fromInput, toInput } from '../../format/dates.ts'
import { useZone } from '../../format/zone.ts'
import { useSession } from '../../session/session.tsx'
import { CustomerField } from './customer-field.tsx'
import { MetadataFields, type Pair } from './metadata-fields.tsx'
import { ScopePicker } from './scope-picker.tsx'
import type { Scope } from './scopes.ts'

/** The values of a form about a key. The names are those of the API. */
export interface KeyInput {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Null: the key belongs to no customer. */
  readonly external_id: string | null
  readonly budgets: readonly BudgetInput[]
  readonly ip_allowlist: readonly string[]
  readonly expires_at: string | null
  readonly metadata: Readonly<Record<string, string>>
}

const shownFields = [
  ...['name', 'scopes', 'external_id', 'budgets', 'ip_allowlist', 'expires_at', 'metadata'],
]

export function inputOf(key: ApiKey): KeyInput {
  const { name, ip_allowlist, expires_at, external_id, metadata } = key
  return {
    ...{ name, ip_allowlist, expires_at, external_id },
    scopes: key.scopes as Scope[],
    budgets: inputsOf(key.budgets),
    metadata: metadata as Record<string, string>,
  }
}

/** The changed members: unchanged ones are not sent, so they need no new proof. */
export function changesOf(before: KeyInput, after: KeyInput): Partial<KeyInput> {
  const isSame = (name: keyof KeyInput) =>
    JSON.stringify(before[name]) === JSON.stringify(after[name])
  const names = Object.keys(after) as (keyof KeyInput)[]
  return Object.fromEntries(
    names.filter((name) => !isSame(name)).map((name) => [name, after[name]]),
  )
}

interface KeyFormProps {
  readonly initial: KeyInput
  readonly action: string
  readonly isBusy: boolean
  readonly problem: Error | null
  readonly onSubmit: (input: KeyInput) => void
  readonly onCancel: () => void
}

/** Checks only that there is a name; the API judges the rest. */
export function KeyForm({ initial, action, isBusy, problem, onSubmit, onCancel }: KeyFormProps) {
  const zone = useZone()
  const [input, setInput] = useState(initial)
  const [pairs, setPairs] = useState<readonly Pair[]>(Object.entries(initial.metadata))
  const errors = fieldErrors(problem)
  const change = (part: Partial<KeyInput>) => setInput({ ...input, ...part })
  function submit(event: FormEvent) {
    event.preventDefault()
    onSubmit({ ...input, metadata: Object.fromEntries(pairs) })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          {...{
            label: 'Name',
            required: true,
            value: input.name,
            error: errors.name,
          }}
          {...{ placeholder: 'Where the key is used', 'data-autofocus': true }}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <ScopePicker
          {...{ chosen: input.scopes, error: errors.scopes }}
          onChange={(scopes) => change({ scopes })}
        />
        <CustomerField
          {...{ value: input.external_id ?? '', error: errors.external_id }}
          onChange={(id) => change({ external_id: id === '' ? null : id })}
        />
        <BudgetFields
          {...{ budgets: input.budgets, error: errors.budgets }}
          onChange={(budgets) => change({ budgets })}
        />
        <AddressField
          {...{ addresses: input.ip_allowlist, error: errors.ip_allowlist }}
          onChange={(ip_allowlist) => change({ ip_allowlist })}
        />
        <DateTimePicker
          {...{ label: 'Expires', placeholder: 'Never', clearable: true, error: errors.expires_at }}
          clearButtonProps={{ 'aria-label': 'Never expires' }}
          value={input.expires_at === null ? null : toInput(Date.parse(input.expires_at), zone)}
          onChange={(at) =>
            change({ expires_at: at && new Date(fromInput(at, zone)).toISOString() })
          }
        />
        <MetadataFields {...{ pairs, onChange: setPairs, error: errors.metadata }} />
        {problem && <ProblemNotice error={problem} fields={shownFields} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface AddressFieldProps {
  readonly addresses: readonly string[]
  readonly onChange: (addresses: string[]) => void
  readonly error: string | undefined
}

/** From where the key works. */
function AddressField({ addresses, onChange, error }: AddressFieldProps) {
  const { address } = useSession()
  return (
    <div>
      <TagsInput
        {...{ label: 'Allowed addresses', error, acceptValueOnBlur: true }}
        description="Addresses or CIDR blocks. Without an entry, the key works from everywhere."
        placeholder={addresses.length === 0 ? '203.0.113.0/24' : ''}
        value={[...addresses]}
        onChange={onChange}
      />
      {address && !addresses.includes(address) && (
        <Button
          {...{ variant: 'default', size: 'compact-xs', mt: 6 }}
          onClick={() => onChange([...addresses, address])}
        >
          Add my address, {address}
        </Button>
      )}
    </div>
  )
}
