import type { WebhookDelivery } from 'credit-gateway-sdk'
import { None } from '../../components/figures.tsx'
import type { Tone } from '../../components/status.tsx'

export const tones: Readonly<Record<WebhookDelivery['status'], Tone>> = {
  ...{ pending: 'caution', succeeded: 'good', failed: 'alert' },
}

type Attempt = WebhookDelivery['attempts'][number]

/** The outcome of an attempt, in a word. */
export function answerOf(attempt: Attempt | undefined) {
  if (!attempt) return <None />
  if (attempt.failure === null || attempt.failure === undefined) return String(attempt.status_code)
  return <span className="field-error">{attempt.failure.replace(/^http /, 'HTTP ')}</span>
}
