import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql'
import { consentBudgetOwner } from '../../../schema/vocabulary/budget-owners.ts'
import { Budget } from '../../shared/budgets/budget.type.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { PageArgs } from '../../shared/lists/page.type.ts'
import { readPage } from '../../shared/lists/pagination.ts'
import { budgetsOf } from '../../shared/spending/shown-budgets.ts'
import { ownersOf } from './app-owner.service.ts'
import { AppOwner, AppOwnerPage } from './app-owner.type.ts'

@Resolver(() => AppOwner)
export class AppOwnerResolver {
  @Authorized('account')
  @Query(() => AppOwnerPage, {
    description: "Lists the accounts that have approved an app of the caller's, newest first.",
  })
  async oauthAppOwners(
    @Arg('clientId', () => ID, { description: '`app_…`' }) clientId: string,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: GraphContext,
  ): Promise<AppOwnerPage> {
    return readPage(context, await ownersOf(context, clientId), page)
  }

  @Authorized('account')
  @FieldResolver(() => [Budget], {
    nullable: true,
    description:
      'The budgets of the app, by period; null without the scope `account:read`, because then the app may not read them itself.',
  })
  async budgets(
    @Root() { owner, clientId, scope }: AppOwner,
    @Ctx() context: GraphContext,
  ): Promise<Budget[] | null> {
    const mayRead = scope.split(' ').includes('account:read')
    return mayRead ? budgetsOf(context, owner, consentBudgetOwner(clientId)) : null
  }
}
