import { Arg, Args, Authorized, Ctx, ID, Query, Resolver } from 'type-graphql'
import { requireAccount } from '../../../shared/graph/context.ts'
import { PageArgs } from '../../../shared/lists/page.type.ts'
import { readPage } from '../../../shared/lists/pagination.ts'
import type { AccountContext } from '../../settings/account-settings.ts'
import { getPastPayment, pastPaymentsOf } from './past-payment.service.ts'
import { PastPayment, PastPaymentPage } from './past-payment.type.ts'

@Resolver()
export class PastPaymentResolver {
  @Authorized('account')
  @Query(() => PastPaymentPage, {
    description: "Lists the caller's payments, whatever they are for, newest first.",
  })
  pastPayments(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: AccountContext,
  ): Promise<PastPaymentPage> {
    return readPage(context, pastPaymentsOf(context.database, requireAccount(context)), page)
  }

  @Authorized('account')
  @Query(() => PastPayment, { description: "Returns one of the caller's payments." })
  pastPayment(
    @Arg('id', () => ID, { description: '`pay_…`' }) id: string,
    @Ctx() context: AccountContext,
  ): Promise<PastPayment> {
    return getPastPayment(context.database, requireAccount(context), id)
  }
}
