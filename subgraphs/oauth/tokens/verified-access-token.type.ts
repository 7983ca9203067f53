import { Field, GraphQLISODateTime, ID, ObjectType } from 'type-graphql'
import { Account } from '../accounts/account.type.ts'

@ObjectType({ description: 'An access token that is accepted, as the facade needs to know it.' })
export class VerifiedAccessToken {
  @Field(() => ID, { description: '`tok:` and the start of its hash: names it, and is no secret.' })
  id!: string

  @Field(() => ID, { description: '`app_…`: who has it.' })
  clientId!: string

  @Field(() => Account, { description: 'The account that granted it.' })
  account!: Account

  @Field(() => Account, { description: 'Whose app it is.' })
  clientAccount!: Account

  @Field(() => [String], { description: 'Its scopes.' })
  scopes!: string[]

  @Field(() => GraphQLISODateTime, { description: 'When it stops being accepted.' })
  expiresAt!: Date

  @Field(() => Boolean, {
    description: 'Whether the consent was given budgets; without them the token is refused.',
  })
  isCapped!: boolean
}
