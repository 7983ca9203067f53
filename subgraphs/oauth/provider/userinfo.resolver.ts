import { Authorized, Ctx, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { Userinfo } from './userinfo.type.ts'

/** An API key stands for the account, and its answer has nothing about a person. */
const scopeOfKeys = 'account:read'

@Resolver()
export class UserinfoResolver {
  @Authorized('account')
  @Query(() => Userinfo, {
    description: 'Returns the claims about the account holder that the caller may read.',
  })
  userinfo(@Ctx() context: GraphContext): Userinfo {
    const { accountId, clientId, scopes } = requireAccount(context)
    return { sub: accountId, scope: clientId === undefined ? scopeOfKeys : scopes.join(' ') }
  }
}
