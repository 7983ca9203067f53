import { Drawer, Title } from '@mantine/core'
import type { WebhookDelivery, WebhookEndpoint } from 'credit-gateway-sdk'
import { useState } from 'react'
import { gateway } from '../../api.ts'
import { None } from '../../components/figures.tsx'
import { SelectFilter } from '../../components/forms/filters.tsx'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { type Column, List } from '../../components/list.tsx'
import { Card } from '../../components/screen.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { Unread } from '../../components/unread.tsx'
import { useList, useRead } from '../../data/read.ts'
import { useFilters } from '../../data/search.ts'
import { DeliveryDrawer } from './delivery-drawer.tsx'
import { answerOf, tones } from './delivery-state.tsx'
import { useEventTypes } from './event-types.tsx'
import { ResendSpan } from './resend-span.tsx'

type DeliveryStatus = WebhookDelivery['status']
type EventType = NonNullable<Parameters<typeof gateway.webhooks.listDeliveries>[0]['event_type']>

/** The messages to an endpoint, with all attempts of each. */
export function Deliveries({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { filters } = useFilters()
  const [isResending, setResending] = useState(false)
  const status = filters.status as DeliveryStatus | undefined
  const event_type = filters.type as EventType | undefined
  const types = useEventTypes().data?.items.map(({ type }) => type) ?? []
  const page = useList<WebhookDelivery>(
    ['webhooks', endpoint.id, 'deliveries', status, event_type],
    (input, options) =>
      gateway.webhooks.listDeliveries(
        {
          ...{ ...input, endpoint_id: endpoint.id },
          ...{ ...(status && { status }), ...(event_type && { event_type }) },
        },
        options,
      ),
    { scopes: ['webhooks:read'], isLive: true },
  )
  const { open, drawer } = useDrawer(endpoint, page.data?.items)
  const columns = columnsOf(open)
  return (
    <Card
      title="Deliveries"
      actions={
        <PermittedButton
          {...{ scope: 'webhooks:write', variant: 'default', size: 'xs' }}
          disabled={endpoint.status !== 'enabled'}
          onClick={() => setResending(true)}
        >
          Resend a time range
        </PermittedButton>
      }
    >
      <div className="card-filters">
        <SelectFilter label="State" name="status" data={Object.keys(tones)} />
        <SelectFilter label="Event type" name="type" data={types} />
      </div>
      <List
        {...{ name: 'deliveries', page, columns, onOpen: open }}
        keyOf={({ id }) => id}
        empty={
          status || event_type
            ? 'No delivery fits these filters.'
            : 'Nothing was sent yet. Send a test event to try it.'
        }
      />
      {drawer}
      {isResending && <ResendSpan endpoint={endpoint} onClose={() => setResending(false)} />}
    </Card>
  )
}

/** The drawer of the message that the address names, and what opens another one. */
function useDrawer(endpoint: WebhookEndpoint, items: readonly WebhookDelivery[] | undefined) {
  const { filters, set, replace } = useFilters()
  const { delivery: asked = '' } = filters
  // An open message stays open if it leaves this page of the list, for example because it is sent
  // again.
  const [known, setKnown] = useState<WebhookDelivery | null>(null)
  const isOpened = ({ id }: WebhookDelivery) => id === asked
  const listed = items?.find(isOpened)
  // An event that was searched for may be older than those of this page.
  const alone = useRead<WebhookDelivery>(
    ['webhooks', endpoint.id, 'deliveries', 'one', asked],
    (options) =>
      gateway.webhooks.getDelivery({ endpoint_id: endpoint.id, delivery_id: asked }, options),
    {
      ...{ scopes: ['webhooks:read'], isLive: true },
      isEnabled: asked !== '' && items !== undefined && !listed,
    },
  )
  const opened = listed ?? alone.data ?? (known && isOpened(known) ? known : null)
  const close = () => replace({ ...filters, delivery: undefined })
  const open = (delivery: WebhookDelivery) => {
    setKnown(delivery)
    set({ ...filters, delivery: delivery.id })
  }
  const drawer = opened ? (
    <DeliveryDrawer
      delivery={opened}
      isEnabled={endpoint.status === 'enabled'}
      onResent={setKnown}
      onClose={close}
    />
  ) : (
    asked !== '' &&
    items && (
      <Drawer opened onClose={close} title={<Title order={2}>Delivery</Title>}>
        <Unread read={alone} what="the delivery" />
      </Drawer>
    )
  )
  return { open, drawer }
}

function columnsOf(open: (delivery: WebhookDelivery) => void): readonly Column<WebhookDelivery>[] {
  return [
    {
      label: 'Event',
      cell: (delivery) => (
        <button type="button" className="row-link mono" onClick={() => open(delivery)}>
          {delivery.event_type}
        </button>
      ),
    },
    {
      label: 'State',
      cell: ({ status: state }) => <Status tone={tones[state]}>{state}</Status>,
    },
    { label: 'Attempts', isRight: true, cell: ({ attempt_count }) => attempt_count },
    { label: 'Newest answer', cell: ({ attempts: [newest] }) => answerOf(newest) },
    { label: 'Queued', onPhone: 'side', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      label: 'Next attempt',
      cell: ({ next_attempt_at }) =>
        next_attempt_at ? <Time at={next_attempt_at} as="relative" /> : <None />,
    },
  ]
}
