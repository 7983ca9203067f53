import { Accordion } from '@mantine/core'
import { gateway } from '../../api.ts'
import { Json } from '../../components/facts.tsx'
import { Card } from '../../components/screen.tsx'
import { Unread } from '../../components/unread.tsx'
import { useRead } from '../../data/read.ts'

/** The types of events, read once for all dialogs and screens. */
export function useEventTypes() {
  return useRead(
    ['webhook-event-types'],
    (options) => gateway.webhooks.listEventTypes({}, options),
    { scopes: ['webhooks:read'] },
  )
}

/** Every type of event, with the message that a receiver would get. */
export function EventTypes() {
  const types = useEventTypes()
  const { data, missing } = types
  if (missing) return null
  return (
    <Card title="Event types">
      {!data && <Unread read={types} what="the event types" />}
      {data && (
        <Accordion order={3} chevronPosition="left" className="events">
          {data.items.map(({ type, description, example_payload }) => (
            <Accordion.Item key={type} value={type}>
              <Accordion.Control>
                <span className="event">
                  <span className="mono">{type}</span>
                  <span className="quiet small">{description}</span>
                </span>
              </Accordion.Control>
              <Accordion.Panel>
                <Json value={example_payload} label={`Example of ${type}`} />
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
    </Card>
  )
}
