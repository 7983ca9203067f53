import { Checkbox, Group, Input } from '@mantine/core'
import { useState } from 'react'
import { serviceNames } from '../../../../schema/vocabulary/service-names.ts'
import { useSession } from '../../session/session.tsx'

interface Area {
  readonly label: string
  readonly scopes: readonly string[]
}

const identity = ['openid', 'profile', 'email', 'offline_access']

/** What an app can ask for, in the order in which people think of it. */
const areas: readonly Area[] = [
  { label: 'Sign-in', scopes: identity },
  ...Object.entries(serviceNames).map(([slug, label]) => ({
    label,
    scopes: [`${slug}:read`, `${slug}:write`],
  })),
  ...['Account', 'Billing', 'Usage', 'Audit', 'Webhooks'].map((label) => ({
    label,
    scopes: [`${label.toLowerCase()}:read`],
  })),
]

const words: Readonly<Record<string, string>> = {
  ...{ openid: 'who they are', profile: 'name', email: 'e-mail address' },
  offline_access: 'while they are away',
}

interface AppScopesProps {
  /** Separated by spaces; those that the app has already can be kept by everybody. */
  readonly initial: string
  readonly error: string | undefined
}

/** Chooses the scopes of an app; the form finds them under `scope`. */
export function AppScopes({ initial, error }: AppScopesProps) {
  const { can } = useSession()
  const had = initial.split(' ')
  const [chosen, setChosen] = useState<readonly string[]>(had.filter((one) => one !== ''))
  const toggle = (scope: string, isOn: boolean) =>
    setChosen(isOn ? [...chosen, scope] : chosen.filter((one) => one !== scope))
  return (
    <fieldset className="scopes" aria-invalid={error !== undefined}>
      <legend>What it may ask for</legend>
      <input type="hidden" name="scope" value={chosen.join(' ')} />
      <div className="scope-grid">
        {areas.map(({ label, scopes }) => (
          <div key={label} className="scope-area">
            <span>{label}</span>
            <Group gap="md">
              {scopes.map((scope) => (
                <Checkbox
                  key={scope}
                  {...{ label: words[scope] ?? scope.replace(/^.*:/, ''), size: 'xs' }}
                  aria-label={scope}
                  checked={chosen.includes(scope)}
                  disabled={!(can(scope) || identity.includes(scope) || had.includes(scope))}
                  onChange={(event) => toggle(scope, event.currentTarget.checked)}
                />
              ))}
            </Group>
          </div>
        ))}
      </div>
      {error && <Input.Error mt="xs">{error}</Input.Error>}
    </fieldset>
  )
}
