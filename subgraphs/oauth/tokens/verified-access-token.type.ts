import { Field, GraphQLISODateTime, ID, ObjectType } from 'type-graphql'
import { Account } from '../accounts/account.type.ts'

@ObjectType({ description: 'An access token that is accepted, as the facade needs to know it.' })
export class VerifiedAccessToken {
  @Field(() => ID, {
    description:
      '`tok:` and the first characters of its hash. It names the token and is no secret.',
  })
  id!: string

  @Field(() => ID, { description: 'The app that has the token: `app_…`' })
  clientId!: string

  @Field(() => Account, { description: 'The account that granted it.' })
  account!: Account

  @Field(() => Account, {
    nullable: true,
    description: 'The account that registered the app; null: nobody has, by hand.',
  })
  clientAccount!: Account | null

  @Field(() => [String], { description: 'Its scopes.' })
  scopes!: string[]

  @Field(() => String, { description: 'What it is for: `api` (REST) or `mcp` (the tools).' })
  audience!: string

  @Field(() => GraphQLISODateTime, { description: 'When it expires.' })
  expiresAt!: Date

  @Field(() => Boolean, {
    description:
      'Whether the consent was given budgets. If they are missing, the token is refused.',
  })
  isCapped!: boolean
}
