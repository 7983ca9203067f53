import { Args, Authorized, Ctx, FieldResolver, Resolver, Root } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { listSequentially } from '../../shared/lists/sequentially.ts'
import { Account } from '../accounts/account.type.ts'
import { AccountListArgs, ownerOf } from '../accounts/account-list.type.ts'
import { appsOf } from './app.service.ts'
import { OAuthAppConnection } from './app.type.ts'

/** Shows internal tools the apps of any account; the account itself lists its apps by REST. */
@Resolver(() => Account)
export class AccountAppsResolver {
  @Authorized('readonly')
  @FieldResolver(() => OAuthAppConnection, {
    description: 'The OAuth apps that the account registered.',
  })
  oauthApps(
    @Root() account: Account,
    @Args(() => AccountListArgs) page: AccountListArgs,
    @Ctx() context: GraphContext,
  ): Promise<OAuthAppConnection> {
    return listSequentially(context, appsOf(context.database, ownerOf(account, page)), page)
  }
}
