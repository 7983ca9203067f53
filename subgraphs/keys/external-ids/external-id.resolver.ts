import {
  Arg,
  Args,
  Authorized,
  Ctx,
  FieldResolver,
  ID,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql'
import { externalIdBudgetOwner } from '../../../schema/vocabulary/budget-owners.ts'
import { Budget, BudgetInput } from '../../shared/budgets/budget.type.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { PageArgs } from '../../shared/lists/page.type.ts'
import { type Page, readPage } from '../../shared/lists/pagination.ts'
import { budgetsOf } from '../../shared/spending/shown-budgets.ts'
import {
  type Counted,
  changeExternalIdBudgets,
  countKeysOf,
  externalIdsOf,
} from './external-id.service.ts'
import { ExternalId, ExternalIdPage } from './external-id.type.ts'

@Resolver(() => ExternalId)
export class ExternalIdResolver {
  @Authorized('account')
  @Query(() => ExternalIdPage, {
    description: "The external ids of the caller's keys, and those that have budgets.",
  })
  externalIds(
    @Args(() => PageArgs) page: PageArgs,
    @Arg('search', () => String, {
      nullable: true,
      description: 'Only external ids that have this text in them, whatever its case.',
    })
    search: string | null,
    @Ctx() context: GraphContext,
  ): Promise<Page<Counted>> {
    return readPage(context, externalIdsOf(context, search ?? ''), page)
  }

  @Authorized('account')
  @Query(() => ExternalId, {
    description: 'One external id, also before a key has it or budgets are set.',
  })
  externalId(
    @Arg('id', () => ID, { description: 'The external id of present or future keys.' }) id: string,
    @Ctx() context: GraphContext,
  ): Promise<Counted> {
    return countKeysOf(context.database, requireAccount(context), id)
  }

  @Authorized('account')
  @Mutation(() => ExternalId, {
    description: 'Replaces the budgets that all keys with this external id share.',
  })
  async changeExternalIdBudgets(
    @Arg('id', () => ID, { description: 'The external id of present or future keys.' }) id: string,
    @Arg('budgets', () => [BudgetInput], {
      description: 'The complete set of budgets; all others are removed.',
    })
    budgets: BudgetInput[],
    @Ctx() context: GraphContext,
  ): Promise<Counted> {
    const changed = await changeExternalIdBudgets(context, id, budgets)
    context.invalidate({ accountId: requireAccount(context).accountId })
    return changed
  }

  @FieldResolver(() => [Budget], { description: 'The budgets that all its keys share.' })
  budgets(@Root() { id }: ExternalId, @Ctx() context: GraphContext): Promise<Budget[]> {
    return budgetsOf(context, requireAccount(context), externalIdBudgetOwner(id))
  }
}
