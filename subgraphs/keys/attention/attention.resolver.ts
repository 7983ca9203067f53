import { Authorized, Ctx, Query, Resolver } from 'type-graphql'
import { findAttention } from '../../shared/attention/attention.ts'
import { AttentionItem } from '../../shared/attention/attention.type.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { findExpiringKeys, findFullKeys } from './attention.service.ts'

@Resolver()
export class KeyAttentionResolver {
  @Authorized('account')
  @Query(() => [AttentionItem], {
    description: 'What needs the attention of the caller: keys that expire, and budgets of keys.',
  })
  keyAttention(@Ctx() context: GraphContext): Promise<AttentionItem[]> {
    const caller = requireAccount(context)
    const scope = 'keys:read'
    return findAttention(context, caller, [
      { kind: 'budget_nearly_used', scope, find: () => findFullKeys(context, caller) },
      { kind: 'key_expiring', scope, find: () => findExpiringKeys(context, caller) },
    ])
  }
}
