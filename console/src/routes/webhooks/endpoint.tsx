import { Group } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import type { WebhookEndpoint } from 'credit-gateway-sdk'
import { useState } from 'react'
import { acting, gateway, queries } from '../../api.ts'
import { Facts } from '../../components/facts.tsx'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { Icon } from '../../components/icons.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { Card, Screen } from '../../components/screen.tsx'
import { Time } from '../../components/time.tsx'
import { Unread } from '../../components/unread.tsx'
import { useAct } from '../../data/act.ts'
import { useRead } from '../../data/read.ts'
import { Deliveries } from './deliveries.tsx'
import { DeliveryDays } from './delivery-days.tsx'
import { type EndpointAct, EndpointDialog } from './endpoint-dialogs.tsx'
import { EndpointState } from './endpoint-state.tsx'

/** One endpoint, and its messages. */
export default function Endpoint() {
  const { endpointId } = useParams({ strict: false })
  // An account has at most 20, so one page has them all.
  const endpoints = useRead(
    ['webhooks', 'endpoints', 'all'],
    (options) => gateway.webhooks.listEndpoints({ limit: 200 }, options),
    { scopes: ['webhooks:read'], isLive: true },
  )
  const { data } = endpoints
  const endpoint = data?.items.find(({ id }) => id === endpointId)
  if (endpoint) return <EndpointScreen endpoint={endpoint} />
  return (
    <Screen title="Webhook endpoint">
      <Card>
        {!data && <Unread read={endpoints} what="the endpoint" />}
        {data && (
          <div className="card-body" role="status">
            This endpoint does not exist any more.{' '}
            <Link to="/webhooks" className="link">
              All endpoints
            </Link>
          </div>
        )}
      </Card>
    </Screen>
  )
}

function EndpointScreen({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const [dialog, setDialog] = useState<EndpointAct | null>(null)
  const { id, url, status, description } = endpoint
  const test = useAct(async () => {
    await acting.webhooks.testEndpoint({ endpoint_id: id })
    await queries.invalidateQueries({ queryKey: ['webhooks'] })
  })
  const isEnabled = status === 'enabled'
  const act = (name: EndpointAct, label: string, color?: string) => (
    <PermittedButton
      {...{ scope: 'webhooks:write', variant: 'default', size: 'xs', ...(color && { c: color }) }}
      onClick={() => setDialog(name)}
    >
      {label}
    </PermittedButton>
  )
  return (
    <Screen
      title="Webhook endpoint"
      actions={
        <PermittedButton
          {...{ scope: 'webhooks:write', loading: test.isBusy, disabled: !isEnabled }}
          onClick={() => void test.run()}
        >
          Send test event
        </PermittedButton>
      }
    >
      <Link to="/webhooks" className="link crumb">
        <Icon name="previous" size={12} /> All endpoints
      </Link>
      <div className="cards">
        {test.problem && <ProblemNotice error={test.problem} />}
        <Card
          title={description ?? new URL(url).host}
          actions={
            <Group gap="xs">
              {act('change', 'Edit')}
              {act('rotate', 'Rotate secret')}
              {act(isEnabled ? 'disable' : 'enable', isEnabled ? 'Disable' : 'Enable')}
              {act('remove', 'Delete', 'red')}
            </Group>
          }
        >
          <EndpointFacts endpoint={endpoint} />
        </Card>
        <Deliveries endpoint={endpoint} />
      </div>
      {dialog && (
        <EndpointDialog act={dialog} endpoint={endpoint} onClose={() => setDialog(null)} />
      )}
    </Screen>
  )
}

function EndpointFacts({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { id, url, events, created_at } = endpoint
  return (
    <div className="card-body">
      <Facts
        facts={[
          [
            'Address',
            <span className="mono" key="url">
              {url}
            </span>,
          ],
          ['State', <EndpointState endpoint={endpoint} key="state" />],
          ['Arrived in 7 days', <DeliveryDays endpoint={endpoint} key="days" />],
          ['Events', events.length === 0 ? 'all' : events.join(', ')],
          ['Added', <Time at={created_at} key="created" />],
          [
            'ID',
            <span className="mono" key="id">
              {id}
            </span>,
          ],
        ]}
      />
    </div>
  )
}
