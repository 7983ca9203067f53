import { Authorized, Ctx, Query, Resolver } from 'type-graphql'
import { findAttention } from '../../shared/attention/attention.ts'
import { AttentionItem } from '../../shared/attention/attention.type.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { findFullConsents, findSuspendedApps } from './attention.service.ts'

@Resolver()
export class AppAttentionResolver {
  @Authorized('account')
  @Query(() => [AttentionItem], {
    description:
      'What needs the attention of the caller: budgets of apps, and apps that the operator has suspended.',
  })
  appAttention(@Ctx() context: GraphContext): Promise<AttentionItem[]> {
    const caller = requireAccount(context)
    return findAttention(context, caller, [
      {
        ...{ kind: 'budget_nearly_used', scope: 'oauth:read' },
        find: () => findFullConsents(context, caller),
      },
      {
        ...{ kind: 'app_suspended', scope: 'oauth:read' },
        find: () => findSuspendedApps(context, caller),
      },
    ])
  }
}
