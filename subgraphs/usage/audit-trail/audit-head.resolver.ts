import { Arg, Authorized, Ctx, Int, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { AuditChainHead } from './audit-chain-verification.type.ts'
import { compareAuditHeads, listAuditHeads } from './audit-head.service.ts'
import { AuditHeadBreak, AuditHeadInput } from './audit-head.type.ts'

/** Serves the signed digest. */
@Resolver()
export class AuditHeadResolver {
  @Authorized('service', 'admin')
  @Query(() => [AuditChainHead], { description: 'The newest event of each chain.' })
  auditHeads(
    @Arg('afterChain', () => String, {
      description:
        'Account and environment of the last chain of the previous part (`acct_…/live`); empty at first.',
    })
    afterChain: string,
    @Arg('limit', () => Int, { description: 'The size of a page, up to 1000.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<AuditChainHead[]> {
    return listAuditHeads(database, { afterChain, limit })
  }

  @Authorized('admin')
  @Query(() => [AuditHeadBreak], {
    description: 'Compares chains with events that once were their newest.',
  })
  auditHeadBreaks(
    @Arg('heads', () => [AuditHeadInput], { description: 'The events, up to 1000.' })
    heads: AuditHeadInput[],
    @Ctx() { database }: GraphContext,
  ): Promise<AuditHeadBreak[]> {
    return compareAuditHeads(database, heads)
  }
}
