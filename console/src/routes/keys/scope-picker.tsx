import { Button, Checkbox, Group, Input, Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { useSession } from '../../session/session.tsx'
import { Endpoints } from './endpoints.tsx'
import { areaGroups, everyScope, purposes, type Scope, scopesFor, verbOf } from './scopes.ts'

interface ScopePickerProps {
  readonly chosen: readonly Scope[]
  readonly onChange: (scopes: Scope[]) => void
  readonly error: string | undefined
}

/** Chooses the scopes of a key, by its purpose or one by one. A session cannot give scopes that it lacks. */
export function ScopePicker({ chosen, onChange, error }: ScopePickerProps) {
  const { can } = useSession()
  const purpose = purposes.find((one) => isSame(scopesFor(one, can), chosen))
  const [isOpen, setOpen] = useState(purpose === undefined)
  return (
    <div>
      <Radio.Group
        label="What is the key for?"
        value={purpose?.label ?? null}
        onChange={(label) => {
          const next = purposes.find((one) => one.label === label)
          if (next) onChange([...scopesFor(next, can)])
        }}
        {...(error ? { error } : {})}
      >
        <Stack gap="xs" mt={6}>
          {purposes.map((one) => (
            <Radio
              key={one.label}
              {...{ value: one.label, label: one.label, description: one.note, size: 'xs' }}
              disabled={scopesFor(one, can).length === 0}
            />
          ))}
        </Stack>
      </Radio.Group>
      <details
        className="more"
        open={isOpen}
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary>
          Choose scopes yourself <span className="quiet">({countOf(chosen)})</span>
        </summary>
        {isOpen && <Scopes {...{ chosen, onChange, error }} />}
      </details>
    </div>
  )
}

function isSame(one: readonly Scope[], other: readonly Scope[]): boolean {
  return one.length > 0 && one.length === other.length && one.every((s) => other.includes(s))
}

function countOf(chosen: readonly Scope[]): string {
  if (chosen.includes(everyScope)) return 'all'
  return chosen.length === 0 ? 'none' : `${chosen.length}`
}

function Scopes({ chosen, onChange, error }: ScopePickerProps) {
  const { can } = useSession()
  const hasAll = chosen.includes(everyScope)
  function toggle(scope: Scope, isOn: boolean) {
    onChange(isOn ? [...chosen, scope] : chosen.filter((one) => one !== scope))
  }
  return (
    <fieldset className="scopes" aria-invalid={error !== undefined}>
      <legend className="unseen">Scopes</legend>
      <Group gap="md" mb="xs" justify="space-between">
        {can(everyScope) ? (
          <Checkbox
            {...{ label: 'Everything, also scopes that are added later (*)', size: 'xs' }}
            checked={hasAll}
            onChange={(event) => onChange(event.currentTarget.checked ? [everyScope] : [])}
          />
        ) : (
          <span />
        )}
        <Button variant="default" size="compact-xs" onClick={() => onChange([])}>
          Clear
        </Button>
      </Group>
      {!hasAll &&
        areaGroups.map(({ label, areas }) => (
          <div key={label} className="scope-group">
            <Input.Label size="xs">{label}</Input.Label>
            <div className="scope-grid">
              {areas.map((area) => (
                <div key={area.label} className="scope-area">
                  <span>{area.label}</span>
                  <Group gap="md">
                    {area.scopes.map((scope) => (
                      <Checkbox
                        key={scope}
                        {...{ label: verbOf(scope), size: 'xs', 'aria-label': scope }}
                        checked={chosen.includes(scope)}
                        disabled={!can(scope)}
                        onChange={(event) => toggle(scope, event.currentTarget.checked)}
                      />
                    ))}
                  </Group>
                  <Endpoints {...area} />
                </div>
              ))}
            </div>
          </div>
        ))}
    </fieldset>
  )
}
