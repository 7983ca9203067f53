import { Args, Authorized, Ctx, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { PageArgs } from '../../shared/lists/page.type.ts'
import { readPage } from '../../shared/lists/pagination.ts'
import { lotsOf } from './lot.service.ts'
import { CreditLotPage } from './lot.type.ts'

@Resolver()
export class LotResolver {
  @Authorized('account')
  @Query(() => CreditLotPage, {
    description: "The caller's lots with credits left, in the order in which they burn.",
  })
  lots(@Args(() => PageArgs) page: PageArgs, @Ctx() context: GraphContext): Promise<CreditLotPage> {
    return readPage(context, lotsOf(context.database, requireAccount(context)), page)
  }
}
