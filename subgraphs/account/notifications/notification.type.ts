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

@ObjectType({ description: 'An address that gets mails about an account.' })
export class NotificationEmail {
  @Field(() => String, { description: 'The address, as it was first written.' })
  address!: string

  @Field(() => Boolean, {
    description:
      'Whether its holder has confirmed it with the link. Until then it gets no other mail.',
  })
  isConfirmed!: boolean
}

@ObjectType({
  description: 'The addresses that get mails, and the kinds of events that mails are sent for.',
})
export class NotificationSettings {
  @Field(() => [NotificationEmail], { description: 'The addresses, at most five.' })
  emails!: NotificationEmail[]

  @Field(() => [NotificationKind], { description: 'The kinds of events that mails are sent for.' })
  kinds!: string[]
}

@InputType({
  description:
    'The addresses that get mails, and the kinds of events for each. They replace the former ones.',
})
export class ChangeNotificationsInput {
  @Field(() => [String], {
    description:
      'At most five addresses, each once without regard to case. A new one gets a mail with a link to confirm.',
  })
  emails!: string[]

  @Field(() => [NotificationKind], { description: 'The kinds of events that mails are sent for.' })
  kinds!: string[]
}

@ObjectType({ description: 'The address that a link in a mail belongs to.' })
export class NotificationLink {
  @Field(() => String, {
    nullable: true,
    description: 'The address; null when the account has removed it.',
  })
  address!: string | null

  @Field(() => Boolean, { description: 'Whether its holder has confirmed it.' })
  isConfirmed!: boolean
}

@ObjectType({ description: 'The mails that are due, for all accounts.' })
export class MailQueue {
  @Field(() => Int, { description: 'How many mails no process is sending.' })
  waiting!: number

  @Field(() => Number, {
    description: 'The age of the oldest waiting mail in seconds; 0 if none waits.',
  })
  oldestSeconds!: number
}
