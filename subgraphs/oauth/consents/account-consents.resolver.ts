import { Args, Authorized, Ctx, FieldResolver, Resolver, Root } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { listSequentially } from '../../shared/lists/sequentially.ts'
import { Account } from '../accounts/account.type.ts'
import { AccountListArgs, ownerOf } from '../accounts/account-list.type.ts'
import { consentsOf } from './granted-consent.service.ts'
import { GrantedConsentConnection } from './granted-consent.type.ts'

/** Shows internal tools the consents of any account; the account itself lists its consents by REST. */
@Resolver(() => Account)
export class AccountConsentsResolver {
  @Authorized('readonly')
  @FieldResolver(() => GrantedConsentConnection, {
    description: 'The consents that the account gave to apps.',
  })
  consents(
    @Root() account: Account,
    @Args(() => AccountListArgs) page: AccountListArgs,
    @Ctx() context: GraphContext,
  ): Promise<GrantedConsentConnection> {
    return listSequentially(context, consentsOf(context.database, ownerOf(account, page)), page)
  }
}
