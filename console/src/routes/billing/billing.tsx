import type { Billing as BillingState } from 'credit-gateway-sdk'
import { gateway } from '../../api.ts'
import { Card } from '../../components/screen.tsx'
import { Unread } from '../../components/unread.tsx'
import { useRead } from '../../data/read.ts'
import { AddonsCard } from './addons.tsx'
import { Packages } from './packages.tsx'
import { BillingPage } from './pages.tsx'
import { PlanCard } from './plan.tsx'
import { ReturnedPayment } from './returned-payment.tsx'

export function useBilling() {
  return useRead<BillingState>(
    ['billing', 'state'],
    (options) => gateway.billing.get({}, options),
    { scopes: ['billing:read'], isLive: true },
  )
}

/** The plan, and the packages of credits. */
export default function PlanAndCredits() {
  const billing = useBilling()
  return (
    <BillingPage at="/billing">
      <ReturnedPayment />
      <PlanCard />
      {billing.data ? (
        <Packages billing={billing.data} />
      ) : (
        <Card title="Credit packages">
          <Unread read={billing} what="the packages" />
        </Card>
      )}
      <AddonsCard />
    </BillingPage>
  )
}
