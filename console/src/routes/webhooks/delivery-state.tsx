import type { WebhookDelivery } from 'credit-gateway-sdk'
import type { Tone } from '../../components/status.tsx'

export const tones: Readonly<Record<WebhookDelivery['status'], Tone>> = {
  ...{ pending: 'caution', succeeded: 'good', failed: 'alert' },
}

type Attempt = WebhookDelivery['attempts'][number]

/** The outcome of an attempt, in a word. */
export function answerOf(attempt: Attempt | undefined) {
  if (!attempt) return <Dash />
  if (attempt.failure === null || attempt.failure === undefined) return String(attempt.status_code)
  return <span className="field-error">{attempt.failure}</span>
}

export function Dash() {
  return <span className="quiet">–</span>
}
