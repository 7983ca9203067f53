import { Arg, Args, Authorized, Ctx, FieldResolver, Resolver, Root } from 'type-graphql'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { EnvironmentName } from '../../shared/graph/environment.type.ts'
import { listSequentially, sequentially } from '../../shared/lists/sequentially.ts'
import { Account } from '../accounts/account.type.ts'
import { getCreditBalance } from '../ledger/credit-balance.service.ts'
import { CreditBalance } from '../ledger/credit-balance.type.ts'
import { entriesOf } from '../ledger/ledger-entry.service.ts'
import { lotsOf } from '../lots/lot.service.ts'
import { getAutoRecharge } from '../low-balance/auto-recharge.service.ts'
import { AutoRecharge } from '../low-balance/auto-recharge.type.ts'
import { isBlocked } from '../payment-blocks/payment-block.service.ts'
import { getBillingDetails } from '../payments/invoices/billing-details.service.ts'
import { BillingDetails } from '../payments/invoices/billing-details.type.ts'
import { invoicesOf } from '../payments/invoices/invoice.service.ts'
import { canCharge } from '../payments/providers/configured.ts'
import { paymentsOf } from '../payments/returns/account-payment.service.ts'
import { AccountPaymentConnection } from '../payments/returns/account-payment.type.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { getAddons } from '../subscriptions/addon.service.ts'
import { Addons } from '../subscriptions/addon.type.ts'
import { findSubscription } from '../subscriptions/subscription.service.ts'
import { Subscription } from '../subscriptions/subscription.type.ts'
import { keywordsOf } from '../subscriptions/tracked-keyword.service.ts'
import { eventsOf } from '../webhooks/event.service.ts'
import { endpointsOf } from '../webhooks/webhook-endpoint.service.ts'
import {
  AccountEventConnection,
  AccountListArgs,
  CreditLotConnection,
  environmentArg,
  InvoiceConnection,
  LedgerEntryConnection,
  TrackedKeywordConnection,
  WebhookEndpointConnection,
} from './account-details.type.ts'

/** Shows internal tools what REST shows an account: for any account, in both environments. */
@Resolver(() => Account)
export class AccountDetailsResolver {
  @Authorized('readonly')
  @FieldResolver(() => CreditBalance, {
    description: 'The credits of the account, held ones included.',
  })
  credits(
    @Root() account: Account,
    @Arg('environment', () => EnvironmentName, environmentArg) environment: EnvironmentName | null,
    @Ctx() { database }: GraphContext,
  ): Promise<CreditBalance> {
    return getCreditBalance(database, stateOf(account, environment))
  }

  @Authorized('readonly')
  @FieldResolver(() => Boolean, {
    description: 'Whether a dispute blocks payments until `liftPaymentBlock`.',
  })
  isPaymentBlocked(
    @Root() account: Account,
    @Arg('environment', () => EnvironmentName, environmentArg) environment: EnvironmentName | null,
    @Ctx() context: GraphContext,
  ): Promise<boolean> {
    const owner = stateOf(account, environment)
    return sequentially(context, () => isBlocked(context.database, owner))
  }

  @Authorized('readonly')
  @FieldResolver(() => Subscription, {
    nullable: true,
    description: 'The subscription of the account; null when there never was one.',
  })
  subscription(
    @Root() account: Account,
    @Arg('environment', () => EnvironmentName, environmentArg) environment: EnvironmentName | null,
    @Ctx() context: GraphContext,
  ): Promise<Subscription | null> {
    const owner = stateOf(account, environment)
    return sequentially(context, () => findSubscription(context.database, owner))
  }

  @Authorized('readonly')
  @FieldResolver(() => Addons, { description: 'The add-ons of the account.' })
  addons(
    @Root() account: Account,
    @Arg('environment', () => EnvironmentName, environmentArg) environment: EnvironmentName | null,
    @Ctx() context: GraphContext,
  ): Promise<Addons> {
    return sequentially(context, () => getAddons(context.database, stateOf(account, environment)))
  }

