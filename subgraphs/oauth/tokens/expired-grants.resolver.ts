import { Arg, Authorized, Ctx, Int, Mutation, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { forgetExpiredGrants } from './expired-grants.service.ts'

@Resolver()
export class ExpiredGrantsResolver {
  @Authorized('service')
  @Mutation(() => Int, {
    description:
      'Deletes expired grants with their tokens, sessions and the like; the most rows of one kind.',
  })
  forgetExpiredGrants(
    @Arg('limit', () => Int, { description: 'Rows of each kind.' }) limit: number,
    @Ctx() context: GraphContext,
  ): Promise<number> {
    return forgetExpiredGrants(context, limit)
  }
}
