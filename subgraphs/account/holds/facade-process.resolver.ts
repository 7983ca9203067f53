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
  @Mutation(() => Boolean, { description: 'Reports that a facade process lives.' })
  async reportFacade(
    @Arg('id', () => ID, { description: 'The id of the process.' }) id: string,
    @Arg('isRecorded', () => Boolean, {
      description: 'False while a usage entry has been waiting for more than a few seconds.',
    })
    isRecorded: boolean,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    await reportFacade(database, id, isRecorded)
    return true
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Reports that a facade process has ended and that all its charges are recorded.',
  })
  async removeFacade(
    @Arg('id', () => ID, { description: 'The id of the process.' }) id: string,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    await removeFacade(database, id)
    return true
  }

  @Authorized('service')
  @Query(() => [ID], { description: 'Facade processes that have been silent for long.' })
  deadFacades(
    @Arg('silentSeconds', () => Int, {
      description: 'A process that was silent for so many seconds counts as dead.',
    })
    silentSeconds: number,
    @Ctx() { database }: GraphContext,
  ): Promise<string[]> {
    return listDeadFacades(database, silentSeconds)
  }

  @Authorized('service')
  @Query(() => [OrphanedCharge], {
    description:
      'The charges of a facade process since the last time when all its charges were recorded.',
  })
  orphanedCharges(
    @Arg('facadeId', () => ID, { description: 'The id of the process.' }) facadeId: string,
    @Ctx() { database }: GraphContext,
  ): Promise<OrphanedCharge[]> {
    return listOrphanedCharges(database, facadeId)
  }
}
