import { Button, Checkbox, Group, Input } from '@mantine/core'
import { useSession } from '../../session/session.tsx'
import { areas, everyScope, type Scope, verbOf } from './scopes.ts'

interface ScopePickerProps {
  readonly chosen: readonly Scope[]
  readonly onChange: (scopes: Scope[]) => void
  readonly error: string | undefined
}

/** Chooses the scopes of a key, area by area. A session cannot give scopes that it lacks. */
export function ScopePicker({ chosen, onChange, error }: ScopePickerProps) {
  const { can } = useSession()
  const hasAll = chosen.includes(everyScope)
  const all = areas.flatMap(({ scopes }) => scopes)
  const reading = all.filter((scope) => verbOf(scope) === 'read' && can(scope))
  function toggle(scope: Scope, isOn: boolean) {
    onChange(isOn ? [...chosen, scope] : chosen.filter((one) => one !== scope))
  }
  return (
    <fieldset className="scopes" aria-invalid={error !== undefined}>
      <legend>Scopes</legend>
      <Group gap="xs" mb="xs">
        <Button variant="default" size="compact-xs" onClick={() => onChange(reading)}>
          Only reading
        </Button>
        <Button variant="default" size="compact-xs" onClick={() => onChange([])}>
          Nothing
        </Button>
      </Group>
      {can(everyScope) && (
        <Checkbox
          {...{
            label: 'Everything, also scopes that are added later (*)',
            size: 'xs',
            checked: hasAll,
            mb: 'xs',
          }}
          onChange={(event) => onChange(event.currentTarget.checked ? [everyScope] : [])}
        />
      )}
      {!hasAll && (
        <div className="scope-grid">
          {areas.map(({ label, scopes }) => (
            <div key={label} className="scope-area">
              <span>{label}</span>
              <Group gap="md">
                {scopes.map((scope) => (
                  <Checkbox
                    key={scope}
                    {...{ label: verbOf(scope), size: 'xs', 'aria-label': scope }}
                    checked={chosen.includes(scope)}
                    disabled={!can(scope)}
                    onChange={(event) => toggle(scope, event.currentTarget.checked)}
                  />
                ))}
              </Group>
            </div>
          ))}
        </div>
      )}
      {error && <Input.Error mt="xs">{error}</Input.Error>}
    </fieldset>
  )
}
