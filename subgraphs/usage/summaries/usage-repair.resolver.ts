import { Arg, Authorized, Ctx, GraphQLISODateTime, Mutation, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { fillUsageKeys } from './usage-keys-filling.service.ts'
import { repairUsage } from './usage-repair.service.ts'
import { UsageRepairPart, UsageRepairPositionInput } from './usage-repair.type.ts'

@Resolver()
export class UsageRepairResolver {
  @Authorized('admin')
  @Mutation(() => UsageRepairPart, {
    description:
      'Adds entries of a former release to kinds and sums, one part of the log after the other.',
  })
  repairUsage(
    @Arg('from', () => GraphQLISODateTime, {
      nullable: true,
      description: 'Only hours that begin at this instant or later.',
    })
    from: Date | null,
    @Arg('to', () => GraphQLISODateTime, {
      nullable: true,
      description: 'Only hours that begin before this instant.',
    })
    to: Date | null,
    @Arg('after', () => UsageRepairPositionInput, {
      nullable: true,
      description: 'The `last` of the previous part.',
    })
    after: UsageRepairPositionInput | null,
    @Ctx() { database }: GraphContext,
  ): Promise<UsageRepairPart> {
    return repairUsage(database, { from: from ?? null, to: to ?? null }, after ?? null)
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description:
      'Adds older entries to the sums by key: some hours of one log at once. Another job does the rest.',
  })
  async repairUsageKeys(
    @Arg('after', () => UsageRepairPositionInput, {
      nullable: true,
      description: 'The last hour of the previous part.',
    })
    after: UsageRepairPositionInput | null,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    await fillUsageKeys(database, after ?? null)
    return true
  }
}
