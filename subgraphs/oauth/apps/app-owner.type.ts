import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, ObjectType } from 'type-graphql'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'

@ObjectType({ description: 'An account that has approved an app, as the app may know it.' })
export class AppOwner {
  @Field(() => ID, { description: '`acct_…`: the `sub` of its tokens.' })
  accountId!: string

  @Field(() => String, { description: 'The granted scopes, separated by spaces.' })
  scope!: string

  @Field(() => GraphQLISODateTime, { description: 'When the consent was last given.' })
  grantedAt!: Date

  @Field(() => GraphQLSafeInt, {
    description:
      'The credits that its calls by the app cost in the last 30 days, but for the last few minutes.',
  })
  spentCredits!: number

  /** The account of the consent; its budgets are read by it. */
  owner!: AccountScope
  clientId!: string
}

@ObjectType({ description: 'A page of the owners of an app, newest consent first.' })
export class AppOwnerPage {
  @Field(() => [AppOwner], { description: 'The owners of this page.' })
  items!: AppOwner[]

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page; null on the last page.',
  })
  nextCursor!: string | null
}
