import { Authorized, Ctx, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { auditUsage } from './usage-audit.service.ts'
import { UsageAudit } from './usage-audit.type.ts'

@Resolver()
export class UsageAuditResolver {
  @Authorized('admin')
  @Query(() => UsageAudit, {
    description: 'Counts the usage log again and compares the sums. May take minutes.',
  })
  usageAudit(@Ctx() { database }: GraphContext): Promise<UsageAudit> {
    return auditUsage(database)
  }
}
