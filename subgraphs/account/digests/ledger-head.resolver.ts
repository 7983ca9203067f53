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
  @Query(() => DigestStart, { description: 'Facts about all accounts together, for a digest.' })
  digestStart(@Ctx() { database }: GraphContext): Promise<DigestStart> {
    return startDigest(database)
  }

  @Authorized('service', 'admin')
  @Query(() => LedgerHeadPage, {
    description: 'The newest entry of each ledger, and the sums of all earlier entries.',
  })
  ledgerHeads(
    @Arg('afterAccountId', () => ID, {
      description: 'The last owner of the previous part; empty at first.',
    })
    afterAccountId: string,
    @Arg('afterEnvironment', () => String, {
      description: 'The environment of the last owner of the previous part.',
    })
    afterEnvironment: string,
    @Arg('limit', () => Int, { description: 'The size of a page, up to 1000.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<LedgerHeadPage> {
    return listLedgerHeads(database, { afterAccountId, afterEnvironment, limit })
  }

  @Authorized('admin')
  @Query(() => LedgerHeadComparison, {
    description: 'Compares ledgers with entries that once were their newest.',
  })
  ledgerHeadComparison(
    @Arg('heads', () => [LedgerHeadInput], { description: 'The entries, up to 1000.' })
    heads: LedgerHeadInput[],
    @Ctx() { database }: GraphContext,
  ): Promise<LedgerHeadComparison> {
    return compareLedgerHeads(database, heads)
  }
}
