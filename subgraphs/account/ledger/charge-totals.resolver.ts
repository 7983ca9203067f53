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
      description: 'Nothing in the range was charged earlier.',
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
  ): Promise<ChargeTotal[]> {
    const page = { since, fromId, untilId, afterAccountId, afterEnvironment, limit }
    return totalCharges(database, page)
  }

  @Authorized('service', 'admin')
  @Query(() => [Charge], { description: 'The charges of one ledger, in order of their requests.' })
  charges(
    @Arg('accountId', () => ID, { description: '`acct_…`' }) accountId: string,
    @Arg('environment', () => EnvironmentValue, { description: 'Which of the two ledgers.' })
    environment: EnvironmentValue,
    @Arg('fromId', () => ID, { description: 'The first request id of the range.' })
    fromId: string,
    @Arg('untilId', () => ID, { description: 'The first request id beyond the range.' })
    untilId: string,
    @Arg('settlingSeconds', () => Int, { description: 'How old a charge must be to be settled.' })
    settlingSeconds: number,
    @Arg('limit', () => Int, { description: 'How many at most.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<Charge[]> {
    const page = { accountId, environment, fromId, untilId, settlingSeconds, limit }
    return listCharges(database, page)
  }
}
