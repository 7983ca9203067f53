import { Directive, Field, GraphQLISODateTime, ID, ObjectType } from 'type-graphql'

@Directive('@key(fields: "accountId")')
@ObjectType({
  description: 'The sandbox of an account: its key and its use. Null without an active key.',
})
export class SandboxState {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => String, {
    nullable: true,
    description: 'The first characters of its newest active key.',
  })
  keyPrefix!: string | null

  @Field(() => String, { nullable: true, description: 'The last characters of that key.' })
  keyLast4!: string | null

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When that key was issued.' })
  createdAt!: Date | null
}

@ObjectType({ description: 'A sandbox with a new key, whose secret is shown only here.' })
export class SandboxReset {
  @Field(() => SandboxState, { description: 'The sandbox, as it is now.' })
  state!: SandboxState

  @Field(() => String, { description: 'The secret of its only key, which is shown only here.' })
  plaintext!: string
}
