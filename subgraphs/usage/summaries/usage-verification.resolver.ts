import { Authorized, Ctx, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { verifyUsage } from './usage-verification.service.ts'
import { UsageAudit } from './usage-verification.type.ts'

@Resolver()
export class UsageAuditResolver {
  @Authorized('admin')
  @Query(() => UsageAudit, {
    description: 'Counts the usage log again and compares the sums. May take minutes.',
  })
  usageAudit(@Ctx() { database }: GraphContext): Promise<UsageAudit> {
    return verifyUsage(database)
  }
}
