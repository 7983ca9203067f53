import { Link, useNavigate } from '@tanstack/react-router'
import type { WebhookEndpoint } from 'credit-gateway-sdk'
import { useState } from 'react'
import { gateway } from '../../api.ts'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { Icon } from '../../components/icons.tsx'
import { type Column, List } from '../../components/list.tsx'
import { Card, Screen } from '../../components/screen.tsx'
import { Time } from '../../components/time.tsx'
import { useList } from '../../data/read.ts'
import { AddEndpoint } from './add-endpoint.tsx'
import { DeliveryDays } from './delivery-days.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { EventTypes } from './event-types.tsx'

const columns: readonly Column<WebhookEndpoint>[] = [
  {
    label: 'Address',
    cell: ({ id, url, description }) => (
      <>
        <Link to={`/webhooks/${id}`} className="row-link mono">
          {url}
        </Link>
        {description && <div className="quiet small">{description}</div>}
      </>
    ),
  },
  {
    label: 'Events',
    cell: ({ events }) => (events.length === 0 ? 'all' : `${events.length} chosen`),
  },
  { label: 'State', cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
  { label: 'Arrived in 7 days', cell: (endpoint) => <DeliveryDays endpoint={endpoint} /> },
  { label: 'Added', cell: ({ created_at }) => <Time at={created_at} as="day" /> },
]

/** The endpoints that get the events of the account. */
export default function Webhooks() {
  const [isAdding, setAdding] = useState(false)
  const navigate = useNavigate()
  const page = useList<WebhookEndpoint>(
    ['webhooks', 'endpoints'],
    (input, options) => gateway.webhooks.listEndpoints(input, options),
    { scopes: ['webhooks:read'], isLive: true },
  )
  return (
    <Screen
      title="Webhooks"
      actions={
        <PermittedButton
          scope="webhooks:write"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => setAdding(true)}
        >
          Add endpoint
        </PermittedButton>
      }
    >
      <div className="cards">
        <Card title="Endpoints">
          <List
            {...{ name: 'webhook endpoints', page, columns }}
            keyOf={({ id }) => id}
            onOpen={({ id }) => void navigate({ to: `/webhooks/${id}` })}
            empty="No endpoint yet. Add one, and your software learns of low balances, payments and keys as they happen."
          />
        </Card>
        <EventTypes />
      </div>
      {isAdding && <AddEndpoint onClose={() => setAdding(false)} />}
    </Screen>
  )
}
