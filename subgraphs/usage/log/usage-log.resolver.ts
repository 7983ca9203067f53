import {
  Arg,
  Args,
  Authorized,
  Ctx,
  FieldResolver,
  GraphQLISODateTime,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql'
import { isEndpoint } from '../../../schema/vocabulary/endpoints.ts'
import { isErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import { dotSegmentRule, hasDotSegment, isId } from '../../../schema/vocabulary/ids.ts'
import { isText, requireAll } from '../../shared/graph/checks.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { ConnectionArgs, PageArgs } from '../../shared/lists/page.type.ts'
import { readPage } from '../../shared/lists/pagination.ts'
import { listSequentially } from '../../shared/lists/sequentially.ts'
import { Account } from '../accounts/account.type.ts'
import type { UsageContext } from '../settings/usage-settings.ts'
import { recordUsage, usageLogOf } from './usage-log.service.ts'
import {
  UsageLogConnection,
  UsageLogEntryInput,
  UsageLogFilter,
  UsageLogPage,
} from './usage-log.type.ts'
import { attachLateEntries, keepUsageLog, usageLogKeptSince } from './usage-log-keeping.service.ts'

@Resolver(() => Account)
export class UsageLogResolver {
  @Authorized('account')
  @Query(() => UsageLogPage, { description: "Lists the caller's requests, newest first." })
  usageLog(
    @Args(() => PageArgs) page: PageArgs,
    @Args(() => UsageLogFilter) filter: UsageLogFilter,
    @Ctx() context: GraphContext,
  ): Promise<UsageLogPage> {
    return readPage(context, usageLogOf(context.database, requireAccount(context), filter), page)
  }

  @Authorized('readonly')
  @FieldResolver(() => UsageLogConnection, {
    name: 'usageLog',
    description: 'The requests of the account, newest first.',
  })
  usageLogOf(
    @Root() { id: accountId }: Account,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Args(() => UsageLogFilter) filter: UsageLogFilter,
    @Arg('environment', () => EnvironmentValue, {
      defaultValue: EnvironmentValue.live,
      description: 'The environment of the log.',
    })
    environment: EnvironmentValue,
    @Ctx() context: GraphContext,
  ): Promise<UsageLogConnection> {
    requireFilter(filter)
    const list = usageLogOf(context.database, { accountId, environment }, filter)
    return listSequentially(context, list, page)
  }

  @Authorized('service')
  @Mutation(() => Int, {
    description: 'Records a batch of requests; returns how many it was given.',
  })
  async recordUsage(
    @Arg('entries', () => [UsageLogEntryInput], { description: 'In order of their answers.' })
    entries: UsageLogEntryInput[],
    @Ctx() { database }: GraphContext,
  ): Promise<number> {
    await recordUsage(database, entries)
    return entries.length
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description:
      'Adds the partitions of the months to come, and deletes what need not be kept; returns whether there was time for it.',
  })
  keepUsageLog(@Ctx() { database, usageLogRetentionDays }: UsageContext): Promise<boolean> {
    return keepUsageLog(database, usageLogRetentionDays ?? 0)
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description:
      'Makes a partition for entries after the last month; returns whether there was time for it.',
  })
  settleLateEntries(@Ctx() context: UsageContext): Promise<boolean> {
    return attachLateEntries(context)
  }

  @Authorized('service', 'admin')
  @Query(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'Requests that arrived before this instant have been deleted; null: none has been deleted.',
  })
  usageLogKeptSince(@Ctx() { database }: GraphContext): Promise<Date | null> {
    return usageLogKeptSince(database)
  }
}

/** The facade checks what account holders ask; here it is an internal tool that asks. */
function requireFilter(filter: UsageLogFilter): void {
  const { statusClass, requestId, minCredits, from, to } = filter
  const { keyId, clientId, externalId, endUser, errorCode, endpoint } = filter
  const isClass = !statusClass || (statusClass >= 1 && statusClass <= 5)
  requireAll([
    ['statusClass', isClass && statusClass !== 0, 'must be 1 to 5'],
    ['requestId', !requestId || isId('req', requestId), 'must be the id of a request'],
    ['minCredits', (minCredits ?? 0) >= 0, 'must be an integer from 0'],
    ['to', !from || !to || from < to, 'must be after from'],
    ['keyId', !keyId || isId('key', keyId), 'must be the id of an API key'],
    ['clientId', !clientId || isId('app', clientId), 'must be the id of an app'],
    ['externalId', !externalId || isText(externalId, 128), 'must have 1 to 128 characters'],
    ['externalId', !hasDotSegment(externalId ?? ''), dotSegmentRule],
    ['errorCode', !errorCode || isErrorCode(errorCode), 'must be the code of an error'],
    ['endpoint', !endpoint || isEndpoint(endpoint), 'must be a method and a route'],
    ['endUser', !endUser || isText(endUser, 128), 'must have 1 to 128 characters'],
  ])
}
