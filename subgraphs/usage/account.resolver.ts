import {
  Arg,
  Args,
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
import { EnvironmentValue } from '../shared/environment.type.ts'
import { inTurn, listInTurn } from '../shared/in-turn.ts'
import { ConnectionArgs } from '../shared/page.type.ts'
import { defaultPageSize, maxPageSize, requirePageSize } from '../shared/pagination.ts'
import { AuditEventConnection, AuditEventFilter } from './audit-event.type.ts'
import { auditTrailOf } from './audit-trail.service.ts'
import { usageLogOf } from './usage-log.service.ts'
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
    @Ctx() context: GraphContext,
  ): Promise<UsageLogEntry[]> {
    requirePageSize(first)
    const { database, caller } = context
    const log = usageLogOf(database, { accountId: id, environment: caller.environment })
    return inTurn(context, () => log.read({ limit: first, before: null }), first)
  }

  @Authorized('readonly')
  @FieldResolver(() => AuditEventConnection, {
    description: 'What was changed in the account, by whom, newest first.',
  })
  auditEvents(
    @Root() { id: accountId }: Account,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Args(() => AuditEventFilter) filter: AuditEventFilter,
    @Arg('environment', () => EnvironmentValue, {
      defaultValue: EnvironmentValue.live,
      description: 'Of live state, or of its play copy.',
    })
    environment: EnvironmentValue,
    @Ctx() context: GraphContext,
  ): Promise<AuditEventConnection> {
    const list = auditTrailOf(context.database, { accountId, environment }, filter)
    return listInTurn(context, list, page)
  }
}
