import { Arg, Authorized, Ctx, Mutation, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { claimOperatorAct, releaseOperatorAct } from './operator-act.service.ts'
import { ClaimedActInput } from './operator-act.type.ts'

/** The idempotency keys of acts, for the other subgraphs. */
@Resolver()
export class OperatorActResolver {
  @Authorized('service')
  @Mutation(() => Boolean, {
    description:
      'Claims the idempotency key of an act. False: the key belongs to another act, of whatever account.',
  })
  claimOperatorAct(
    @Arg('input', () => ClaimedActInput, { description: 'The key, and the act.' })
    input: ClaimedActInput,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    return claimOperatorAct(database, input)
  }

  @Authorized('service')
  @Mutation(() => Boolean, { description: 'Releases the key of an act that was refused.' })
  async releaseOperatorAct(
    @Arg('input', () => ClaimedActInput, { description: 'The key, and the act.' })
    input: ClaimedActInput,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    await releaseOperatorAct(database, input)
    return true
  }
}
