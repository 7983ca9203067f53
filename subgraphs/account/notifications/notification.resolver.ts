import { Arg, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import { OnceInput, onceArg } from '../../shared/changes/once.type.ts'
import { forgetEach } from '../../shared/database/forget.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { mailInvitation, removeInvitationMails } from './invitation-mail.service.ts'
import { InvitationMailInput } from './invitation-mail.type.ts'
import { mailForgetting, mailQueueOf } from './mail-queue.service.ts'
import {
  ChangeNotificationsInput,
  MailQueue,
  NotificationLink,
  NotificationSettings,
} from './notification.type.ts'
import {
  confirmAddressOf,
  confirmationOf,
  subscriptionOf,
  unsubscribe,
} from './notification-consent.service.ts'
import { changeNotifications, notificationsOf } from './notification-settings.service.ts'
import { mailPeople } from './people-mail.service.ts'
import { PeopleMailInput } from './people-mail.type.ts'

const tokenArg = { description: 'The value in the link.' }

@Resolver()
export class NotificationResolver {
  @Authorized('account')
  @Query(() => NotificationSettings, {
    description: "Returns the addresses that get mails about the caller's events.",
  })
  notifications(@Ctx() context: AccountContext): Promise<NotificationSettings> {
    return notificationsOf(context)
  }

  @Authorized('account')
  @Mutation(() => NotificationSettings, {
    description:
      "Replaces the addresses that get mails about the caller's events. New addresses get a mail with a link to confirm, unless too many accounts have asked the same address today; then a later request that names it causes the mail.",
  })
  changeNotifications(
    @Arg('input', () => ChangeNotificationsInput, { description: 'Addresses and kinds.' })
    input: ChangeNotificationsInput,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: AccountContext,
  ): Promise<NotificationSettings> {
    return changeNotifications(context, input, once)
  }

  @Authorized('anonymous')
  @Query(() => NotificationLink, { description: 'Returns the address that a link confirms.' })
  notificationConfirmation(
    @Arg('token', () => String, tokenArg) token: string,
    @Ctx() context: AccountContext,
  ): Promise<NotificationLink> {
    return confirmationOf(context, token)
  }

  @Authorized('anonymous')
  @Mutation(() => NotificationLink, { description: 'Confirms the address that a link belongs to.' })
  confirmNotificationEmail(
    @Arg('token', () => String, tokenArg) token: string,
    @Ctx() context: AccountContext,
  ): Promise<NotificationLink> {
    return confirmAddressOf(context, token)
  }

  @Authorized('anonymous')
  @Query(() => NotificationLink, { description: 'Returns the address that a link removes.' })
  notificationSubscription(
    @Arg('token', () => String, tokenArg) token: string,
    @Ctx() context: AccountContext,
  ): Promise<NotificationLink> {
    return subscriptionOf(context, token)
  }

  @Authorized('anonymous')
  @Mutation(() => NotificationLink, {
    description: 'Removes the address that a link belongs to. A repetition changes nothing.',
  })
  removeNotificationEmail(
    @Arg('token', () => String, tokenArg) token: string,
    @Ctx() context: AccountContext,
  ): Promise<NotificationLink> {
    return unsubscribe(context, token)
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Mails an invitation to an account; a repetition mails nothing. Always true.',
  })
  sendInvitation(
    @Arg('input', () => InvitationMailInput, { description: 'The invitation.' })
    input: InvitationMailInput,
    @Ctx() context: AccountContext,
  ): Promise<boolean> {
    return mailInvitation(context, input)
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Deletes the waiting mails of invitations that were removed. Always true.',
  })
  removeInvitationMails(
    @Arg('accountId', () => ID, { description: '`acct_…`' }) accountId: string,
    @Arg('memberIds', () => [ID], { description: '`mem_…`' }) memberIds: string[],
    @Ctx() context: AccountContext,
  ): Promise<boolean> {
    return removeInvitationMails(context, accountId, memberIds)
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Mails members of an account; a repetition mails nothing. Always true.',
  })
  mailPeople(
    @Arg('input', () => PeopleMailInput, { description: 'The mail, and who gets it.' })
    input: PeopleMailInput,
    @Ctx() context: AccountContext,
  ): Promise<boolean> {
    return mailPeople(context, input)
  }

  @Authorized('service')
  @Query(() => MailQueue, { description: 'Mails that no mail server has accepted yet.' })
  mailQueue(@Ctx() { database }: AccountContext): Promise<MailQueue> {
    return mailQueueOf(database)
  }

  @Authorized('service')
  @Mutation(() => Int, {
    description:
      'Deletes old mails and addresses that were not confirmed; returns the greatest number of deleted rows of one kind.',
  })
  forgetMails(
    @Arg('limit', () => Int, { description: 'The most rows of each kind.' }) limit: number,
    @Ctx() { database }: AccountContext,
  ): Promise<number> {
    return forgetEach(database, mailForgetting, limit)
  }
}
