import { Field, ObjectType } from 'type-graphql'
import { Budget } from '../../shared/budgets/budget.type.ts'

@ObjectType({ description: 'The budgets of one spender.' })
export class SpenderBudgets {
  @Field(() => String, {
    description: '`key:…`, `consent:…`, `external_id:…` or `account`.',
  })
  spender!: string

  @Field(() => [Budget], { description: 'At most one for each period.' })
  budgets!: Budget[]
}
