import {
  Arg,
  Authorized,
  Ctx,
  Directive,
  Field,
  FieldResolver,
  ID,
  Int,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql'
import type { GraphContext } from '../shared/context.ts'
import { invalidRequest } from '../shared/errors.ts'
import { defaultPageSize, maxPageSize } from '../shared/pagination.ts'
import { listUsage } from './usage-log.service.ts'
import { UsageLogEntry } from './usage-log.type.ts'

/** The account as this subgraph knows it: something that makes requests. */
@Directive('@key(fields: "id")')
@ObjectType()
export class Account {
  @Field(() => ID)
  id!: string
}

@Resolver(() => Account)
export class AccountResolver {
  @Authorized('account', 'readonly')
  @FieldResolver(() => [UsageLogEntry], { description: 'The newest requests of the account.' })
  recentUsage(
    @Root() { id }: Account,
    @Arg('first', () => Int, {
      defaultValue: defaultPageSize,
      description: `How many, 1 to ${maxPageSize}.`,
    })
    first: number,
    @Ctx() { database, caller }: GraphContext,
  ): Promise<UsageLogEntry[]> {
    if (first < 1 || first > maxPageSize) {
      throw invalidRequest([{ field: 'first', in: 'body', message: `must be 1 to ${maxPageSize}` }])
    }
    const owner = { accountId: id, environment: caller.environment }
    const everything = { limit: first, beforeId: null, service: null, statusClass: null }
    return listUsage(database, owner, everything)
  }
}
