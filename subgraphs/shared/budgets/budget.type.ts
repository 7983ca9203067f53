import { GraphQLSafeInt } from 'graphql-scalars'
import {
  Directive,
  Field,
  GraphQLISODateTime,
  InputType,
  ObjectType,
  registerEnumType,
} from 'type-graphql'
import { BudgetPeriod, BudgetPeriodName } from './budget-period.ts'

export { BudgetPeriod, BudgetPeriodName }

const day = { description: 'A calendar day in UTC.' }
const week = { description: 'A calendar week in UTC; it begins on Monday.' }
const month = { description: 'A calendar month in UTC.' }
const total = { description: 'All time: it never starts again.' }

registerEnumType(BudgetPeriod, {
  name: 'BudgetPeriod',
  description: 'How long the use of a budget counts.',
  valuesConfig: { day, week, month, total },
})
registerEnumType(BudgetPeriodName, {
  name: 'BudgetPeriodName',
  description: 'How long the use of a budget counts.',
  valuesConfig: { DAY: day, WEEK: week, MONTH: month, TOTAL: total },
})

@Directive('@shareable')
@ObjectType({ description: 'How much a spender may spend in a period, and what is left of it.' })
export class Budget {
  @Field(() => BudgetPeriod, { description: 'The window in which use counts.' })
  period!: BudgetPeriod

  @Field(() => GraphQLSafeInt, { description: 'The most credits for each window; at least 1.' })
  limitCredits!: number

  @Field(() => GraphQLSafeInt, { description: 'Credits charged in the current window.' })
  usedCredits!: number

  @Field(() => GraphQLSafeInt, { description: 'Credits that calls under way may still cost.' })
  heldCredits!: number

  @Field(() => GraphQLSafeInt, {
    description:
      'The credits that are left in the current window; negative after the limit was lowered.',
  })
  remainingCredits!: number

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the current window ends and the use starts again at 0; null: never.',
  })
  resetsAt!: Date | null

  @Field(() => Boolean, {
    description: 'Whether a call that does not fit is refused. If not, the budget only reports.',
  })
  enforce!: boolean
}

@InputType({ description: 'A budget to set.' })
export class BudgetInput {
  @Field(() => BudgetPeriod, { description: 'At most one budget for each period.' })
  period!: BudgetPeriod

  @Field(() => GraphQLSafeInt, { description: 'Credits for each window; at least 1.' })
  limitCredits!: number

  @Field(() => Boolean, { nullable: true, description: 'False: nothing is refused. Default true.' })
  enforce?: boolean | null
}

@InputType({ description: 'A budget to set, as internal tools write it.' })
export class BudgetNameInput {
  @Field(() => BudgetPeriodName, { description: 'At most one budget for each period.' })
  period!: BudgetPeriodName

  @Field(() => GraphQLSafeInt, { description: 'Credits for each window; at least 1.' })
  limitCredits!: number

  @Field(() => Boolean, { nullable: true, description: 'False: nothing is refused. Default true.' })
  enforce?: boolean | null
}
