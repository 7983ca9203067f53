import { Authorized, Ctx, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { getCreditBalance } from './credit-balance.service.ts'
import { CreditBalance } from './credit-balance.type.ts'

@Resolver()
export class CreditBalanceResolver {
  @Authorized('account')
  @Query(() => CreditBalance, {
    description: "Returns the caller's credits: balance, holds and what is available.",
  })
  credits(@Ctx() context: GraphContext): Promise<CreditBalance> {
    return getCreditBalance(context.database, requireAccount(context))
  }
}
