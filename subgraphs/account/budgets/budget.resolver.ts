import { GraphQLJSONObject } from 'graphql-scalars'
import {
  Arg,
  Authorized,
  Ctx,
  FieldResolver,
  ID,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql'
import { accountBudgetOwner } from '../../../schema/vocabulary/budget-owners.ts'
import { Budget, BudgetInput, BudgetPeriod } from '../../shared/budgets/budget.type.ts'
import { makeChange, recordLine } from '../../shared/changes/change.ts'
import { type AuditLine, type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { requireUncapped } from '../../shared/spending/capped.ts'
import { getAccount } from '../accounts/account.service.ts'
import { Account } from '../accounts/account.type.ts'
import {
  listExternalIds,
  readBudgets,
  readOwnBudgets,
  resetBudget,
  setBudgets,
  undoSpending,
} from './budget.service.ts'
import { findBudgetedSpenders } from './budgeted-spenders.service.ts'
import { SpenderBudgets } from './spender-budgets.type.ts'

const ofAccount = { description: '`acct_…`' }
const ofEnvironment = { description: 'The environment: live or sandbox.' }
const ofSpender = { description: '`key:…`, `consent:…`, `external_id:…` or `account`.' }
const ofLine = {
  nullable: true,
  description: 'The event for the audit trail, if no other subgraph writes it.',
}
const ofBudgets = { description: 'The complete set of budgets; all others are removed.' }

@Resolver(() => Account)
export class BudgetResolver {
  @Authorized('service')
  @Query(() => [SpenderBudgets], {
    description: 'The budgets of these spenders; those without budgets are left out.',
  })
  spenderBudgets(
    @Arg('accountId', () => ID, ofAccount) accountId: string,
    @Arg('environment', () => EnvironmentValue, ofEnvironment) environment: EnvironmentValue,
    @Arg('spenders', () => [String], ofSpender) spenders: string[],
    @Ctx() { database }: GraphContext,
  ): Promise<SpenderBudgets[]> {
    return readBudgets(database, { accountId, environment }, spenders)
  }

  @Authorized('service')
  @Query(() => [String], { description: 'Those of these spenders that have budgets, in no order.' })
  async budgetedSpenders(
    @Arg('accountId', () => ID, ofAccount) accountId: string,
    @Arg('environment', () => EnvironmentValue, ofEnvironment) environment: EnvironmentValue,
    @Arg('spenders', () => [String], ofSpender) spenders: string[],
    @Ctx() { database }: GraphContext,
  ): Promise<readonly string[]> {
    return findBudgetedSpenders(database, { accountId, environment, spenders })
  }

  @Authorized('service')
  @Mutation(() => [Budget], {
    description:
      'Replaces all budgets of a spender. A period that both sets contain keeps its use.',
  })
  async setBudgets(
    @Arg('accountId', () => ID, ofAccount) accountId: string,
    @Arg('environment', () => EnvironmentValue, ofEnvironment) environment: EnvironmentValue,
    @Arg('spender', () => String, ofSpender) spender: string,
    @Arg('budgets', () => [BudgetInput], ofBudgets) budgets: BudgetInput[],
    @Arg('line', () => GraphQLJSONObject, ofLine) line: AuditLine | null,
    @Ctx() context: GraphContext,
  ): Promise<Budget[]> {
    const owner = { accountId, environment }
    const set = await context.database.as(accountId).transaction(async (tx) => {
      const set = await setBudgets(tx, owner, spender, budgets)
      if (line) await recordLine(tx, line)
      return set
    })
    context.invalidate({ accountId })
    return set
  }

  @Authorized('service')
  @Mutation(() => Budget, { description: 'Sets the use of a budget to 0.' })
  resetBudget(
    @Arg('accountId', () => ID, ofAccount) accountId: string,
    @Arg('environment', () => EnvironmentValue, ofEnvironment) environment: EnvironmentValue,
    @Arg('spender', () => String, ofSpender) spender: string,
    @Arg('period', () => BudgetPeriod, { description: 'The period of the budget.' })
    period: BudgetPeriod,
    @Arg('line', () => GraphQLJSONObject, ofLine) line: AuditLine | null,
    @Ctx() { database }: GraphContext,
  ): Promise<Budget> {
    const owner = { accountId, environment }
    return database.as(accountId).transaction(async (tx) => {
      const budget = await resetBudget(tx, owner, spender, period)
      if (line) await recordLine(tx, line)
      return budget
    })
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Removes from budgets what they counted for a request that was not charged, once.',
  })
  async refundSpending(
    @Arg('accountId', () => ID, ofAccount) accountId: string,
    @Arg('environment', () => EnvironmentValue, ofEnvironment) environment: EnvironmentValue,
    @Arg('requestId', () => ID, { description: '`req_…`' }) requestId: string,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    const owner = { accountId, environment }
    await database.as(accountId).transaction((tx) => undoSpending(tx, owner, requestId))
    return true
  }

  @Authorized('service')
  @Query(() => [String], {
    description: 'External ids that have budgets, in the order of their characters.',
  })
  budgetedExternalIds(
    @Arg('accountId', () => ID, ofAccount) accountId: string,
    @Arg('environment', () => EnvironmentValue, ofEnvironment) environment: EnvironmentValue,
    @Arg('after', () => String, { description: 'Only those that follow this one.' }) after: string,
    @Arg('search', () => String, {
      description: 'Only those that have this text in them, whatever its case.',
    })
    search: string,
    @Arg('limit', () => Int, { description: 'The greatest number of items.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<string[]> {
    return listExternalIds(database, { accountId, environment }, { after, search, limit })
  }

  @Authorized('account')
  @Mutation(() => Account, {
    description:
      "Replaces the budgets of the caller's account. A period that both sets contain keeps its use.",
  })
  async changeAccountBudgets(
    @Arg('budgets', () => [BudgetInput], ofBudgets) budgets: BudgetInput[],
    @Ctx() context: GraphContext,
  ): Promise<Account> {
    const owner = requireAccount(context)
    const note = () => ({ details: { budgets } })
    const change = { owner, action: 'budget.change', resourceId: accountBudgetOwner, note }
    await makeChange(context, change, async (tx) => {
      requireUncapped(owner, 'change budgets')
      return setBudgets(tx, owner, accountBudgetOwner, budgets)
    })
    context.invalidate({ accountId: owner.accountId })
    return getAccount(context, owner.accountId)
  }

  @Authorized('account', 'support')
  @FieldResolver(() => [Budget], { description: 'The budgets of the account, by period.' })
  budgets(@Root() { id }: Account, @Ctx() { database, caller }: GraphContext): Promise<Budget[]> {
    return readOwnBudgets(
      database,
      { accountId: id, environment: caller.environment },
      accountBudgetOwner,
    )
  }
}
