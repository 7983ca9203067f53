import { Directive, Field, GraphQLISODateTime, ID, InputType, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { Account } from '../accounts/account.type.ts'

@Directive('@key(fields: "id")')
@ObjectType({ description: 'A key that is accepted, as the facade needs to know it.' })
export class VerifiedKey {
  @Field(() => ID, { description: '`key_…`' })
  id!: string

  @Field(() => Account, { description: 'Whose key it is.' })
  account!: Account

  @Field(() => EnvironmentValue, { description: 'Where it was issued.' })
  environment!: EnvironmentValue

  @Field(() => [String], { description: 'Its scopes.' })
  scopes!: string[]

  @Field(() => [String], { description: 'Where it may be used; empty is anywhere.' })
  ipAllowlist!: string[]

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When it stops being accepted.' })
  expiresAt?: Date | null

  @Field(() => ID, { description: 'The first key of its chain of rotations: all share budgets.' })
  spenderId!: string

  @Field(() => ID, { nullable: true, description: 'Keys with the same one share budgets.' })
  externalId!: string | null

  @Field(() => Boolean, {
    description: 'Whether it was given budgets of its own; without them it is refused.',
  })
  isCapped!: boolean
}

@InputType({ description: 'A key was accepted.' })
export class KeyUseInput {
  @Field(() => ID, { description: '`key_…`' })
  keyId!: string

  @Field(() => GraphQLISODateTime, { description: 'When, the last time.' })
  usedAt!: Date
}
