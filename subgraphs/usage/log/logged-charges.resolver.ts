import { Arg, Authorized, Ctx, GraphQLISODateTime, ID, Int, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { listLoggedCharges, totalLoggedCharges } from './logged-charges.service.ts'
import { LoggedCharge, LoggedTotal } from './logged-charges.type.ts'

/** For the comparison with the ledger, which belongs to another subgraph. */
@Resolver()
export class LoggedChargesResolver {
  @Authorized('service', 'admin')
  @Query(() => [LoggedTotal], {
    description: 'The charges of a range of requests by each log, in order of its owner.',
  })
  loggedTotals(
    @Arg('since', () => GraphQLISODateTime, {
      description: 'Nothing in the range arrived earlier.',
    })
    since: Date,
    @Arg('fromId', () => ID, { description: 'The first request id of the range.' })
    fromId: string,
    @Arg('untilId', () => ID, { description: 'The first request id beyond the range.' })
    untilId: string,
    @Arg('afterAccountId', () => ID, { description: 'Of the last owner before; empty at first.' })
    afterAccountId: string,
    @Arg('afterEnvironment', () => String, { description: 'Of the last owner before.' })
    afterEnvironment: string,
    @Arg('limit', () => Int, { description: 'How many at most.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<LoggedTotal[]> {
    const page = { since, fromId, untilId, afterAccountId, afterEnvironment, limit }
    return totalLoggedCharges(database, page)
  }

  @Authorized('service', 'admin')
  @Query(() => [LoggedCharge], {
    description: 'The requests of one log that cost so much, in order of their ids.',
  })
  loggedCharges(
    @Arg('accountId', () => ID, { description: '`acct_…`' }) accountId: string,
    @Arg('environment', () => EnvironmentValue, { description: 'Which of the two logs.' })
    environment: EnvironmentValue,
    @Arg('fromId', () => ID, { description: 'The first request id of the range.' })
    fromId: string,
    @Arg('untilId', () => ID, { description: 'The first request id beyond the range.' })
    untilId: string,
    @Arg('minCredits', () => Int, { defaultValue: 1, description: 'The least price of a request.' })
    minCredits: number,
    @Arg('limit', () => Int, { description: 'How many at most.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<LoggedCharge[]> {
    const page = { accountId, environment, fromId, untilId, minCredits, limit }
    return listLoggedCharges(database, page)
  }
}
