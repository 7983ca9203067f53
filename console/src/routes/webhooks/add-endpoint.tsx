import type { CreatedWebhookEndpoint } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, queries } from '../../api.ts'
import { FormDialog } from '../../components/forms/form-dialog.tsx'
import { OneTimeSecret } from '../../components/forms/one-time-secret.tsx'
import { useAct } from '../../data/act.ts'
import { EndpointInputs, endpointFields, readEndpoint } from './endpoint-form.tsx'

export function AddEndpoint({ onClose }: { readonly onClose: () => void }) {
  const [created, setCreated] = useState<CreatedWebhookEndpoint | null>(null)
  const add = useAct(
    async (values: FormData) => (await acting.webhooks.createEndpoint(readEndpoint(values))).data,
  )
  if (created) {
    return (
      <OneTimeSecret
        title="The endpoint is added"
        advice="Your receiver needs this secret to check the signature of each message."
        values={[['Signing secret', created.secret]]}
        onClose={onClose}
      />
    )
  }
  return (
    <FormDialog
      {...{ title: 'Add an endpoint', submit: 'Add endpoint', onClose, size: 'lg' }}
      {...{ isBusy: add.isBusy, problem: add.problem, fields: endpointFields }}
      onSubmit={async (values) => {
        const endpoint = await add.run(values)
        if (!endpoint) return
        setCreated(endpoint)
        void queries.invalidateQueries({ queryKey: ['webhooks'] })
      }}
    >
      <EndpointInputs problem={add.problem} />
    </FormDialog>
  )
}
