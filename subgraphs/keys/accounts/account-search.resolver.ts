import { Arg, Authorized, Ctx, ID, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { Account } from './account.type.ts'
import { accountsOfExternalId, accountsOfKeyPrefix } from './account-search.service.ts'

/** Finds accounts for operators by what they know of a key. */
@Resolver()
export class AccountSearchResolver {
  @Authorized('readonly')
  @Query(() => [Account], {
    description: 'The newest 50 accounts that have, or had, a key that lists show exactly so.',
  })
  accountsOfKeyPrefix(
    @Arg('prefix', () => String, {
      description: 'The whole prefix as a list of keys shows it, such as `svc_live_…a1B2`.',
    })
    prefix: string,
    @Ctx() { database }: GraphContext,
  ): Promise<Account[]> {
    return accountsOfKeyPrefix(database, prefix)
  }

  @Authorized('readonly')
  @Query(() => [Account], {
    description: 'The newest 50 accounts that have, or had, a key with exactly this external id.',
  })
  accountsOfExternalId(
    @Arg('externalId', () => ID, { description: 'The whole external id.' }) externalId: string,
    @Ctx() { database }: GraphContext,
  ): Promise<Account[]> {
    return accountsOfExternalId(database, externalId)
  }
}
