import { NativeSelect, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { RotatedWebhookEndpoint, WebhookEndpoint } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, queries } from '../../api.ts'
import { countOf, FormDialog } from '../../components/forms/form-dialog.tsx'
import { OneTimeSecret } from '../../components/forms/one-time-secret.tsx'
import { fieldErrors } from '../../components/problem.tsx'
import { useAct } from '../../data/act.ts'
import { EndpointInputs, endpointFields, readEndpoint } from './endpoint-form.tsx'

export type EndpointAct = 'change' | 'rotate' | 'disable' | 'enable' | 'remove'

interface EndpointDialogProps {
  readonly endpoint: WebhookEndpoint
  readonly onClose: () => void
}

const dialogs: Readonly<Record<EndpointAct, (props: EndpointDialogProps) => React.ReactNode>> = {
  change: Change,
  rotate: Rotate,
  disable: (props) => <Switch {...props} status="disabled" />,
  enable: (props) => <Switch {...props} status="enabled" />,
  remove: Remove,
}

export function EndpointDialog({ act, ...props }: EndpointDialogProps & { act: EndpointAct }) {
  const Dialog = dialogs[act]
  return <Dialog {...props} />
}

const readAgain = () => queries.invalidateQueries({ queryKey: ['webhooks'] })

function Change({ endpoint, onClose }: EndpointDialogProps) {
  const change = useAct(async (values: FormData) => {
    await acting.webhooks.changeEndpoint({ endpoint_id: endpoint.id, ...readEndpoint(values) })
    await readAgain()
    onClose()
  })
  return (
    <FormDialog
      {...{ title: 'Edit the endpoint', submit: 'Save', onClose, size: 'lg' }}
      {...{ isBusy: change.isBusy, problem: change.problem, fields: endpointFields }}
      onSubmit={(values) => void change.run(values)}
    >
      <EndpointInputs {...endpoint} problem={change.problem} />
    </FormDialog>
  )
}

const overlaps = [
  { value: '86400', label: 'for a day' },
  { value: '3600', label: 'for an hour' },
  { value: '604800', label: 'for 7 days' },
  { value: '0', label: 'not at all: the old secret has leaked' },
]

function Rotate({ endpoint, onClose }: EndpointDialogProps) {
  const [rotated, setRotated] = useState<RotatedWebhookEndpoint | null>(null)
  const rotate = useAct(async (overlap_seconds: number) => {
    const input = { endpoint_id: endpoint.id, overlap_seconds }
    return (await acting.webhooks.rotateSecret(input)).data
  })
  if (rotated) {
    return (
      <OneTimeSecret
        title="The new secret"
        advice="Give it to your receiver now; until then it refuses messages that only the new secret signs."
        values={[['Signing secret', rotated.secret]]}
        onClose={onClose}
      />
    )
  }
  return (
    <FormDialog
      {...{ title: 'Rotate the secret', submit: 'Rotate secret', onClose }}
      {...{ isBusy: rotate.isBusy, problem: rotate.problem, fields: ['overlap_seconds'] }}
      onSubmit={async (values) =>
        setRotated(await rotate.run(countOf(values, 'overlap_seconds') ?? 0))
      }
    >
      <Text size="sm">
        Messages to {new URL(endpoint.url).host} are signed with a new secret from now on. A
        receiver that knows only the old one refuses them as soon as that does not sign any more.
      </Text>
      <NativeSelect
        {...{ name: 'overlap_seconds', label: 'The old secret signs too', data: overlaps }}
        error={fieldErrors(rotate.problem).overlap_seconds}
      />
    </FormDialog>
  )
}

function Switch({
  endpoint,
  onClose,
  status,
}: EndpointDialogProps & { readonly status: WebhookEndpoint['status'] }) {
  const isEnabling = status === 'enabled'
  const change = useAct(async () => {
    await acting.webhooks.changeEndpoint({ endpoint_id: endpoint.id, status })
    await readAgain()
    onClose()
  })
  const submit = isEnabling ? 'Enable endpoint' : 'Disable endpoint'
  return (
    <FormDialog
      {...{ title: `${isEnabling ? 'Enable' : 'Disable'} the endpoint`, submit, onClose }}
      {...{ isBusy: change.isBusy, problem: change.problem, isDangerous: !isEnabling }}
      onSubmit={() => void change.run()}
    >
      <Text size="sm">
        {isEnabling
          ? 'Messages that were waiting are sent now. Events that happened meanwhile are not.'
          : `Nothing is sent to ${new URL(endpoint.url).host} any more. Events that happen while it is disabled never arrive there, not even later.`}
      </Text>
    </FormDialog>
  )
}

function Remove({ endpoint, onClose }: EndpointDialogProps) {
  const [typed, setTyped] = useState('')
  const navigate = useNavigate()
  const { host } = new URL(endpoint.url)
  const remove = useAct(async () => {
    await acting.webhooks.deleteEndpoint({ endpoint_id: endpoint.id })
    await navigate({ to: '/webhooks', replace: true })
    await readAgain()
  })
  return (
    <FormDialog
      {...{ title: 'Delete the endpoint', submit: 'Delete endpoint', onClose, isDangerous: true }}
      {...{ isBusy: remove.isBusy, problem: remove.problem, isReady: typed.trim() === host }}
      onSubmit={() => void remove.run()}
    >
      <Text size="sm">
        {host} gets no events any more. Events that are still to be sent there are dropped, and its
        log and its secret are gone for good.
      </Text>
      <TextInput
        label={`To confirm, type ${host}`}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        data-autofocus
      />
    </FormDialog>
  )
}
