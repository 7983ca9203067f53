import { Arg, Authorized, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { deadJobs, retryJobs } from './dead-job.service.ts'
import { DeadJob, RetriedJobs, RetryJobsInput } from './dead-job.type.ts'

@Resolver()
export class DeadJobResolver {
  @Authorized('support')
  @Query(() => [DeadJob], {
    description: 'The oldest jobs of the database of accounts that failed too often.',
  })
  deadJobs(
    @Arg('first', () => Int, { defaultValue: 50, description: 'How many, 1 to 200.' })
    first: number,
    @Ctx() { database }: GraphContext,
  ): Promise<DeadJob[]> {
    return deadJobs(database, first)
  }

  @Authorized('admin')
  @Mutation(() => RetriedJobs, { description: 'Tries jobs again that failed too often.' })
  retryJobs(
    @Arg('input', () => RetryJobsInput, { description: 'The jobs.' }) input: RetryJobsInput,
    @Ctx() context: GraphContext,
  ): Promise<RetriedJobs> {
    return retryJobs(context, input)
  }
}
