import { Drawer, Group, Stack, Title } from '@mantine/core'
import type { WebhookDelivery } from 'credit-gateway-sdk'
import { acting, queries } from '../../api.ts'
import { CopyButton } from '../../components/copy.tsx'
import { Facts, Json } from '../../components/facts.tsx'
import { PermittedButton } from '../../components/forms/permitted-button.tsx'
import { ProblemNotice } from '../../components/problem.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { useAct } from '../../data/act.ts'
import { duration } from '../../format/numbers.ts'
import { answerOf, tones } from './delivery-state.tsx'

interface DeliveryDrawerProps {
  readonly delivery: WebhookDelivery
  readonly isEnabled: boolean
  readonly onResent: (delivery: WebhookDelivery) => void
  readonly onClose: () => void
}

/** One message: its content, and every attempt. */
export function DeliveryDrawer({ delivery, isEnabled, onResent, onClose }: DeliveryDrawerProps) {
  const resend = useAct(async () => {
    onResent((await acting.webhooks.resendDelivery({ delivery_id: delivery.id })).data)
    await queries.invalidateQueries({ queryKey: ['webhooks'] })
  })
  const { id, event_id, event_type, status, next_attempt_at } = delivery
  return (
    <Drawer opened onClose={onClose} title={<span className="mono">{event_type}</span>}>
      <Stack gap="lg">
        <Group justify="space-between">
          <Status tone={tones[status]}>{status}</Status>
          <PermittedButton
            {...{ scope: 'webhooks:write', size: 'xs', loading: resend.isBusy }}
            disabled={!isEnabled}
            onClick={() => void resend.run()}
          >
            Resend
          </PermittedButton>
        </Group>
        {resend.problem && <ProblemNotice error={resend.problem} />}
        <Facts
          facts={[
            [
              'Delivery',
              <span className="mono" key="id">
                {id}
              </span>,
            ],
            [
              'Event',
              <span className="mono" key="event">
                {event_id}
              </span>,
            ],
            ['Queued', <Time at={delivery.created_at} key="queued" />],
            ['Next attempt', next_attempt_at ? <Time at={next_attempt_at} as="relative" /> : null],
          ]}
        />
        <Attempts delivery={delivery} />
        <Payload delivery={delivery} />
      </Stack>
    </Drawer>
  )
}

interface OfDelivery {
  readonly delivery: WebhookDelivery
}

function Attempts({ delivery: { attempts, attempt_count } }: OfDelivery) {
  return (
    <section aria-label="Attempts">
      <Title order={3} mb="xs">
        Attempts ({attempt_count})
      </Title>
      {attempts.length === 0 ? (
        <p className="quiet">None yet.</p>
      ) : (
        <ol className="attempts">
          {attempts.map((attempt) => (
            <li key={attempt.attempted_at}>
              <Time at={attempt.attempted_at} />
              <span>{answerOf(attempt)}</span>
              <span className="quiet amount">{duration(attempt.latency_ms)}</span>
              <Exchange attempt={attempt} />
            </li>
          ))}
        </ol>
      )}
      {attempt_count > attempts.length && (
        <p className="quiet small">The newest {attempts.length} are kept.</p>
      )}
    </section>
  )
}

/** What was sent, and what came back, as far as it is kept. */
function Exchange({ attempt }: { readonly attempt: WebhookDelivery['attempts'][number] }) {
  const { request_headers: headers, response_text: text } = attempt
  if (!headers && text === null) return null
  return (
    <details className="exchange">
      <summary className="small">Request and answer</summary>
      {headers && (
        <>
          <div className="small quiet">Headers that we sent, without the signature</div>
          <pre className="code">
            {Object.entries(headers)
              .map(([name, value]) => `${name}: ${String(value)}`)
              .join('\n')}
          </pre>
        </>
      )}
      <div className="small quiet">What your receiver answered</div>
      {text ? (
        <pre className="code">{text}</pre>
      ) : (
        <p className="small">
          {text === null
            ? 'Not kept: only answers from public addresses are, for 7 days, and you need webhooks:write to read them.'
            : 'The answer was empty.'}
        </p>
      )}
    </details>
  )
}

function Payload({ delivery: { payload } }: OfDelivery) {
  return (
    <section aria-label="Payload">
      <Group justify="space-between" mb="xs">
        <Title order={3}>Payload</Title>
        {payload && <CopyButton text={JSON.stringify(payload)} what="the payload" />}
      </Group>
      {payload ? (
        <Json value={payload} label="Payload of the message" />
      ) : (
        <p className="quiet">The event is too old: it is no longer stored.</p>
      )}
    </section>
  )
}
