import { Arg, Authorized, Ctx, Int, Mutation, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { forgetExpiredGrants } from './expired-grants.service.ts'

@Resolver()
export class ExpiredGrantsResolver {
  @Authorized('service')
  @Mutation(() => Int, {
    description:
      'Deletes expired grants with their tokens, sessions and other rows; returns the greatest number of deleted rows of one kind.',
  })
  forgetExpiredGrants(
    @Arg('limit', () => Int, { description: 'The most rows of each kind.' }) limit: number,
    @Ctx() context: GraphContext,
  ): Promise<number> {
    return forgetExpiredGrants(context, limit)
  }
}
