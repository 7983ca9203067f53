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
const total = { description: 'All time: the use never starts again.' }

registerEnumType(BudgetPeriod, {
  name: 'BudgetPeriod',
  description: 'The period in which the use of a budget is counted.',
  valuesConfig: { day, week, month, total },
})
registerEnumType(BudgetPeriodName, {
  name: 'BudgetPeriodName',
  description: 'The period in which the use of a budget is counted.',
  valuesConfig: { DAY: day, WEEK: week, MONTH: month, TOTAL: total },
})

@Directive('@shareable')
@ObjectType({ description: 'How much a spender may spend in a period, and what is left of it.' })
export class Budget {
  @Field(() => BudgetPeriod, { description: 'The period in which the use is counted.' })
  period!: BudgetPeriod

  @Field(() => GraphQLSafeInt, { description: 'The most credits in each window, at least 1.' })
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
    description:
      'The credits that are left in the current window; negative after the limit was lowered.',
  })
  remainingCredits!: number

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the current window ends and the use starts at 0 again; null: never.',
  })
  resetsAt!: Date | null

  @Field(() => Boolean, {
    description:
      'Whether a call that does not fit is refused. If not, the budget only reports its use.',
  })
  enforce!: boolean
}

@InputType({ description: 'A budget to set.' })
export class BudgetInput {
  @Field(() => BudgetPeriod, { description: 'At most one budget for each period.' })
  period!: BudgetPeriod

  @Field(() => GraphQLSafeInt, { description: 'The most credits in each window, at least 1.' })
  limitCredits!: number

  @Field(() => Boolean, {
    nullable: true,
    description: 'False: a call that does not fit is not refused. True by default.',
  })
  enforce?: boolean | null
}

@InputType({ description: 'A budget to set, as internal tools write it.' })
export class BudgetNameInput {
  @Field(() => BudgetPeriodName, { description: 'At most one budget for each period.' })
  period!: BudgetPeriodName

  @Field(() => GraphQLSafeInt, { description: 'The most credits in each window, at least 1.' })
  limitCredits!: number

  @Field(() => Boolean, {
    nullable: true,
    description: 'False: a call that does not fit is not refused. True by default.',
  })
  enforce?: boolean | null
}
