import { Details } from './details.tsx'
import { Invoices } from './invoices.tsx'
import { BillingPage } from './pages.tsx'

/** Invoices, and whom they name. */
export default function InvoicesPage() {
  return (
    <BillingPage at="/billing/invoices">
      <Invoices />
      <Details />
    </BillingPage>
  )
}
