import { GraphQLSafeInt } from 'graphql-scalars'
import { Arg, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DirectBatch } from '../../shared/graph/direct-batch.ts'
import {
  foldAbandonedUsage,
  foldUsageEpoch,
  oldestUsageEpochSeconds,
  openUsageEpoch,
} from './usage-epoch.service.ts'
import { recordUsageBatch } from './usage-recording.service.ts'
import { UsageBatchInput } from './usage-recording.type.ts'

@Resolver()
export class UsageRecordingResolver {
  @Authorized('service')
  @Mutation(() => GraphQLSafeInt, {
    description: 'Opens an epoch for the process that calls; returns its number.',
  })
  openUsageEpoch(
    @Arg('oldestRequestId', () => ID, { description: 'The lowest request id of the next entries.' })
    requestId: string,
    @Arg('oldestMs', () => GraphQLSafeInt, {
      description: 'When the oldest of the next entries arrived: milliseconds since 1970.',
    })
    arrivedAtMs: number,
    @Ctx() { database }: GraphContext,
  ): Promise<number> {
    return openUsageEpoch(database, { requestId, arrivedAtMs })
  }

  @DirectBatch()
  @Authorized('service')
  @Mutation(() => Boolean, {
    description:
      'Records a batch of requests; false if nothing was recorded because the epoch has ended.',
  })
  recordUsageBatch(
    @Arg('epoch', () => GraphQLSafeInt, { description: 'The epoch of the process that calls.' })
    epoch: number,
    @Arg('batch', () => UsageBatchInput, { description: 'In order of their answers.' })
    batch: UsageBatchInput,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    return recordUsageBatch(database, epoch, batch)
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description:
      'Ends an epoch and adds its entries to the sums; true, also if that was done before.',
  })
  async foldUsageEpoch(
    @Arg('epoch', () => GraphQLSafeInt, {
      description: 'An epoch in which its process no longer records.',
    })
    epoch: number,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    await foldUsageEpoch(database, epoch)
    return true
  }

  @Authorized('service')
  @Mutation(() => Int, {
    description: 'Folds the epochs of processes that seem to be dead; returns how many there were.',
  })
  foldAbandonedUsage(@Ctx() { database }: GraphContext): Promise<number> {
    return foldAbandonedUsage(database)
  }

  @Authorized('service')
  @Query(() => Int, { description: 'The age of the oldest open epoch in seconds; 0 without one.' })
  oldestUsageEpochSeconds(@Ctx() { database }: GraphContext): Promise<number> {
    return oldestUsageEpochSeconds(database)
  }
}
