import { z } from 'zod'
import { maxAddressLength } from '../../schema/vocabulary/mail-address.ts'
import {
  maxNotificationEmails,
  notificationKindNames,
} from '../../schema/vocabulary/notification-kinds.ts'
import { emailAddress } from '../http/fields/email-address.ts'
import { shown } from '../http/input.ts'
import {
  confirmationPage,
  confirmedPage,
  unsubscribedPage,
  unsubscribePage,
} from '../pages/mails/notification-pages.ts'
import { accountRoute } from './kinds/account-route.ts'
import { pageRoute } from './kinds/page-route.ts'

const email = emailAddress
  .clone()
  .register(shown, { schema: { type: 'string', format: 'email', maxLength: maxAddressLength } })

const notifications = z.strictObject({
  emails: z
    .array(email, 'must be a list of email addresses')
    .max(maxNotificationEmails, `must have at most ${maxNotificationEmails} entries`)
    .superRefine((emails, context) => {
      const seen = new Set<string>()
      for (const [index, address] of emails.entries()) {
        const key = address.toLowerCase()
        if (seen.has(key)) {
          context.addIssue({ code: 'custom', path: [index], message: 'is there twice' })
        }
        seen.add(key)
      }
    }),
  kinds: z
    .array(
      z.enum(notificationKindNames, `must be one of ${notificationKindNames.join(', ')}`),
      'must be a list of kinds of notifications',
    )
    .max(50, 'must have at most 50 entries'),
})

/** A program that reads mails may add parameters of its own to a link. */
const linkQuery = z.object({
  token: z.string('must be the token of a link').min(1, 'must be the token of a link'),
})

export const notificationRoutes = [
  accountRoute({
    method: 'get',
    path: '/account/notifications',
    summary: 'Addresses that get mails, and the kinds of events in them',
    operation: 'GetNotifications',
    isExtension: true,
    refusals: ['CONFLICT'],
    scope: 'account:read',
    keysOnly: true,
  }),
  accountRoute({
    method: 'put',
    path: '/account/notifications',
    summary: 'Choose which addresses get mails about which kinds of events',
    operation: 'ChangeNotifications',
    isExtension: true,
    refusals: ['CONFLICT'],
    scope: 'account:write',
    keysOnly: true,
    body: notifications,
  }),
  pageRoute({
    method: 'get',
    path: '/account/notifications/confirm',
    summary: 'The page behind the link that a new address gets',
    operation: 'FollowConfirmationLink',
    isExtension: true,
    query: linkQuery,
    pageOf: confirmationPage,
  }),
  pageRoute({
    method: 'post',
    path: '/account/notifications/confirm',
    summary: 'Confirm an address for notifications',
    operation: 'ConfirmNotificationEmail',
    isExtension: true,
    query: linkQuery,
    pageOf: confirmedPage,
  }),
  pageRoute({
    method: 'get',
    path: '/account/notifications/unsubscribe',
    summary: 'The page behind the link that ends notifications',
    operation: 'FollowUnsubscribeLink',
    isExtension: true,
    query: linkQuery,
    pageOf: unsubscribePage,
  }),
  pageRoute({
    method: 'post',
    path: '/account/notifications/unsubscribe',
    summary: 'End the notifications to an address, also by one click in a mail program',
    operation: 'RemoveNotificationEmail',
    isExtension: true,
    query: linkQuery,
    pageOf: unsubscribedPage,
  }),
]
