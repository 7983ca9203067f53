import { Args, Authorized, Ctx, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { ConnectionArgs } from '../../shared/lists/page.type.ts'
import { readConnection } from '../../shared/lists/pagination.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import {
  failingRecharges,
  failingWebhooks,
  openDisputes,
  paymentsInDoubt,
  pendingRefunds,
} from './money.service.ts'
import {
  FailingRechargeConnection,
  FailingWebhookConnection,
  OpenDisputeConnection,
  PaymentInDoubtConnection,
  PendingRefundConnection,
} from './money.type.ts'

/** What operators look after in all accounts. */
@Resolver()
export class MoneyResolver {
  @Authorized('readonly')
  @Query(() => PaymentInDoubtConnection, {
    description: 'Payments whose outcome is not known yet, newest first.',
  })
  paymentsInDoubt(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Ctx() context: GraphContext,
  ): Promise<PaymentInDoubtConnection> {
    const { database, caller } = context
    return readConnection(context, paymentsInDoubt(database, caller.environment), page)
  }

  @Authorized('readonly')
  @Query(() => OpenDisputeConnection, {
    description: 'Disputes that are not decided, newest first.',
  })
  openDisputes(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Ctx() context: GraphContext,
  ): Promise<OpenDisputeConnection> {
    const { database, caller } = context
    return readConnection(context, openDisputes(database, caller.environment), page)
  }

  @Authorized('readonly')
  @Query(() => PendingRefundConnection, {
    description: 'Refunds that the provider has not decided, newest first.',
  })
  pendingRefunds(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Ctx() context: GraphContext,
  ): Promise<PendingRefundConnection> {
    const { database, caller } = context
    return readConnection(context, pendingRefunds(database, caller.environment), page)
  }

  @Authorized('readonly')
  @Query(() => FailingRechargeConnection, {
    description: 'Automatic recharging that is switched on and has failed.',
  })
  failingRecharges(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Ctx() context: GraphContext,
  ): Promise<FailingRechargeConnection> {
    const { database, caller } = context
    return readConnection(context, failingRecharges(database, caller.environment), page)
  }

  @Authorized('readonly')
  @Query(() => FailingWebhookConnection, {
    description: 'Endpoints whose deliveries fail, newest first.',
  })
  failingWebhooks(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Ctx() context: AccountContext,
  ): Promise<FailingWebhookConnection> {
    return readConnection(context, failingWebhooks(context, context.caller.environment), page)
  }
}
