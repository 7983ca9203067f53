import { Arg, Authorized, Ctx, ID, Int, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { compareLedgerHeads, listLedgerHeads, startDigest } from './ledger-head.service.ts'
import {
  DigestStart,
  LedgerHeadComparison,
  LedgerHeadInput,
  LedgerHeadPage,
} from './ledger-head.type.ts'

@Resolver()
export class LedgerHeadResolver {
  @Authorized('service', 'admin')
  @Query(() => DigestStart, { description: 'The facts of a digest about all accounts together.' })
  digestStart(@Ctx() { database }: GraphContext): Promise<DigestStart> {
    return startDigest(database)
  }

  @Authorized('service', 'admin')
  @Query(() => LedgerHeadPage, {
    description: 'The newest entry of each ledger, and the sums of what was before.',
  })
  ledgerHeads(
    @Arg('afterAccountId', () => ID, { description: 'Of the last owner before; empty at first.' })
    afterAccountId: string,
    @Arg('afterEnvironment', () => String, { description: 'Of the last owner before.' })
    afterEnvironment: string,
    @Arg('limit', () => Int, { description: 'How many at most, up to 1000.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<LedgerHeadPage> {
    return listLedgerHeads(database, { afterAccountId, afterEnvironment, limit })
  }

  @Authorized('admin')
  @Query(() => LedgerHeadComparison, {
    description: 'Compares ledgers with entries that were their newest ones.',
  })
  ledgerHeadComparison(
    @Arg('heads', () => [LedgerHeadInput], { description: 'Up to 1000 entries.' })
    heads: LedgerHeadInput[],
    @Ctx() { database }: GraphContext,
  ): Promise<LedgerHeadComparison> {
    return compareLedgerHeads(database, heads)
  }
}
