import { Arg, Authorized, Ctx, ID, Mutation, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { endGrantsOfAccount } from './closed-account.service.ts'

@Resolver()
export class ClosedAccountResolver {
  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Ends everything that a closed account granted; always true.',
  })
  async endGrants(
    @Arg('accountId', () => ID, { description: '`acct_…`' }) accountId: string,
    @Ctx() context: GraphContext,
  ): Promise<boolean> {
    await endGrantsOfAccount(context, accountId)
    return true
  }
}
