import { Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { PortalRole } from '../../../../schema/generated/operator-operations.ts'
import { OneTimeSecret } from '../../../src/components/forms/one-time-secret.tsx'
import { showDate } from '../../../src/format/dates.ts'
import { currentZone } from '../../../src/format/zone.ts'
import { ask } from '../api.ts'
import { actMs } from '../data/act.ts'
import { useMay } from '../data/role.ts'
import { useWhere } from '../data/where.ts'
import { ActDialog } from './act-dialog.tsx'

const roles: readonly PortalRole[] = ['VIEWER', 'DEVELOPER', 'BILLING', 'ADMIN', 'OWNER']

/** Makes a link that signs a person in to the console of the account, once. It is shown once. */
export function PortalLink({ onClose }: { readonly onClose: () => void }) {
  const { id: accountId, environment } = useWhere()
  const may = useMay()
  const [role, setRole] = useState<PortalRole>('VIEWER')
  const [actor, setActor] = useState('')
  return (
    <ActDialog
      {...{ title: 'Make a portal link', submit: 'Make the link', onClose }}
      isReady={actor.trim() !== ''}
      changes={[{ what: 'Who can sign in once', after: `${actor.trim() || '…'} as ${role}` }]}
      act={(sent) => {
        const input = { ...sent, accountId, environment, role, actor: actor.trim() }
        return ask('CreatePortalLink', { input }, { timeoutMs: actMs })
      }}
      changed={() => []}
      shown={({ url, expiresAt }) => (
        <OneTimeSecret
          {...{ title: 'The portal link', onClose }}
          advice={`Give it to the person yourself. It works once, until ${showDate(Date.parse(expiresAt), 'full', currentZone())}.`}
          values={[['Link', url]]}
        />
      )}
    >
      <TextInput
        {...{ label: 'Person', required: true, withAsterisk: false, value: actor, maxLength: 200 }}
        {...{ description: 'The name that the audit trail shows.', 'data-autofocus': true }}
        onChange={({ currentTarget }) => setActor(currentTarget.value)}
      />
      <Select
        {...{ label: 'Role', value: role, allowDeselect: false }}
        data={may('linkForAnyRole') ? [...roles] : ['VIEWER']}
        onChange={(value) => setRole((value ?? role) as PortalRole)}
      />
    </ActDialog>
  )
}
