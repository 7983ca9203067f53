import { buildSubgraph } from '../shared/graph/build-subgraph.ts'
import { inProcessExecutor } from '../shared/graph/in-process.ts'
import type { Subgraph } from '../shared/graph/subgraph.ts'
import { AccountEntity, PlanEntity } from './accounts/account.entity.ts'
import { AccountResolver } from './accounts/account.resolver.ts'
import { getAccount } from './accounts/account.service.ts'
import { getUserinfo } from './accounts/userinfo.service.ts'
import { Userinfo } from './accounts/userinfo.type.ts'
import { AccountAdministrationResolver } from './administration/account-administration.resolver.ts'
import { AccountDetailsResolver } from './administration/account-details.resolver.ts'
import { BudgetResolver } from './budgets/budget.resolver.ts'
import { LedgerHeadResolver } from './digests/ledger-head.resolver.ts'
import { FacadeProcessResolver } from './holds/facade-process.resolver.ts'
import { HoldResolver } from './holds/hold.resolver.ts'
import { ChargeTotalsResolver } from './ledger/charge-totals.resolver.ts'
import { CreditBalanceEntity } from './ledger/credit-balance.entity.ts'
import { CreditBalanceResolver } from './ledger/credit-balance.resolver.ts'
import { LedgerEntryResolver } from './ledger/ledger-entry.resolver.ts'
import { LedgerVerificationResolver } from './ledger/ledger-verification.resolver.ts'
import { LotResolver } from './lots/lot.resolver.ts'
import { AccountsAndLedger0001 } from './migrations/0001-accounts-and-ledger.ts'
import { Idempotency0002 } from './migrations/0002-idempotency.ts'
import { Recovery0003 } from './migrations/0003-recovery.ts'
import { ExpiringGrants0004 } from './migrations/0004-expiring-grants.ts'
import { PostingKeys0005 } from './migrations/0005-posting-keys.ts'
import { Entitlements0006 } from './migrations/0006-entitlements.ts'
import { Payments0007 } from './migrations/0007-payments.ts'
import { Jobs0008 } from './migrations/0008-jobs.ts'
import { TenantIsolation0009 } from './migrations/0009-tenant-isolation.ts'
import { Webhooks0010 } from './migrations/0010-webhooks.ts'
import { PaymentPeriodEnd0011 } from './migrations/0011-payment-period-end.ts'
import { PaidAllowances0012 } from './migrations/0012-paid-allowances.ts'
import { InvoiceCounters0013 } from './migrations/0013-invoice-counters.ts'
import { InvoiceNumbers0014 } from './migrations/0014-invoice-numbers.ts'
import {
  BalanceBounds0018,
  BalanceBoundsValid0019,
  HoldCalls0015,
  KeyChecks0020,
  LedgerBounds0017,
  LedgerCalls0016,
  LedgerCharges0022,
  LedgerPromotions0024,
  LedgerReferences0023,
  LedgerUnique0025,
  ReportedProcesses0021,
} from './migrations/0015-charge-columns.ts'
import { EndedHolds0026 } from './migrations/0026-ended-holds.ts'
import { CarefulCharges0027 } from './migrations/0027-careful-charges.ts'
import { Budgets0028 } from './migrations/0028-budgets.ts'
import { Notifications0029 } from './migrations/0029-notifications.ts'
import { CallLines0030 } from './migrations/0030-call-lines.ts'
import { Checkouts0031 } from './migrations/0031-checkouts.ts'
import { Lots0032 } from './migrations/0032-lots.ts'
import { PaymentReference0039, PaymentReturns0033 } from './migrations/0033-payment-returns.ts'
import {
  CreditNoteRefunds0035,
  CreditNotesOfInvoice0036,
  InvoiceChecks0037,
  Invoices0034,
} from './migrations/0034-invoices.ts'
import { UnusedReservation0038 } from './migrations/0038-unused-reservation.ts'
import { FailedDeliveries0040 } from './migrations/0040-failed-deliveries.ts'
import { ExpiryNotices0041 } from './migrations/0041-expiry-notices.ts'
import { RefusedAfterExpiry0042 } from './migrations/0042-refused-after-expiry.ts'
import { SessionCalls0043 } from './migrations/0043-session-calls.ts'
import { Analysis0044 } from './migrations/0044-analysis.ts'
import { ChosenMethods0045 } from './migrations/0045-chosen-methods.ts'
import { WebhookResends0046 } from './migrations/0046-webhook-resends.ts'
import { MailsOfAccounts0047 } from './migrations/0047-mails-of-accounts.ts'
import { NotificationResolver } from './notifications/notification.resolver.ts'
import { BillingResolver } from './payments/billing.resolver.ts'
import { CheckoutResolver } from './payments/checkouts/checkout.resolver.ts'
import { BillingDetailsResolver } from './payments/invoices/billing-details.resolver.ts'
import { InvoiceResolver } from './payments/invoices/invoice.resolver.ts'
import { PaymentMethodResolver } from './payments/methods/payment-method.resolver.ts'
import { PaymentNotificationResolver } from './payments/returns/notification.resolver.ts'
import { ReturnsResolver } from './payments/returns/returns.resolver.ts'
import { SimulatedPageResolver } from './payments/simulated-page/simulated-page.resolver.ts'
import type { AccountSettings } from './settings/account-settings.ts'
import { AddonResolver } from './subscriptions/addon.resolver.ts'
import { SubscriptionResolver } from './subscriptions/subscription.resolver.ts'
import { TrackedKeywordEntity } from './subscriptions/tracked-keyword.entity.ts'
import { TrackedKeywordResolver } from './subscriptions/tracked-keyword.resolver.ts'
import { EventResolver } from './webhooks/event.resolver.ts'
import { WebhookResolver } from './webhooks/webhook.resolver.ts'

