import { Arg, Authorized, Ctx, Int, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { verifyChains } from './audit-chain-verification.service.ts'
import { AuditChainPart, AuditChainPositionInput } from './audit-chain-verification.type.ts'

@Resolver()
export class AuditChainVerificationResolver {
  @Authorized('admin')
  @Query(() => AuditChainPart, {
    description: 'Checks the chains of the audit trail, one part after the other.',
  })
  auditChains(
    @Arg('after', () => AuditChainPositionInput, {
      nullable: true,
      description: 'The `last` of the previous part.',
    })
    after: AuditChainPositionInput | null,
    @Arg('limit', () => Int, { description: 'The most events, up to 5000.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<AuditChainPart> {
    return verifyChains(database, after ?? null, limit)
  }
}
