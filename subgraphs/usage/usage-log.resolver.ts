import { Arg, Authorized, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../shared/context.ts'
import { cursorCodec, maxPageSize, toPage } from '../shared/pagination.ts'
import { listUsage, recordUsage } from './usage-log.service.ts'
import { type UsageLogEntry, UsageLogEntryInput, UsageLogPage } from './usage-log.type.ts'

@Resolver()
export class UsageLogResolver {
  @Authorized('account')
  @Query(() => UsageLogPage, { description: "The caller's requests, newest first." })
  async usageLog(
    @Arg('limit', () => Int, { description: `Page size, 1 to ${maxPageSize}.` }) limit: number,
    @Arg('cursor', () => String, {
      nullable: true,
      description: '`nextCursor` of the page before.',
    })
    cursor: string | null,
    @Arg('service', () => String, { nullable: true, description: 'Only this service group.' })
    service: string | null,
    @Arg('statusClass', () => Int, {
      nullable: true,
      description: 'Only statuses with this first digit, 1 to 5.',
    })
    statusClass: number | null,
    @Ctx() context: GraphContext,
  ): Promise<UsageLogPage> {
    const caller = requireAccount(context)
    const owner = `${caller.accountId}/${caller.environment}`
    const cursors = cursorCodec(context.cursorKey, 'usage-log', owner)
    const entries = await listUsage(context.database, caller, {
      limit: limit + 1,
      beforeId: cursor ? cursors.decode(cursor) : null,
      service: service ?? null,
      statusClass: statusClass ?? null,
    })
    return toPage<UsageLogEntry>(entries, limit, ({ requestId }) => cursors.encode(requestId))
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
}
