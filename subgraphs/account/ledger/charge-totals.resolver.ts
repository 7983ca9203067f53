import { Arg, Authorized, Ctx, GraphQLISODateTime, ID, Int, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { listCharges, totalCharges } from './charge-totals.service.ts'
import { Charge, ChargeTotal } from './charge-totals.type.ts'

/** Serves the comparison with the usage log, which another subgraph has. */
@Resolver()
export class ChargeTotalsResolver {
  @Authorized('service', 'admin')
  @Query(() => [ChargeTotal], {
    description: 'The charges of each ledger for a range of requests, in order of its owner.',
  })
  chargeTotals(
    @Arg('since', () => GraphQLISODateTime, {
      description: 'Everything in the range was charged at this instant or later.',
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
  ): Promise<ChargeTotal[]> {
    const page = { since, fromId, untilId, afterAccountId, afterEnvironment, limit }
    return totalCharges(database, page)
  }

  @Authorized('service', 'admin')
  @Query(() => [Charge], { description: 'The charges of one ledger, in order of their requests.' })
  charges(
    @Arg('accountId', () => ID, { description: '`acct_…`' }) accountId: string,
    @Arg('environment', () => EnvironmentValue, { description: 'The environment of the ledger.' })
    environment: EnvironmentValue,
    @Arg('fromId', () => ID, { description: 'The first request id of the range.' })
    fromId: string,
    @Arg('untilId', () => ID, { description: 'The range ends before this request id.' })
    untilId: string,
    @Arg('settlingSeconds', () => Int, {
      description: 'The age in seconds from which a charge counts as settled.',
    })
    settlingSeconds: number,
    @Arg('limit', () => Int, { description: 'The greatest number of items.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<Charge[]> {
    const page = { accountId, environment, fromId, untilId, settlingSeconds, limit }
    return listCharges(database, page)
  }
}
