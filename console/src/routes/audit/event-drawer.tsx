import { Drawer, Stack, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { AuditEvent } from 'credit-gateway-sdk'
import { Copyable } from '../../components/copy.tsx'
import { Facts, Json } from '../../components/facts.tsx'
import { Time } from '../../components/time.tsx'
import { integer } from '../../format/numbers.ts'
import { resultOf } from './sentence.ts'

interface EventDrawerProps {
  readonly event: AuditEvent
  readonly sentence: string
  /** Who has done it, by name. */
  readonly who: string
  readonly onClose: () => void
}

/** All facts of one event of the audit trail. */
export function EventDrawer({ event, sentence, who, onClose }: EventDrawerProps) {
  const { action, details, request_id, resource_id, trace_id } = event
  return (
    <Drawer opened onClose={onClose} title={sentence}>
      <Stack gap="lg">
        <Facts
          facts={[
            [
              'Action',
              <span key="action" className="mono">
                {action}
              </span>,
            ],
            ['Result', resultOf(event.result)],
            ['When', <Time at={event.occurred_at} key="when" />],
            ['Who', who],
            ['Actor', `${event.actor_kind.replaceAll('_', ' ')} ${event.actor_id}`],
            ['Role', event.actor_role],
            ['To what', resource_id && <Copyable text={resource_id} what="id" />],
            ['From', event.address],
            [
              'Request',
              request_id && (
                <Link to="/logs" search={{ request: request_id } as never} className="mono host">
                  {request_id}
                </Link>
              ),
            ],
            ['Trace', trace_id && <Copyable text={trace_id} what="trace id" />],
            ['Event', <Copyable key="id" text={event.id} what="id" />],
            ['Number', integer(event.seq)],
            ['Hash', <Copyable key="hash" text={event.hash} what="hash" />],
          ]}
        />
        {Object.keys(details).length > 0 && (
          <section aria-label="Details">
            <Title order={3} mb="xs">
              Details
            </Title>
            <Json value={details} label="Details of the event" />
          </section>
        )}
      </Stack>
    </Drawer>
  )
}
