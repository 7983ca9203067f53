import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import type { WebhookEndpoint } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, queries } from '../../api.ts'
import { FormDialog, instantOf } from '../../components/forms/form-dialog.tsx'
import { fieldErrors } from '../../components/problem.tsx'
import { useAct } from '../../data/act.ts'
import { toInput } from '../../format/dates.ts'
import { integer } from '../../format/numbers.ts'
import { useZone } from '../../format/zone.ts'

const dayMs = 86_400_000

const statuses = [
  { value: 'failed', label: 'those that failed' },
  { value: '', label: 'all of them' },
  { value: 'pending', label: 'those that are pending' },
  { value: 'succeeded', label: 'those that have arrived' },
] as const

interface ResendSpanProps {
  readonly endpoint: WebhookEndpoint
  readonly onClose: () => void
}

/** Sends all messages of a span of time again, for example after an outage of the receiver. */
export function ResendSpan({ endpoint, onClose }: ResendSpanProps) {
  const zone = useZone()
  const [count, setCount] = useState<number | null>(null)
  const resend = useAct(async (values: FormData) => {
    const status = statuses.find(({ value }) => value === values.get('status'))?.value
    const input = { endpoint_id: endpoint.id, from: instantOf(values, 'from') ?? '' }
    const answer = await acting.webhooks.resendDeliveries({
      ...{ ...input, to: instantOf(values, 'to') ?? '' },
      ...(status && { status }),
    })
    await queries.invalidateQueries({ queryKey: ['webhooks'] })
    return answer.data.deliveries
  })
  if (count !== null) {
    return (
      <Modal opened onClose={onClose} title="Resend a time range">
        <Stack>
          <Text size="sm" role="status">
            {count === 0
              ? 'Nothing was queued in this span.'
              : `${integer(count)} ${count === 1 ? 'message is' : 'messages are'} sent again.`}
          </Text>
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      </Modal>
    )
  }
  const errors = fieldErrors(resend.problem)
  const inputOf = (ms: number) => toInput(ms, zone).slice(0, 16)
  return (
    <FormDialog
      {...{ title: 'Resend a time range', submit: 'Resend', onClose }}
      {...{ isBusy: resend.isBusy, problem: resend.problem, fields: ['from', 'to', 'status'] }}
      onSubmit={async (values) => setCount(await resend.run(values))}
    >
      <Text size="sm">
        Messages that were queued for {new URL(endpoint.url).host} in this span are sent again, with
        the same ids. A receiver that remembers ids acts on none of them twice.
      </Text>
      <TextInput
        {...{ name: 'from', label: 'From', type: 'datetime-local', required: true }}
        {...{ defaultValue: inputOf(Date.now() - dayMs) }}
        error={errors.from}
      />
      <TextInput
        {...{ name: 'to', label: 'To', type: 'datetime-local', required: true }}
        {...{ defaultValue: inputOf(Date.now() + 60_000) }}
        error={errors.to}
      />
      <NativeSelect
        {...{ name: 'status', label: 'Which', data: [...statuses], error: errors.status }}
      />
    </FormDialog>
  )
}
