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
      'Adds what a former release has recorded to kinds and sums, one part of the log after the other.',
  })
  repairUsage(
    @Arg('from', () => GraphQLISODateTime, {
      nullable: true,
      description: 'Only hours that begin then or later.',
    })
    from: Date | null,
    @Arg('to', () => GraphQLISODateTime, {
      nullable: true,
      description: 'Only hours that begin earlier.',
    })
    to: Date | null,
    @Arg('after', () => UsageRepairPositionInput, {
      nullable: true,
      description: '`last` of the part before.',
    })
    after: UsageRepairPositionInput | null,
    @Ctx() { database }: GraphContext,
  ): Promise<UsageRepairPart> {
    return repairUsage(database, { from: from ?? null, to: to ?? null }, after ?? null)
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description:
      'Adds what is older than the sums by key to these: some hours of one log, and the rest by another job.',
  })
  async repairUsageKeys(
    @Arg('after', () => UsageRepairPositionInput, {
      nullable: true,
      description: 'The last hour before.',
    })
    after: UsageRepairPositionInput | null,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    await fillUsageKeys(database, after ?? null)
    return true
  }
}
