import { Authorized, Ctx, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { getCreditBalance } from './credit-balance.service.ts'
import { CreditBalance } from './credit-balance.type.ts'

@Resolver()
export class CreditBalanceResolver {
  @Authorized('account')
  @Query(() => CreditBalance, { description: "The caller's credits." })
  credits(@Ctx() context: GraphContext): Promise<CreditBalance> {
    return getCreditBalance(context.database, requireAccount(context))
  }
}
