import type { Billing as BillingState } from 'credit-gateway-sdk'
import { gateway } from '../../api.ts'
import { Card, Screen } from '../../components/screen.tsx'
import { Unread } from '../../components/unread.tsx'
import { useRead } from '../../data/read.ts'
import { AutoRecharge } from './auto-recharge.tsx'
import { Details } from './details.tsx'
import { Invoices } from './invoices.tsx'
import { Keywords } from './keywords.tsx'
import { PaymentMethods } from './methods.tsx'
import { Packages } from './packages.tsx'
import { Payments } from './payments.tsx'
import { ReturnedPayment } from './returned-payment.tsx'
import { SubscriptionAndAddons } from './subscription.tsx'

/** Purchases, payments and payment methods of the account. */
export default function Billing() {
  const billing = useRead<BillingState>(
    ['billing', 'state'],
    (options) => gateway.billing.get({}, options),
    { scopes: ['billing:read'], isLive: true },
  )
  return (
    <Screen title="Billing">
      <div className="cards">
        <ReturnedPayment />
        {billing.data ? (
          <>
            <Packages billing={billing.data} />
            <div className="half">
              <AutoRecharge billing={billing.data} />
              <PaymentMethods />
            </div>
          </>
        ) : (
          <Card title="Credit packages">
            <Unread read={billing} what="the packages" />
          </Card>
        )}
        <SubscriptionAndAddons />
        <Keywords />
        <Invoices />
        <Payments />
        <Details />
      </div>
    </Screen>
  )
}
