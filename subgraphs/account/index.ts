import { buildSubgraph } from '../shared/graph/build-subgraph.ts'
import { inProcessExecutor } from '../shared/graph/in-process.ts'
import type { Subgraph } from '../shared/graph/subgraph.ts'
import { baselineIn } from '../shared/migrating/baseline.ts'
import { AccountEntity, PlanEntity } from './accounts/account.entity.ts'
import { AccountResolver } from './accounts/account.resolver.ts'
import { getAccount } from './accounts/account.service.ts'
import { getUserinfo } from './accounts/userinfo.service.ts'
import { Userinfo } from './accounts/userinfo.type.ts'
import { AccountAdministrationResolver } from './administration/account-administration.resolver.ts'
import { AccountDetailsResolver } from './administration/account-details.resolver.ts'
import { AccountAttentionResolver } from './attention/attention.resolver.ts'
import { BudgetResolver } from './budgets/budget.resolver.ts'
import { LedgerHeadResolver } from './digests/ledger-head.resolver.ts'
import { forecast } from './forecast/forecast.service.ts'
import { Forecast } from './forecast/forecast.type.ts'
import { FacadeProcessResolver } from './holds/facade-process.resolver.ts'
import { HoldResolver } from './holds/hold.resolver.ts'
import { ChargeTotalsResolver } from './ledger/charge-totals.resolver.ts'
import { CreditBalanceEntity } from './ledger/credit-balance.entity.ts'
import { CreditBalanceResolver } from './ledger/credit-balance.resolver.ts'
import { LedgerEntryResolver } from './ledger/ledger-entry.resolver.ts'
import { LedgerVerificationResolver } from './ledger/ledger-verification.resolver.ts'
import { LotResolver } from './lots/lot.resolver.ts'
import { MoneyResolver } from './money/money.resolver.ts'
import { NotificationResolver } from './notifications/notification.resolver.ts'
import { OperatorActResolver } from './operator-acts/operator-act.resolver.ts'
import { ownActKeys } from './operator-acts/operator-act.service.ts'
import { BillingResolver } from './payments/billing.resolver.ts'
import { CheckoutResolver } from './payments/checkouts/checkout.resolver.ts'
import { PastPaymentResolver } from './payments/history/past-payment.resolver.ts'
import { BillingDetailsResolver } from './payments/invoices/billing-details.resolver.ts'
import { InvoiceResolver } from './payments/invoices/invoice.resolver.ts'
import { PaymentMethodResolver } from './payments/methods/payment-method.resolver.ts'
import { PaymentNotificationResolver } from './payments/returns/notification.resolver.ts'
import { ReturnsResolver } from './payments/returns/returns.resolver.ts'
import { SimulatedPageResolver } from './payments/simulated-page/simulated-page.resolver.ts'
import { DeadJobResolver } from './processes/dead-job.resolver.ts'
import { ProcessReportResolver } from './processes/process-report.resolver.ts'
import type { AccountContext, AccountSettings } from './settings/account-settings.ts'
import { AddonResolver } from './subscriptions/addon.resolver.ts'
import { PlanResolver } from './subscriptions/plans/plan.resolver.ts'
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
export {
  type DemoBudget,
  type DemoDelivery,
  writeDemoBudgets,
  writeDemoDeliveries,
  writeDemoDispute,
} from './demo-history/demo-objects.ts'
export { startMailDispatcher } from './notifications/mail-dispatcher.ts'
export { mailChannel } from './notifications/mail-outbox.service.ts'
export { startDispatcher } from './webhooks/webhook-dispatcher.ts'
export { webhookChannel } from './webhooks/webhook-fan-out.service.ts'

/** The account subgraph: accounts, credit ledger, holds, payments, subscriptions, webhooks and notifications. */
export const account: Subgraph<AccountSettings> = {
  name: 'account',
  entities: [AccountEntity, PlanEntity, CreditBalanceEntity, TrackedKeywordEntity],
  migrations: [baselineIn('account/migrations')],
  jobs: [
    'TurnSubscription',
    'EndGrace',
    'TurnAddon',
    'ExpireGrants',
    'PublishExpiringCredits',
    'CollectPayment',
    'CollectRefund',
    'KeepPaidCard',
    'WatchBalance',
    'ResendWebhookSlice',
    'SendInvitation',
    'RemoveInvitationMails',
    'MailPeople',
  ],
  executor: (schema, settings) =>
    inProcessExecutor(schema, { ...settings, acts: ownActKeys(settings.database) }),
  buildSchema: () =>
    buildSubgraph({
      resolvers: [
        AccountResolver,
        AccountAdministrationResolver,
        AccountAttentionResolver,
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
        MoneyResolver,
        DeadJobResolver,
        OperatorActResolver,
        ProcessReportResolver,
        FacadeProcessResolver,
        NotificationResolver,
        PaymentNotificationResolver,
        ReturnsResolver,
        PaymentMethodResolver,
        PastPaymentResolver,
        PlanResolver,
        SimulatedPageResolver,
        SubscriptionResolver,
        TrackedKeywordResolver,
        WebhookResolver,
      ],
      orphanedTypes: [Forecast, Userinfo],
      references: {
        Account: ({ id }, context) => getAccount(context, id),
        Forecast: (reference, context) => forecast(context as AccountContext, reference),
        Userinfo: (reference, context) => getUserinfo(context, reference),
      },
    }),
}
