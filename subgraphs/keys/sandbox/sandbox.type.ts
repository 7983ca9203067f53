import { Directive, Field, GraphQLISODateTime, ID, ObjectType } from 'type-graphql'

@Directive('@key(fields: "accountId")')
@ObjectType({
  description:
    'The sandbox of an account: its key, and how it is used. Without an active key, null.',
})
export class SandboxState {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => String, { nullable: true, description: 'How its newest active key begins.' })
  keyPrefix!: string | null

  @Field(() => String, { nullable: true, description: 'How that key ends.' })
  keyLast4!: string | null

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When that key was issued.' })
  createdAt!: Date | null
}

@ObjectType({ description: 'A sandbox with a new key, and the only sight of its secret.' })
export class SandboxReset {
  @Field(() => SandboxState, { description: 'The sandbox from now on.' })
  state!: SandboxState

  @Field(() => String, { description: 'The secret of its only key, shown this once.' })
  plaintext!: string
}
