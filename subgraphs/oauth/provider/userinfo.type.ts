import { Directive, Field, ID, ObjectType } from 'type-graphql'

@Directive('@key(fields: "sub scope")')
@ObjectType({ description: 'Claims about the account holder (OpenID Connect Core §5.3).' })
export class Userinfo {
  @Field(() => ID, { description: '`acct_…`: the `sub` of its id tokens too.' })
  sub!: string

  @Field(() => String, {
    description: 'The scopes that decide about the claims, separated by spaces.',
  })
  scope!: string
}
