import type { Checkout } from 'credit-gateway-sdk'
import { useEffect } from 'react'
import { gateway, queries } from '../../api.ts'
import { useRead } from '../../data/read.ts'
import { useFilters } from '../../data/search.ts'
import { creditsText } from '../../format/numbers.ts'
import { PayLink } from './packages.tsx'

type Kind = 'good' | 'caution' | 'alert' | 'plain'

const kinds: Readonly<Record<Checkout['status'], Kind>> = {
  ...{ paid: 'good', pending: 'plain', requires_action: 'caution' },
  ...{ failed: 'alert', expired: 'caution' },
}

/**
 * The state of a payment, when the payer comes back from the provider's page. The address names the
 * payment.
 */
export function ReturnedPayment() {
  const { filters } = useFilters()
  const id = filters.checkout_id
  const { data } = useRead<Checkout>(
    ['billing', 'returned', id],
    (options) => gateway.billing.getCheckout({ checkout_id: id ?? '' }, options),
    { scopes: ['billing:read'], isEnabled: id !== undefined, isLive: true },
  )
  const status = data?.status
  useEffect(() => {
    if (status !== 'paid') return
    void queries.invalidateQueries({ queryKey: ['billing', 'invoices'] })
    void queries.invalidateQueries({ queryKey: ['billing', 'methods'] })
    void queries.invalidateQueries({ queryKey: ['credits'] })
  }, [status])
  if (!data) return null
  return (
    <div className="notice" data-kind={kinds[data.status]} role="status">
      {wordsOf(data)}{' '}
      {data.action_url && <PayLink url={data.action_url} label="Back to the payment page" />}
    </div>
  )
}

function wordsOf({ status, credits, failure_reason }: Checkout): string {
  switch (status) {
    case 'paid':
      return `The payment has arrived: ${creditsText(credits)} are yours.`
    case 'pending':
      return 'The payment is in progress. You get the credits when it has arrived.'
    case 'requires_action':
      return 'The payment waits for you.'
    case 'failed':
      return `The payment failed${failure_reason ? `: ${failure_reason}` : '.'} Nothing was charged.`
    case 'expired':
      return 'The payment page has expired. Nothing was charged.'
  }
}
