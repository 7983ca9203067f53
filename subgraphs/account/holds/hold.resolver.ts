import { Arg, Authorized, Ctx, Int, Mutation, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DirectBatch } from '../../shared/graph/direct-batch.ts'
import { expire, forgetKeys } from './hold.service.ts'
import { ExpiredHold } from './hold.type.ts'
import { reserveBatch, settleBatch } from './hold-batch.service.ts'
import {
  ReservationBatch,
  ReserveBatchInput,
  SettleBatchInput,
  SettlementBatch,
} from './hold-batch.type.ts'

@Resolver()
export class HoldResolver {
  @DirectBatch()
  @Authorized('service')
  @Mutation(() => ReservationBatch, {
    description: 'Holds credits for a batch of requests, each the most that it can cost.',
  })
  reserveBatch(
    @Arg('batch', () => ReserveBatchInput, {
      description: 'The requests, in columns, in order of arrival.',
    })
    batch: ReserveBatchInput,
    @Ctx() { database }: GraphContext,
  ): Promise<ReservationBatch> {
    return reserveBatch(database, batch)
  }

  @DirectBatch()
  @Authorized('service')
  @Mutation(() => SettlementBatch, {
    description: 'Charges or releases the holds of a batch. It charges also if the hold was lost.',
  })
  settleBatch(
    @Arg('batch', () => SettleBatchInput, {
      description: 'The requests, in columns, in order of arrival.',
    })
    batch: SettleBatchInput,
    @Ctx() { database }: GraphContext,
  ): Promise<SettlementBatch> {
    return settleBatch(database, batch)
  }

  @Authorized('service')
  @Mutation(() => Int, {
    description: 'Deletes idempotency keys after their time; returns how many.',
  })
  forgetIdempotencyKeys(
    @Arg('limit', () => Int, { description: 'The greatest number of items.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<number> {
    return forgetKeys(database, limit)
  }

  @Authorized('service')
  @Mutation(() => [ExpiredHold], {
    description: 'Releases holds that were not settled in time, oldest first.',
  })
  expireHolds(
    @Arg('limit', () => Int, { description: 'The greatest number of items.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<ExpiredHold[]> {
    return expire(database, limit)
  }
}
