import { Authorized, Ctx, FieldResolver, Resolver, Root } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { maxPageSize } from '../../shared/lists/pagination.ts'
import { sequentially } from '../../shared/lists/sequentially.ts'
import { listApiKeys } from '../api-keys/api-key.service.ts'
import { ApiKey } from '../api-keys/api-key.type.ts'
import { issueFirstKey } from '../api-keys/issue-key.service.ts'
import { Account, CreateAccountPayload } from './account.type.ts'

@Resolver(() => Account)
export class AccountResolver {
  @Authorized('account', 'readonly')
  @FieldResolver(() => [ApiKey], { description: `The ${maxPageSize} newest keys of the account.` })
  apiKeys(@Root() { id }: Account, @Ctx() context: GraphContext): Promise<ApiKey[]> {
    const owner = { accountId: id, environment: context.caller.environment }
    const page = { limit: maxPageSize, beforeId: null }
    const read = () => context.database.transaction((tx) => listApiKeys(tx, owner, page))
    return sequentially(context, read, maxPageSize)
  }
}

/** Reached only through the createAccount mutation: a payload cannot be queried. */
@Resolver(() => CreateAccountPayload)
export class CreateAccountPayloadResolver {
  @Authorized('admin')
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Issues the first live key, with every scope, and shows its secret only here.',
  })
  liveKey(
    @Root() { accountId }: CreateAccountPayload,
    @Ctx() context: GraphContext,
  ): Promise<string | null> {
    return issueFirstKey(context, { accountId, environment: 'live' })
  }

  @Authorized('admin')
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Issues the first sandbox key, with every scope, and shows its secret only here.',
  })
  sandboxKey(
    @Root() { accountId }: CreateAccountPayload,
    @Ctx() context: GraphContext,
  ): Promise<string | null> {
    return issueFirstKey(context, { accountId, environment: 'sandbox' })
  }
}
