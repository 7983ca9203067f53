import { Arg, Authorized, Ctx, Int, Mutation, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { expire, forgetKeys, reserve, sealStoredAnswer, settle } from './hold.service.ts'
import {
  ExpiredHold,
  Reservation,
  ReserveCreditsInput,
  SealStoredAnswerInput,
  SettleHoldInput,
  Settlement,
} from './hold.type.ts'
import { reserveBatch, settleBatch } from './hold-batch.service.ts'
import {
  ReservationBatch,
  ReserveBatchInput,
  SettleBatchInput,
  SettlementBatch,
} from './hold-batch.type.ts'

@Resolver()
export class HoldResolver {
  @Authorized('service')
  @Mutation(() => [Reservation], {
    description: 'Sets credits aside for a batch of requests: one answer each, in order.',
  })
  reserveCredits(
    @Arg('items', () => [ReserveCreditsInput], {
      description: 'The requests, in order of arrival.',
    })
    items: ReserveCreditsInput[],
    @Ctx() { database }: GraphContext,
  ): Promise<Reservation[]> {
    return reserve(database, items)
  }

  @Authorized('service')
  @Mutation(() => [Settlement], {
    description: 'Ends a batch of holds by charge or release: one answer each, in order.',
  })
  settleHolds(
    @Arg('items', () => [SettleHoldInput], { description: 'The holds, in order of arrival.' })
    items: SettleHoldInput[],
    @Ctx() { database }: GraphContext,
  ): Promise<Settlement[]> {
    return settle(database, items)
  }

  @Authorized('service')
  @Mutation(() => ReservationBatch, {
    description: 'Sets credits aside for a batch of requests that nothing speaks against.',
  })
  reserveBatch(
    @Arg('batch', () => ReserveBatchInput, { description: 'In order of arrival.' })
    batch: ReserveBatchInput,
    @Ctx() { database }: GraphContext,
  ): Promise<ReservationBatch> {
    return reserveBatch(database, batch)
  }

  @Authorized('service')
  @Mutation(() => SettlementBatch, {
    description: 'Ends a batch of holds by charge or release, also where the hold was lost.',
  })
  settleBatch(
    @Arg('batch', () => SettleBatchInput, { description: 'In order of arrival.' })
    batch: SettleBatchInput,
    @Ctx() { database }: GraphContext,
  ): Promise<SettlementBatch> {
    return settleBatch(database, batch)
  }

  @Authorized('service')
  @Mutation(() => Int, { description: 'Deletes idempotency keys whose time is over; how many.' })
  forgetIdempotencyKeys(
    @Arg('limit', () => Int, { description: 'How many at most.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<number> {
    return forgetKeys(database, limit)
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description:
      'Seals an answer that an older build has kept in the clear; false where there is none.',
  })
  sealStoredAnswer(
    @Arg('input', () => SealStoredAnswerInput, {
      description: 'Which one, and what takes its place.',
    })
    input: SealStoredAnswerInput,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    return sealStoredAnswer(database, input)
  }

  @Authorized('service')
  @Mutation(() => [ExpiredHold], {
    description: 'Releases holds that nobody settled in time, oldest first.',
  })
  expireHolds(
    @Arg('limit', () => Int, { description: 'How many at most.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<ExpiredHold[]> {
    return expire(database, limit)
  }
}
