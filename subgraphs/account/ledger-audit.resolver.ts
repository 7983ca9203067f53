import { Authorized, Ctx, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../shared/context.ts'
import { auditBalances, auditLedger } from './ledger-audit.service.ts'
import { LedgerAudit, LedgerDrift } from './ledger-audit.type.ts'

@Resolver()
export class LedgerAuditResolver {
  @Authorized('admin')
  @Query(() => LedgerAudit, { description: 'Checks every entry and every balance.' })
  ledgerAudit(@Ctx() { database }: GraphContext): Promise<LedgerAudit> {
    return auditLedger(database)
  }

  @Authorized('service', 'support')
  @Query(() => [LedgerDrift], {
    description: 'Checks every balance against its newest entry and its holds.',
  })
  balanceDrifts(@Ctx() { database }: GraphContext): Promise<LedgerDrift[]> {
    return auditBalances(database)
  }
}
