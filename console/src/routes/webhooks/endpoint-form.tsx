import { Checkbox, Stack, TextInput } from '@mantine/core'
import type { CreateWebhookEndpointRequest } from 'credit-gateway-sdk'
import { useState } from 'react'
import { textOf } from '../../components/forms/form-dialog.tsx'
import { fieldErrors } from '../../components/problem.tsx'
import { useEventTypes } from './event-types.tsx'

/** The inputs that show their own problems. */
export const endpointFields = ['url', 'description', 'events']

type Events = NonNullable<CreateWebhookEndpointRequest['events']>

interface EndpointInputsProps {
  readonly url?: string
  readonly description?: string | null
  readonly events?: readonly string[]
  readonly problem: Error | null
}

/** The inputs of an endpoint: its address, and the types of events that it gets. */
export function EndpointInputs({
  url = '',
  description,
  events = [],
  problem,
}: EndpointInputsProps) {
  const [isAll, setAll] = useState(events.length === 0)
  const types = useEventTypes()
  const errors = fieldErrors(problem)
  return (
    <>
      <TextInput
        {...{ name: 'url', label: 'Address', placeholder: 'https://example.com/hooks' }}
        {...{ required: true, defaultValue: url, error: errors.url, 'data-autofocus': true }}
      />
      <TextInput
        {...{ name: 'description', label: 'Description', defaultValue: description ?? '' }}
        {...{ error: errors.description }}
      />
      <Checkbox
        label="All events, also those that are added later"
        checked={isAll}
        onChange={({ currentTarget }) => setAll(currentTarget.checked)}
      />
      {!isAll && (
        <fieldset className="choices">
          <legend>Events</legend>
          {errors.events && <div className="field-error">{errors.events}</div>}
          <Stack gap={6}>
            {types.data?.items
              .filter(({ type }) => type !== 'webhook.test')
              .map(({ type, description: what }) => (
                <Checkbox
                  key={type}
                  {...{ name: 'events', value: type, defaultChecked: events.includes(type) }}
                  label={<span className="mono">{type}</span>}
                  description={what}
                />
              ))}
          </Stack>
        </fieldset>
      )}
    </>
  )
}

/** The values of the inputs. No types of events means all of them. */
export function readEndpoint(values: FormData) {
  return {
    url: textOf(values, 'url') ?? '',
    description: textOf(values, 'description') ?? null,
    events: values.getAll('events').map(String) as Events,
  }
}
