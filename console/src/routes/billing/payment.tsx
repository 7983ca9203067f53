import { Card } from '../../components/screen.tsx'
import { Unread } from '../../components/unread.tsx'
import { AutoRecharge } from './auto-recharge.tsx'
import { useBilling } from './billing.tsx'
import { PaymentMethods } from './methods.tsx'
import { BillingPage } from './pages.tsx'
import { Payments } from './payments.tsx'

/** Cards, auto-recharge, and all payments. */
export default function Payment() {
  const billing = useBilling()
  return (
    <BillingPage at="/billing/payment">
      <div className="half">
        <PaymentMethods />
        {billing.data ? (
          <AutoRecharge billing={billing.data} />
        ) : (
          <Card title="Auto-recharge">
            <Unread read={billing} what="the settings" />
          </Card>
        )}
      </div>
      <Payments />
    </BillingPage>
  )
}
