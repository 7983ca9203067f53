import { Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import { Budget } from '../../shared/budgets/budget.type.ts'

@Directive('@key(fields: "id")')
@ObjectType({ description: 'A team, customer or agent of the account: keys share its budgets.' })
export class ExternalId {
  @Field(() => ID, { description: 'As keys carry it.' })
  id!: string

  @Field(() => Int, { description: 'Keys that carry it and are neither revoked nor expired.' })
  keys!: number

  @Field(() => [Budget], { description: 'The budgets of all its keys together.' })
  budgets!: Budget[]
}

@ObjectType({ description: 'A page of external ids, in the order of their characters.' })
export class ExternalIdPage {
  @Field(() => [ExternalId], { description: 'The external ids of this page.' })
  items!: ExternalId[]

  @Field(() => String, { nullable: true, description: 'Opaque; null means the end.' })
  nextCursor!: string | null
}
