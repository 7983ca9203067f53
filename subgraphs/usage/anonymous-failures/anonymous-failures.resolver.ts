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
      'The number of refusals of unknown callers, by client and hour, for the last 30 days.',
  })
  anonymousFailures(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Args(() => AnonymousFailuresFilter) filter: AnonymousFailuresFilter,
    @Arg('environment', () => EnvironmentValue, {
      defaultValue: EnvironmentValue.live,
      description: 'Whether refusals of the live listener are counted or those of the sandbox.',
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
    description: 'Adds to the sums of refused unknown callers; returns how many it was given.',
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
  @Mutation(() => Int, {
    description: 'Deletes sums that are older than 30 days; returns how many.',
  })
  forgetAnonymousFailures(
    @Arg('limit', () => Int, { description: 'The greatest number of items.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<number> {
    return forgetAnonymousFailures(database, limit)
  }
}
