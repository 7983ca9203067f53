import { Authorized, Ctx, Query, Resolver } from 'type-graphql'
import { findAttention } from '../../shared/attention/attention.ts'
import { AttentionItem } from '../../shared/attention/attention.type.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { searchesOf } from './attention.service.ts'

@Resolver()
export class AccountAttentionResolver {
  @Authorized('account')
  @Query(() => [AttentionItem], {
    description:
      'What needs the attention of the caller: payments, recharging, credits, webhooks, budgets and cards.',
  })
  accountAttention(@Ctx() context: AccountContext): Promise<AttentionItem[]> {
    const caller = requireAccount(context)
    return findAttention(context, caller, searchesOf(context, caller))
  }
}
