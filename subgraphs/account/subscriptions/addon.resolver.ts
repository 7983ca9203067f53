import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import { makeChange } from '../../shared/changes/change.ts'
import { OnceInput, onceArg } from '../../shared/changes/once.type.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { accountIdDescription, ownerOf } from '../accounts/owner.ts'
import { cancelMassMail, endAddonPeriod, getAddons } from './addon.service.ts'
import { Addons } from './addon.type.ts'
import { outcomeVerbs, type PeriodOutcome } from './period.ts'

@Resolver()
export class AddonResolver {
  @Authorized('account')
  @Query(() => Addons, { description: "Returns the caller's add-ons." })
  addons(@Ctx() context: GraphContext): Promise<Addons> {
    return getAddons(context.database, requireAccount(context))
  }

  @Authorized('account', 'support')
  @Mutation(() => Addons, { description: 'Cancels Mass Mail at the end of its period.' })
  async cancelMassMail(
    @Arg('accountId', () => ID, { nullable: true, description: accountIdDescription })
    accountId: string | null,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: GraphContext,
  ): Promise<Addons> {
    const owner = await ownerOf(context, accountId, 'addon.cancel')
    const note = () => ({ resourceId: 'mass_mail' })
    await makeChange(context, { owner, action: 'addon.cancel', once, note }, (tx) =>
      cancelMassMail(tx, owner),
    )
    return getAddons(context.database, owner)
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Renews or ends an add-on if its period is over; returns whether it was.',
  })
  async turnAddon(
    @Arg('accountId', () => ID, { description: '`acct_…`' }) accountId: string,
    @Arg('environment', () => EnvironmentValue, {
      description: 'The environment: live or sandbox.',
    })
    environment: EnvironmentValue,
    @Arg('name', () => String, { description: '`mass_mail` or `rank_tracking`.' }) name: string,
    @Ctx() context: GraphContext,
  ): Promise<boolean> {
    const owner = { accountId, environment }
    const outcome = await makeChange(
      context,
      {
        owner,
        action: 'addon.turn',
        note: (made: PeriodOutcome | null) =>
          made && { action: `addon.${outcomeVerbs[made]}`, resourceId: name },
      },
      (tx) => endAddonPeriod(tx, owner, name),
    )
    return outcome !== null
  }
}
