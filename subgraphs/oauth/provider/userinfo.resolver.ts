import { Authorized, Ctx, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { Userinfo } from './userinfo.type.ts'

/** An API key stands for the account, and its answer has nothing about a person. */
const scopeOfKeys = 'account:read'

@Resolver()
export class UserinfoResolver {
  @Authorized('account')
  @Query(() => Userinfo, { description: 'The account holder, as far as the caller may know it.' })
  userinfo(@Ctx() context: GraphContext): Userinfo {
    const { accountId, clientId, scopes } = requireAccount(context)
    return { sub: accountId, scope: clientId === undefined ? scopeOfKeys : scopes.join(' ') }
  }
}
