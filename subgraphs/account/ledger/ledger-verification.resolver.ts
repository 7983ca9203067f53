import { Authorized, Ctx, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { verifyBalances, verifyLedger } from './ledger-verification.service.ts'
import { LedgerAudit, LedgerDrift } from './ledger-verification.type.ts'

@Resolver()
export class LedgerVerificationResolver {
  @Authorized('admin')
  @Query(() => LedgerAudit, { description: 'Checks every entry and every balance.' })
  ledgerAudit(@Ctx() { database }: GraphContext): Promise<LedgerAudit> {
    return verifyLedger(database)
  }

  @Authorized('service', 'support')
  @Query(() => [LedgerDrift], {
    description: 'Checks every balance against its newest entry and its holds.',
  })
  balanceDrifts(@Ctx() { database }: GraphContext): Promise<LedgerDrift[]> {
    return verifyBalances(database)
  }
}
