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
import { consentBudgetOwner } from '../../../schema/vocabulary/budget-owners.ts'
import { Budget, BudgetInput } from '../../shared/budgets/budget.type.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { PageArgs } from '../../shared/lists/page.type.ts'
import { readPage } from '../../shared/lists/pagination.ts'
import { budgetsOf } from '../../shared/spending/shown-budgets.ts'
import { changeConsent } from './consent-budgets.service.ts'
import { consentsOf, withdrawConsent } from './granted-consent.service.ts'
import { GrantedConsent, GrantedConsentPage } from './granted-consent.type.ts'

@Resolver(() => GrantedConsent)
export class GrantedConsentResolver {
  @Authorized('account')
  @Query(() => GrantedConsentPage, {
    description: 'Lists the consents of the caller, newest first.',
  })
  consents(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: GraphContext,
  ): Promise<GrantedConsentPage> {
    return readPage(context, consentsOf(context.database, requireAccount(context)), page)
  }

  @Authorized('account')
  @Mutation(() => GrantedConsent, {
    description: "Withdraws the caller's consent to an app, and revokes the app's tokens.",
  })
  async withdrawConsent(
    @Arg('clientId', () => ID, { description: 'The app: `app_…`' }) clientId: string,
    @Ctx() context: GraphContext,
  ): Promise<GrantedConsent> {
    return announced(context, await withdrawConsent(context, clientId))
  }

  @Authorized('account')
  @Mutation(() => GrantedConsent, { description: 'Changes the budgets of an app.' })
  async changeConsent(
    @Arg('clientId', () => ID, { description: 'The app: `app_…`' }) clientId: string,
    @Arg('budgets', () => [BudgetInput], {
      nullable: true,
      description:
        'The complete set of budgets, at most one of each period; `[]` removes all. A period that both sets contain keeps its use.',
    })
    budgets: BudgetInput[] | null,
    @Ctx() context: GraphContext,
  ): Promise<GrantedConsent> {
    return announced(context, await changeConsent(context, clientId, budgets ?? null))
  }

  @Authorized('account', 'readonly')
  @FieldResolver(() => [Budget], { description: 'The budgets of the app, by period.' })
  budgets(
    @Root() { owner, clientId }: GrantedConsent,
    @Ctx() context: GraphContext,
  ): Promise<Budget[]> {
    return budgetsOf(context, owner, consentBudgetOwner(clientId))
  }
}

/** This process forgets its cached facts about the account before the answer leaves. */
function announced(context: GraphContext, consent: GrantedConsent): GrantedConsent {
  context.invalidate({ accountId: consent.owner.accountId })
  return consent
}
