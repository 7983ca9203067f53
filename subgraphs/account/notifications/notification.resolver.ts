import { Arg, Authorized, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql'
import { OnceInput, onceArg } from '../../shared/changes/once.type.ts'
import { forgetEach } from '../../shared/database/forget.ts'
import type { AccountContext } from '../settings/account-settings.ts'
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

const tokenArg = { description: 'Of the link.' }

@Resolver()
export class NotificationResolver {
  @Authorized('account')
  @Query(() => NotificationSettings, {
    description: "The addresses that get mails about the caller's events.",
  })
  notifications(@Ctx() context: AccountContext): Promise<NotificationSettings> {
    return notificationsOf(context)
  }

  @Authorized('account')
  @Mutation(() => NotificationSettings, {
    description:
      "Sets who is told of the caller's events by mail. New addresses are asked to confirm.",
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
  @Query(() => NotificationLink, { description: 'The address that a link would confirm.' })
  notificationConfirmation(
    @Arg('token', () => String, tokenArg) token: string,
    @Ctx() context: AccountContext,
  ): Promise<NotificationLink> {
    return confirmationOf(context, token)
  }

  @Authorized('anonymous')
  @Mutation(() => NotificationLink, { description: 'Confirms the address of a link.' })
  confirmNotificationEmail(
    @Arg('token', () => String, tokenArg) token: string,
    @Ctx() context: AccountContext,
  ): Promise<NotificationLink> {
    return confirmAddressOf(context, token)
  }

  @Authorized('anonymous')
  @Query(() => NotificationLink, { description: 'The address that a link would remove.' })
  notificationSubscription(
    @Arg('token', () => String, tokenArg) token: string,
    @Ctx() context: AccountContext,
  ): Promise<NotificationLink> {
    return subscriptionOf(context, token)
  }

  @Authorized('anonymous')
  @Mutation(() => NotificationLink, {
    description: 'Removes the address of a link; once more does nothing.',
  })
  removeNotificationEmail(
    @Arg('token', () => String, tokenArg) token: string,
    @Ctx() context: AccountContext,
  ): Promise<NotificationLink> {
    return unsubscribe(context, token)
  }

  @Authorized('service')
  @Query(() => MailQueue, { description: 'Mails that no mail server has taken yet.' })
  mailQueue(@Ctx() { database }: AccountContext): Promise<MailQueue> {
    return mailQueueOf(database)
  }

  @Authorized('service')
  @Mutation(() => Int, {
    description:
      'Deletes old mails and addresses that nobody confirmed; returns the most that went of one kind.',
  })
  forgetMails(
    @Arg('limit', () => Int, { description: 'At most so many of each.' }) limit: number,
    @Ctx() { database }: AccountContext,
  ): Promise<number> {
    return forgetEach(database, mailForgetting, limit)
  }
}
