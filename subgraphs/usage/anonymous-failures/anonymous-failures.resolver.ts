import { Arg, Args, Authorized, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { ConnectionArgs } from '../../shared/lists/page.type.ts'
import { listSequentially } from '../../shared/lists/sequentially.ts'
import {
  anonymousFailuresOf,
  countAnonymousFailures,
  forgetAnonymousFailures,
} from './anonymous-failures.service.ts'
import {
  AnonymousFailuresConnection,
  AnonymousFailuresFilter,
  AnonymousFailuresInput,
} from './anonymous-failures.type.ts'

@Resolver()
export class AnonymousFailuresResolver {
  @Authorized('support')
  @Query(() => AnonymousFailuresConnection, {
    description:
      'How often callers that nobody knows were refused, by client and hour, for the last 30 days.',
  })
  anonymousFailures(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Args(() => AnonymousFailuresFilter) filter: AnonymousFailuresFilter,
    @Arg('environment', () => EnvironmentValue, {
      defaultValue: EnvironmentValue.live,
      description: 'By the live listener, or by the sandbox.',
    })
    environment: EnvironmentValue,
    @Ctx() context: GraphContext,
  ): Promise<AnonymousFailuresConnection> {
    return listSequentially(
      context,
      anonymousFailuresOf(context.database, environment, filter),
      page,
    )
  }

  @Authorized('service')
  @Mutation(() => Int, {
    description: 'Adds to the sums of refused strangers; returns how many it was given.',
  })
  async countAnonymousFailures(
    @Arg('sums', () => [AnonymousFailuresInput], { description: 'At most 500.' })
    sums: AnonymousFailuresInput[],
    @Ctx() { database }: GraphContext,
  ): Promise<number> {
    await countAnonymousFailures(database, sums)
    return sums.length
  }

  @Authorized('service')
  @Mutation(() => Int, { description: 'Deletes sums of more than 30 days ago; returns how many.' })
  forgetAnonymousFailures(
    @Arg('limit', () => Int, { description: 'At most so many.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<number> {
    return forgetAnonymousFailures(database, limit)
  }
}
