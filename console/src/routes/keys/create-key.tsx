import { Button, Drawer, Title } from '@mantine/core'
import type { IssuedApiKey, KeyCreateRequest } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, queries } from '../../api.ts'
import { Icon } from '../../components/icons.tsx'
import { useAct } from '../../data/act.ts'
import { useSession } from '../../session/session.tsx'
import { KeyForm, type KeyInput } from './key-form.tsx'
import { KeySecret } from './key-secret.tsx'
import { purposes, scopesFor } from './scopes.ts'

interface CreateKeyProps {
  /** Whose key it shall be. */
  readonly customer?: string
}

/** A button that creates a key, and shows the new key once. */
export function CreateKey({ customer }: CreateKeyProps) {
  const { can } = useSession()
  const [isOpen, setOpen] = useState(false)
  const [made, setMade] = useState<IssuedApiKey | null>(null)
  const create = useAct(async ({ external_id, ...input }: KeyInput) => {
    const asked = { ...input, ...(external_id === null ? {} : { external_id }) }
    const { data } = await acting.keys.issue(asked as KeyCreateRequest)
    setOpen(false)
    setMade(data)
    for (const name of ['keys', 'external-ids']) {
      void queries.invalidateQueries({ queryKey: [name] })
    }
  })
  const close = () => {
    setOpen(false)
    create.reset()
  }
  if (!can('keys:write')) return null
  const [usual] = purposes
  const initial: KeyInput = {
    ...{ name: '', scopes: usual ? scopesFor(usual, can) : [], external_id: customer ?? null },
    ...{ budgets: [], ip_allowlist: [], expires_at: null, metadata: {} },
  }
  return (
    <>
      <Button leftSection={<Icon name="plus" />} onClick={() => setOpen(true)}>
        Create key
      </Button>
      <Drawer opened={isOpen} onClose={close} title={<Title order={2}>Create an API key</Title>}>
        <KeyForm
          {...{ initial, action: 'Create key', isBusy: create.isBusy, problem: create.problem }}
          onSubmit={(input) => void create.run(input)}
          onCancel={close}
        />
      </Drawer>
      {made && (
        <KeySecret
          {...{ plaintext: made.plaintext, scopes: made.scopes }}
          advice="Your programs send it as Authorization: Bearer. Everybody who has it can spend your credits."
          onClose={() => setMade(null)}
        />
      )}
    </>
  )
}
