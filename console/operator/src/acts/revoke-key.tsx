import { ask } from '../api.ts'
import { actMs } from '../data/act.ts'
import type { ApiKey } from '../data/shown.ts'
import { ActButton } from './act-button.tsx'
import { ActDialog } from './act-dialog.tsx'

/** Ends a key at once. */
export function RevokeKeyButton({ apiKey }: { readonly apiKey: ApiKey }) {
  const { id, name, prefix, last4, status } = apiKey
  return (
    <ActButton
      label="Revoke"
      dialog={(onClose) => (
        <ActDialog
          {...{ title: 'Revoke a key', submit: 'Revoke', isDangerous: true }}
          onClose={onClose}
          changes={[{ what: 'Status of the key', before: status, after: 'revoked' }]}
          act={(sent) => ask('RevokeApiKey', { id, ...sent }, { timeoutMs: actMs })}
          changed={(key) => [
            {
              what: 'Status of the key',
              ...{ before: key.statusBefore ?? status, after: key.status },
            },
          ]}
        >
          <p>
            {name}, <span className="mono">{`${prefix}…${last4}`}</span>, is refused from now on.
            This cannot be undone.
          </p>
        </ActDialog>
      )}
    />
  )
}
