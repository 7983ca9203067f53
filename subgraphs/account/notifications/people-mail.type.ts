import { GraphQLJSONObject } from 'graphql-scalars'
import { Field, ID, InputType } from 'type-graphql'

@InputType({ description: 'A member who gets a mail.' })
export class MailReceiverInput {
  @Field(() => ID, { description: '`mem_…`' })
  memberId!: string

  @Field(() => String, { description: 'The mail address.' })
  email!: string
}

@InputType({ description: 'A mail to members of an account.' })
export class PeopleMailInput {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => ID, { description: '`mail_…`: each member gets one mail with this id.' })
  messageId!: string

  @Field(() => String, { description: 'The name of the text.' })
  template!: string

  @Field(() => GraphQLJSONObject, { description: 'The values of the text.' })
  data!: object

  @Field(() => [MailReceiverInput], { description: 'Who gets it.' })
  receivers!: MailReceiverInput[]

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether anybody may have named the address: then the mail counts as invitations do, with their limits.',
  })
  isCounted?: boolean | null
}
