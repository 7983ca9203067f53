import { Arg, Authorized, Ctx, GraphQLISODateTime, ID, Int, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { listLoggedCharges, totalLoggedCharges } from './logged-charges.service.ts'
import { LoggedCharge, LoggedTotal } from './logged-charges.type.ts'

/** Answers the comparison with the ledger, which belongs to another subgraph. */
@Resolver()
export class LoggedChargesResolver {
  @Authorized('service', 'admin')
  @Query(() => [LoggedTotal], {
    description: 'The charges of a range of requests by each log, in order of its owner.',
  })
  loggedTotals(
    @Arg('since', () => GraphQLISODateTime, {
      description: 'Everything in the range arrived at this instant or later.',
    })
    since: Date,
    @Arg('fromId', () => ID, { description: 'The first request id of the range.' })
    fromId: string,
    @Arg('untilId', () => ID, { description: 'The range ends before this request id.' })
    untilId: string,
    @Arg('afterAccountId', () => ID, {
      description: 'The last owner of the previous part; empty at first.',
    })
    afterAccountId: string,
    @Arg('afterEnvironment', () => String, {
      description: 'The environment of the last owner of the previous part.',
    })
    afterEnvironment: string,
    @Arg('limit', () => Int, { description: 'The greatest number of items.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<LoggedTotal[]> {
    const page = { since, fromId, untilId, afterAccountId, afterEnvironment, limit }
    return totalLoggedCharges(database, page)
  }

  @Authorized('service', 'admin')
  @Query(() => [LoggedCharge], {
    description: 'The requests of one log that cost at least so much, in order of their ids.',
  })
  loggedCharges(
    @Arg('accountId', () => ID, { description: '`acct_…`' }) accountId: string,
    @Arg('environment', () => EnvironmentValue, { description: 'The environment of the log.' })
    environment: EnvironmentValue,
    @Arg('fromId', () => ID, { description: 'The first request id of the range.' })
    fromId: string,
    @Arg('untilId', () => ID, { description: 'The range ends before this request id.' })
    untilId: string,
    @Arg('minCredits', () => Int, { defaultValue: 1, description: 'The least price of a request.' })
    minCredits: number,
    @Arg('limit', () => Int, { description: 'The greatest number of items.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<LoggedCharge[]> {
    const page = { accountId, environment, fromId, untilId, minCredits, limit }
    return listLoggedCharges(database, page)
  }
}
