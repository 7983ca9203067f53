import { Field, GraphQLISODateTime, ID, InputType } from 'type-graphql'

@InputType({ description: 'The mail of an invitation to an account.' })
export class InvitationMailInput {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => ID, { description: '`mem_…`' })
  memberId!: string

  @Field(() => ID, { description: '`ivt_…`, of which the link is made.' })
  invitationId!: string

  @Field(() => String, { description: 'The mail address.' })
  email!: string

  @Field(() => String, { description: 'The role of the member.' })
  role!: string

  @Field(() => String, {
    nullable: true,
    description: 'The name of who invites, as the mail has it; null: an operator.',
  })
  invitedBy?: string | null

  @Field(() => GraphQLISODateTime, { description: 'The end of the invitation.' })
  expiresAt!: Date
}
