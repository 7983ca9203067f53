import {
  Arg,
  Args,
  Authorized,
  Ctx,
  FieldResolver,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { ConnectionArgs, PageArgs } from '../../shared/lists/page.type.ts'
import { readPage } from '../../shared/lists/pagination.ts'
import { listSequentially } from '../../shared/lists/sequentially.ts'
import { Account } from '../accounts/account.type.ts'
import type { UsageContext } from '../settings/usage-settings.ts'
import { recordAuditEvents } from './audit-event.service.ts'
import {
  AuditEventConnection,
  AuditEventFilter,
  AuditEventInput,
  AuditEventPage,
} from './audit-event.type.ts'
import { auditTrailOf, auditTrailOfNone, ownAuditTrail } from './audit-trail.service.ts'

@Resolver(() => Account)
export class AuditEventResolver {
  @Authorized('service')
  @Mutation(() => Int, {
    description: 'Adds events to the audit trail, each once; returns how many it was given.',
  })
  async recordAuditEvents(
    @Arg('events', () => [AuditEventInput], { description: 'At most 500.' })
    events: AuditEventInput[],
    @Ctx() { database }: GraphContext,
  ): Promise<number> {
    await recordAuditEvents(database, events)
    return events.length
  }

  @Authorized('account')
  @Query(() => AuditEventPage, {
    description: "Lists the changes of the caller's account with their actors, newest first.",
  })
  auditTrail(
    @Args(() => PageArgs) page: PageArgs,
    @Args(() => AuditEventFilter) filter: AuditEventFilter,
    @Ctx() context: UsageContext,
  ): Promise<AuditEventPage> {
    const list = ownAuditTrail(context, requireAccount(context), filter)
    return readPage(context, list, page)
  }

  @Authorized('support')
  @Query(() => AuditEventConnection, {
    description: 'Actions and refusals that belong to no account, newest first.',
  })
  auditEvents(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Args(() => AuditEventFilter) filter: AuditEventFilter,
    @Arg('environment', () => EnvironmentValue, {
      defaultValue: EnvironmentValue.live,
      description:
        'Whether those of the live listener and the internal listener are listed, or those of the sandbox.',
    })
    environment: EnvironmentValue,
    @Ctx() context: GraphContext,
  ): Promise<AuditEventConnection> {
    return listSequentially(context, auditTrailOfNone(context.database, environment, filter), page)
  }

  @Authorized('readonly')
  @FieldResolver(() => AuditEventConnection, {
    name: 'auditEvents',
    description: 'The changes of the account with their actors, newest first.',
  })
  auditEventsOf(
    @Root() { id: accountId }: Account,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Args(() => AuditEventFilter) filter: AuditEventFilter,
    @Arg('environment', () => EnvironmentValue, {
      defaultValue: EnvironmentValue.live,
      description: 'Whether changes of live state are listed or those of the sandbox.',
    })
    environment: EnvironmentValue,
    @Ctx() context: GraphContext,
  ): Promise<AuditEventConnection> {
    const list = auditTrailOf(context.database, { accountId, environment }, filter)
    return listSequentially(context, list, page)
  }
}
