import { Arg, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import {
  listDeadFacades,
  listOrphanedCharges,
  removeFacade,
  reportFacade,
} from './facade-process.service.ts'
import { OrphanedCharge } from './facade-process.type.ts'

@Resolver()
export class FacadeProcessResolver {
  @Authorized('service')
  @Mutation(() => Boolean, { description: 'A facade process lives.' })
  async reportFacade(
    @Arg('id', () => ID, { description: 'The process.' }) id: string,
    @Arg('isRecorded', () => Boolean, {
      description: 'Whether no usage entry has been waiting for more than a few seconds.',
    })
    isRecorded: boolean,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    await reportFacade(database, id, isRecorded)
    return true
  }

  @Authorized('service')
  @Mutation(() => Boolean, { description: 'A facade process is gone, and its charges recorded.' })
  async removeFacade(
    @Arg('id', () => ID, { description: 'The process.' }) id: string,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    await removeFacade(database, id)
    return true
  }

  @Authorized('service')
  @Query(() => [ID], { description: 'Facade processes that have not been heard of for long.' })
  deadFacades(
    @Arg('silentSeconds', () => Int, { description: 'How long a living one is never silent.' })
    silentSeconds: number,
    @Ctx() { database }: GraphContext,
  ): Promise<string[]> {
    return listDeadFacades(database, silentSeconds)
  }

  @Authorized('service')
  @Query(() => [OrphanedCharge], {
    description: 'The charges of a facade process since its charges were surely recorded.',
  })
  orphanedCharges(
    @Arg('facadeId', () => ID, { description: 'The process.' }) facadeId: string,
    @Ctx() { database }: GraphContext,
  ): Promise<OrphanedCharge[]> {
    return listOrphanedCharges(database, facadeId)
  }
}
