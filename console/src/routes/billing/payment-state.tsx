import type { PastPayment } from 'credit-gateway-sdk'
import { Money } from '../../components/money.tsx'
import { Status, type Tone } from '../../components/status.tsx'

const states: Readonly<Record<PastPayment['status'], readonly [Tone, string]>> = {
  requires_action: ['caution', 'waiting for you'],
  pending: ['caution', 'in progress'],
  paid: ['good', 'paid'],
  failed: ['alert', 'failed'],
  expired: ['quiet', 'expired'],
}

/** What a payment was made for. */
export const sources: Readonly<Record<PastPayment['source'], string>> = {
  ...{ checkout: 'purchase', recharge: 'auto-recharge', renewal: 'renewal', plan: 'plan change' },
}

/** Where a payment stands, and what became of its money. */
export function PaymentState({ payment }: { readonly payment: PastPayment }) {
  const { status, disputed, failure_reason, refunded_cents, currency } = payment
  const [tone, word] = disputed ? (['alert', 'disputed'] as const) : states[status]
  return (
    <>
      <Status tone={tone}>{word}</Status>
      {failure_reason && <div className="quiet small">{failure_reason}</div>}
      {refunded_cents > 0 && (
        <div className="quiet small">
          <Money cents={refunded_cents} currency={currency} /> refunded
        </div>
      )}
    </>
  )
}