  @Authorized('readonly')
  @FieldResolver(() => AutoRecharge, { description: 'The settings of automatic recharging.' })
  autoRecharge(
    @Root() account: Account,
    @Arg('environment', () => EnvironmentName, environmentArg) environment: EnvironmentName | null,
    @Ctx() context: AccountContext,
  ): Promise<AutoRecharge> {
    const owner = stateOf(account, environment)
    return sequentially(context, () =>
      getAutoRecharge(context.database, owner, (method) =>
        canCharge(context, owner.environment, method),
      ),
    )
  }

  @Authorized('readonly')
  @FieldResolver(() => TrackedKeywordConnection, {
    description: 'The keywords that the account tracks.',
  })
  trackedKeywords(
    @Root() account: Account,
    @Args(() => AccountListArgs) { environment, ...page }: AccountListArgs,
    @Ctx() context: GraphContext,
  ): Promise<TrackedKeywordConnection> {
    return listSequentially(
      context,
      keywordsOf(context.database, stateOf(account, environment)),
      page,
    )
  }

  @Authorized('readonly')
  @FieldResolver(() => InvoiceConnection, { description: 'The invoices of the account.' })
  invoices(
    @Root() account: Account,
    @Args(() => AccountListArgs) { environment, ...page }: AccountListArgs,
    @Ctx() context: GraphContext,
  ): Promise<InvoiceConnection> {
    return listSequentially(
      context,
      invoicesOf(context.database, stateOf(account, environment)),
      page,
    )
  }

  @Authorized('readonly')
  @FieldResolver(() => BillingDetails, { description: "The recipient of the account's invoices." })
  billingDetails(
    @Root() account: Account,
    @Arg('environment', () => EnvironmentName, environmentArg) environment: EnvironmentName | null,
    @Ctx() context: GraphContext,
  ): Promise<BillingDetails> {
    return sequentially(context, () =>
      getBillingDetails(context.database, stateOf(account, environment)),
    )
  }

  @Authorized('readonly')
  @FieldResolver(() => AccountPaymentConnection, {
    description: 'The payments of the account, with their refunds and disputes.',
  })
  payments(
    @Root() account: Account,
    @Args(() => AccountListArgs) { environment, ...page }: AccountListArgs,
    @Ctx() context: GraphContext,
  ): Promise<AccountPaymentConnection> {
    return listSequentially(
      context,
      paymentsOf(context.database, stateOf(account, environment)),
      page,
    )
  }

  @Authorized('readonly')
  @FieldResolver(() => LedgerEntryConnection, { description: 'The ledger of the account.' })
  ledger(
    @Root() account: Account,
    @Args(() => AccountListArgs) { environment, ...page }: AccountListArgs,
    @Ctx() context: GraphContext,
  ): Promise<LedgerEntryConnection> {
    return listSequentially(
      context,
      entriesOf(context.database, stateOf(account, environment)),
      page,
    )
  }

  @Authorized('readonly')
  @FieldResolver(() => CreditLotConnection, {
    description: 'The lots that have credits left, in the order in which they are used up.',
  })
  lots(
    @Root() account: Account,
    @Args(() => AccountListArgs) { environment, ...page }: AccountListArgs,
    @Ctx() context: GraphContext,
  ): Promise<CreditLotConnection> {
    return listSequentially(context, lotsOf(context.database, stateOf(account, environment)), page)
  }

  @Authorized('readonly')
  @FieldResolver(() => WebhookEndpointConnection, {
    description: 'The endpoints that events of the account are sent to.',
  })
  webhookEndpoints(
    @Root() account: Account,
    @Args(() => AccountListArgs) { environment, ...page }: AccountListArgs,
    @Ctx() context: AccountContext,
  ): Promise<WebhookEndpointConnection> {
    return listSequentially(context, endpointsOf(context, stateOf(account, environment)), page)
  }

  @Authorized('readonly')
  @FieldResolver(() => AccountEventConnection, {
    description: 'The events that webhooks announced for the account.',
  })
  events(
    @Root() account: Account,
    @Args(() => AccountListArgs) { environment, ...page }: AccountListArgs,
    @Ctx() context: GraphContext,
  ): Promise<AccountEventConnection> {
    return listSequentially(
      context,
      eventsOf(context.database, stateOf(account, environment)),
      page,
    )
  }
}

function stateOf({ id }: Account, environment: EnvironmentName | null | undefined): AccountScope {
  return { accountId: id, environment: environment ?? EnvironmentName.LIVE }
}
