import { Button, Group, Text } from '@mantine/core'
import type { ApiKey, UsageSeries } from 'credit-gateway-sdk'
import type { ReactNode } from 'react'
import { acting, gateway, queries } from '../../api.ts'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { messageOf } from '../../components/problem.tsx'
import { Time } from '../../components/time.tsx'
import { useAct } from '../../data/act.ts'
import { useRead } from '../../data/read.ts'
import { tell, untell } from '../../data/tell.ts'
import { integer } from '../../format/numbers.ts'

/** The API permits it for 60 seconds, by its own clock. */
const undoMs = 58_000

interface DisableKeyProps {
  readonly apiKey: ApiKey
  /** What else ends with the key. */
  readonly warning: ReactNode
  readonly onClose: () => void
}

/** Asks before a key is disabled: who still uses it is refused at once. */
export function DisableKey({ apiKey, warning, onClose }: DisableKeyProps) {
  const { id, name, last_used_at: lastUsed } = apiKey
  const calls = useCallsToday(id)
  const disable = useAct(async () => {
    await acting.keys.change({ key_id: id, enabled: false })
    onClose()
    await queries.invalidateQueries({ queryKey: ['keys'] })
    await tell(<Disabled apiKey={apiKey} />, { id: messageIdOf(apiKey), forMs: undoMs })
  })
  return (
    <FormDialog
      {...{ title: 'Disable this key?', submit: 'Disable', isDangerous: true, onClose }}
      {...{ isBusy: disable.isBusy, problem: disable.problem }}
      onSubmit={() => void disable.run()}
    >
      <Text size="sm">
        All calls with <b>{name}</b> are refused until you enable it again.
      </Text>
      <Text size="sm">
        {lastUsed ? (
          <>
            It was last used <Time at={lastUsed} as="relative" />
          </>
        ) : (
          'It was never used'
        )}
        {calls === null
          ? '.'
          : `, and made ${integer(calls)} ${calls === 1 ? 'call' : 'calls'} today (UTC).`}
      </Text>
      <Text size="sm">
        You can undo this for 60 seconds. To enable it later, you have to confirm that it is you.
      </Text>
      {warning}
    </FormDialog>
  )
}

/** The calls with a key since midnight in UTC; null: not known yet, or not to be seen. */
function useCallsToday(id: string): number | null {
  const from = new Date(new Date().setUTCHours(0, 0, 0, 0)).toISOString()
  const { data } = useRead<UsageSeries>(
    ['usage', 'summary', 'today', id],
    (options) => gateway.usage.summarize({ key_id: id, interval: 'day', from }, options),
    { scopes: ['account:read', 'usage:read'] },
  )
  return data ? data.items.reduce((sum, { requests }) => sum + requests, 0) : null
}

const messageIdOf = ({ id }: ApiKey) => `disabled ${id}`

/** The message after it, with the way back. */
function Disabled({ apiKey }: { readonly apiKey: ApiKey }) {
  const undo = useAct(async () => {
    await acting.keys.undoDisable({ key_id: apiKey.id })
    await untell(messageIdOf(apiKey))
    await queries.invalidateQueries({ queryKey: ['keys'] })
    await tell('The key is enabled again.')
  })
  return (
    <Group justify="space-between" gap="sm">
      <span>{undo.problem ? messageOf(undo.problem) : `“${apiKey.name}” is disabled.`}</span>
      <Button size="compact-sm" loading={undo.isBusy} onClick={() => void undo.run()}>
        Undo
      </Button>
    </Group>
  )
}
