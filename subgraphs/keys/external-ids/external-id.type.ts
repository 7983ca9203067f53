import { Directive, Field, GraphQLISODateTime, ID, Int, ObjectType } from 'type-graphql'
import { Budget } from '../../shared/budgets/budget.type.ts'

@Directive('@key(fields: "id")')
@ObjectType({ description: 'A team, customer or agent of an account. Its keys share its budgets.' })
export class ExternalId {
  @Field(() => ID, { description: 'The external id of the keys.' })
  id!: string

  @Field(() => Int, { description: 'The number of its keys that are neither revoked nor expired.' })
  keys!: number

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When one of its keys was last accepted.',
  })
  lastUsedAt?: Date | null

  @Field(() => [Budget], { description: 'The budgets that all its keys share.' })
  budgets!: Budget[]
}

@ObjectType({ description: 'A page of external ids, in the order of their characters.' })
export class ExternalIdPage {
  @Field(() => [ExternalId], { description: 'The external ids of this page.' })
  items!: ExternalId[]

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page, an opaque text; null on the last page.',
  })
  nextCursor!: string | null
}
