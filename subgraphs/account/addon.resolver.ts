import { Arg, Authorized, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../shared/context.ts'
import { cancelMassMail, getAddons, turnAddons } from './addon.service.ts'
import { Addons } from './addon.type.ts'

@Resolver()
export class AddonResolver {
  @Authorized('account')
  @Query(() => Addons, { description: "The caller's add-ons." })
  addons(@Ctx() context: GraphContext): Promise<Addons> {
    return getAddons(context.database, requireAccount(context))
  }

  @Authorized('account')
  @Mutation(() => Addons, { description: 'Cancels Mass Mail at the end of its period.' })
  cancelMassMail(@Ctx() context: GraphContext): Promise<Addons> {
    return cancelMassMail(context.database, requireAccount(context))
  }

  @Authorized('service')
  @Mutation(() => Int, { description: 'Ends or renews add-ons whose period is over; how many.' })
  turnAddons(
    @Arg('limit', () => Int, { description: 'How many at most.' }) limit: number,
    @Ctx() { em }: GraphContext,
  ): Promise<number> {
    return turnAddons(em, limit)
  }
}
