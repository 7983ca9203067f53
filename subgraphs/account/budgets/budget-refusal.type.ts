import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ObjectType } from 'type-graphql'
import { BudgetPeriod } from '../../shared/budgets/budget.type.ts'

@ObjectType({ description: 'A budget that does not cover a request.' })
export class BudgetRefusal {
  @Field(() => String, { description: '`key:…`, `consent:…`, `external_id:…` or `account`.' })
  spender!: string

  @Field(() => BudgetPeriod, { description: 'The period in which the use is counted.' })
  period!: BudgetPeriod

  @Field(() => GraphQLSafeInt, { description: 'The most credits in each window.' })
  limitCredits!: number

  @Field(() => GraphQLSafeInt, {
    description: 'The credits that were charged in the current window.',
  })
  usedCredits!: number

  @Field(() => GraphQLSafeInt, {
    description: 'The credits that calls in progress may still cost.',
  })
  heldCredits!: number

  @Field(() => GraphQLSafeInt, {
    description: 'The credits that are left; the number may be below 0.',
  })
  remainingCredits!: number

  @Field(() => GraphQLSafeInt, { description: 'The most credits that the request can cost.' })
  neededCredits!: number

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the current window ends; null: never.',
  })
  resetsAt!: Date | null
}
