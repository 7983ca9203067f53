import { Args, ArgsType, Authorized, Ctx, Field, FieldResolver, Resolver, Root } from 'type-graphql'
import type { Owner } from '../shared/change.ts'
import type { GraphContext } from '../shared/context.ts'
import { EnvironmentName } from '../shared/environment.type.ts'
import { listInTurn } from '../shared/in-turn.ts'
import { ConnectionArgs } from '../shared/page.type.ts'
import { Account } from './account.type.ts'
import { appsOf } from './app.service.ts'
import { OAuthAppConnection } from './app.type.ts'
import { consentsOf } from './granted-consent.service.ts'
import { GrantedConsentConnection } from './granted-consent.type.ts'

@ArgsType()
class AccountListArgs extends ConnectionArgs {
  @Field(() => EnvironmentName, {
    nullable: true,
    description: 'Live state unless said, or its play copy.',
  })
  environment?: EnvironmentName | null
}

/** What an account sees of itself by REST, for internal tools: of any account, of both environments. */
@Resolver(() => Account)
export class AccountDetailsResolver {
  @Authorized('readonly')
  @FieldResolver(() => OAuthAppConnection, { description: 'The OAuth apps that it registered.' })
  oauthApps(
    @Root() account: Account,
    @Args(() => AccountListArgs) { environment, ...page }: AccountListArgs,
    @Ctx() context: GraphContext,
  ): Promise<OAuthAppConnection> {
    return listInTurn(context, appsOf(context.database, stateOf(account, environment)), page)
  }

  @Authorized('readonly')
  @FieldResolver(() => GrantedConsentConnection, { description: 'What it has granted to apps.' })
  consents(
    @Root() account: Account,
    @Args(() => AccountListArgs) { environment, ...page }: AccountListArgs,
    @Ctx() context: GraphContext,
  ): Promise<GrantedConsentConnection> {
    return listInTurn(context, consentsOf(context.database, stateOf(account, environment)), page)
  }
}

function stateOf({ id }: Account, environment: EnvironmentName | null | undefined): Owner {
  return { accountId: id, environment: environment ?? EnvironmentName.LIVE }
}
