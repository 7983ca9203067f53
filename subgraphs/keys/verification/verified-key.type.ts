import { Directive, Field, GraphQLISODateTime, ID, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { Account } from '../accounts/account.type.ts'

@Directive('@key(fields: "id")')
@ObjectType({ description: 'A key that is accepted, as the facade needs to know it.' })
export class VerifiedKey {
  @Field(() => ID, { description: '`key_…`' })
  id!: string

  @Field(() => Account, { description: 'The account of the key.' })
  account!: Account

  @Field(() => EnvironmentValue, { description: 'The environment in which the key was issued.' })
  environment!: EnvironmentValue

  @Field(() => [String], { description: 'Its scopes.' })
  scopes!: string[]

  @Field(() => [String], {
    description: 'Where the key may be used from; empty means from anywhere.',
  })
  ipAllowlist!: string[]

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When it expires.' })
  expiresAt?: Date | null

  @Field(() => ID, {
    description: 'The first key of its chain of rotations. All keys of the chain share budgets.',
  })
  spenderId!: string

  @Field(() => ID, {
    nullable: true,
    description: 'The external id. All keys with the same one share budgets.',
  })
  externalId!: string | null

  @Field(() => Boolean, {
    description:
      'Whether the key was given budgets of its own. If they are missing, the key is refused.',
  })
  isCapped!: boolean
}
