import { Authorized, Ctx, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../shared/context.ts'
import { getAccount } from './account.service.ts'
import { getAddons } from './addon.service.ts'
import { Overview } from './overview.type.ts'
import { findSubscription } from './subscription.service.ts'

/** There are no webhooks to register yet. */
const noWebhooks = { endpoints: 0, deliveryRate: null }

@Resolver()
export class OverviewResolver {
  @Authorized('account')
  @Query(() => Overview, { description: "The caller's account at one glance." })
  async overview(@Ctx() context: GraphContext): Promise<Overview> {
    const caller = requireAccount(context)
    const { accountId } = caller
    const [account, subscription, addons] = await Promise.all([
      getAccount(context, accountId),
      findSubscription(context.database, caller),
      getAddons(context.database, caller),
    ])
    return { accountId, account, subscription, addons, webhooks: noWebhooks }
  }
}