export {
  type DemoCharge,
  type DemoHistory,
  takeDemoCharges,
  writeDemoHistory,
} from './demo-history/demo-history.ts'
export { startMailDispatcher } from './notifications/mail-dispatcher.ts'
export { mailChannel } from './notifications/mail-outbox.service.ts'
export { startDispatcher } from './webhooks/webhook-dispatcher.ts'
export { webhookChannel } from './webhooks/webhook-fan-out.service.ts'

/** The account subgraph: accounts, credit ledger, holds, payments, subscriptions, webhooks and notifications. */
export const account: Subgraph<AccountSettings> = {
  name: 'account',
  entities: [AccountEntity, PlanEntity, CreditBalanceEntity, TrackedKeywordEntity],
  migrations: [
    AccountsAndLedger0001,
    Idempotency0002,
    Recovery0003,
    ExpiringGrants0004,
    PostingKeys0005,
    Entitlements0006,
    Payments0007,
    Jobs0008,
    TenantIsolation0009,
    Webhooks0010,
    PaymentPeriodEnd0011,
    PaidAllowances0012,
    InvoiceCounters0013,
    InvoiceNumbers0014,
    HoldCalls0015,
    LedgerCalls0016,
    LedgerBounds0017,
    BalanceBounds0018,
    BalanceBoundsValid0019,
    KeyChecks0020,
    ReportedProcesses0021,
    LedgerCharges0022,
    LedgerReferences0023,
    LedgerPromotions0024,
    LedgerUnique0025,
    EndedHolds0026,
    CarefulCharges0027,
    Budgets0028,
    Notifications0029,
    CallLines0030,
    Checkouts0031,
    Lots0032,
    PaymentReturns0033,
    Invoices0034,
    CreditNoteRefunds0035,
    CreditNotesOfInvoice0036,
    InvoiceChecks0037,
    UnusedReservation0038,
    PaymentReference0039,
    FailedDeliveries0040,
    ExpiryNotices0041,
    RefusedAfterExpiry0042,
    SessionCalls0043,
    Analysis0044,
    ChosenMethods0045,
    WebhookResends0046,
    MailsOfAccounts0047,
  ],
  jobs: [
    'TurnSubscription',
    'EndGrace',
    'TurnAddon',
    'ExpireGrants',
    'PublishExpiringCredits',
    'CollectPayment',
    'CollectRefund',
    'FollowPayment',
    'KeepPaidCard',
    'WatchBalance',
    'ResendWebhookSlice',
  ],
  executor: inProcessExecutor,
  buildSchema: () =>
    buildSubgraph({
      resolvers: [
        AccountResolver,
        AccountAdministrationResolver,
        AccountDetailsResolver,
        AddonResolver,
        BillingDetailsResolver,
        BillingResolver,
        BudgetResolver,
        ChargeTotalsResolver,
        CheckoutResolver,
        CreditBalanceResolver,
        EventResolver,
        HoldResolver,
        InvoiceResolver,
        LedgerHeadResolver,
        LedgerVerificationResolver,
        LedgerEntryResolver,
        LotResolver,
        FacadeProcessResolver,
        NotificationResolver,
        PaymentNotificationResolver,
        ReturnsResolver,
        PaymentMethodResolver,
        SimulatedPageResolver,
        SubscriptionResolver,
        TrackedKeywordResolver,
        WebhookResolver,
      ],
      orphanedTypes: [Userinfo],
      references: {
        Account: ({ id }, context) => getAccount(context, id),
        Userinfo: (reference, context) => getUserinfo(context, reference),
      },
    }),
}
