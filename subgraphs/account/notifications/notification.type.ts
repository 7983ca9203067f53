import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql'
import {
  notificationKindNames,
  notificationKinds,
} from '../../../schema/vocabulary/notification-kinds.ts'

/** The table in `schema/vocabulary/notification-kinds.ts` as an enum of the graph. */
const NotificationKind = Object.fromEntries(notificationKindNames.map((name) => [name, name]))

registerEnumType(NotificationKind, {
  name: 'NotificationKind',
  description: 'A kind of news that people get by mail.',
  valuesConfig: Object.fromEntries(
    notificationKindNames.map((name) => [
      name,
      { description: notificationKinds[name].description },
    ]),
  ),
})

@ObjectType({ description: 'An address to which an account has mails sent.' })
export class NotificationEmail {
  @Field(() => String, { description: 'As it was first written.' })
  address!: string

  @Field(() => Boolean, {
    description: 'Whether its holder has followed the link. Until then it gets no other mail.',
  })
  isConfirmed!: boolean
}

@ObjectType({ description: 'The addresses that get mails, and the kinds of events in them.' })
export class NotificationSettings {
  @Field(() => [NotificationEmail], { description: 'At most five.' })
  emails!: NotificationEmail[]

  @Field(() => [NotificationKind], { description: 'The kinds of events that they get.' })
  kinds!: string[]
}

@InputType({
  description:
    'The addresses that get mails, and the kinds of events in them, in place of the former settings.',
})
export class ChangeNotificationsInput {
  @Field(() => [String], {
    description:
      'At most five, each once without regard to case. A new one gets a link to confirm.',
  })
  emails!: string[]

  @Field(() => [NotificationKind], { description: 'The kinds of events that they get.' })
  kinds!: string[]
}

@ObjectType({ description: 'The address that a link in a mail is about.' })
export class NotificationLink {
  @Field(() => String, {
    nullable: true,
    description: 'Null: it is not among the addresses of its account any more.',
  })
  address!: string | null

  @Field(() => Boolean, { description: 'Whether its holder has followed the link.' })
  isConfirmed!: boolean
}

@ObjectType({ description: 'Mails that are due, of all accounts.' })
export class MailQueue {
  @Field(() => Int, { description: 'How many nobody is sending.' })
  waiting!: number

  @Field(() => Number, {
    description: 'How long ago the oldest waiting mail was written; 0 without any.',
  })
  oldestSeconds!: number
}
