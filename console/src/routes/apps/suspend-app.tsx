import { Text, TextInput } from '@mantine/core'
import type { OAuthApp } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, queries } from '../../api.ts'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { useAct } from '../../data/act.ts'

interface SuspendAppProps {
  readonly app: OAuthApp
  readonly onClose: () => void
}

export function SuspendApp({ app, onClose }: SuspendAppProps) {
  const [typed, setTyped] = useState('')
  const { client_id, client_name } = app
  const suspend = useAct(async () => {
    await acting.oauthApps.suspend({ client_id })
    await queries.invalidateQueries({ queryKey: ['apps'] })
    await queries.invalidateQueries({ queryKey: ['consents'] })
    onClose()
  })
  return (
    <FormDialog
      {...{ title: 'Suspend the app', submit: 'Suspend app', onClose, isDangerous: true }}
      {...{ isBusy: suspend.isBusy, problem: suspend.problem }}
      isReady={typed.trim() === client_name.trim()}
      onSubmit={() => void suspend.run()}
    >
      <Text size="sm">
        Nobody can sign in with {client_name} any more. All of its tokens stop working at once, and
        every account that has let it in is told so. This cannot be undone.
      </Text>
      <TextInput
        label={`To confirm, type ${client_name}`}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        data-autofocus
      />
    </FormDialog>
  )
}
