import { mailChannel, startMailDispatcher } from '../../../subgraphs/account/index.ts'
import type { MailSender } from '../../../subgraphs/account/notifications/sender/mail-sender.ts'
import { createSmtpSender } from '../../../subgraphs/account/notifications/sender/smtp-sender.ts'
import type { Database } from '../../../subgraphs/shared/database/database.ts'
import type { Addresses } from '../../config/addresses.ts'
import {
  type MailFrom,
  mailbox as mailboxUrl,
  usualMailFrom,
} from '../../config/variables/mail-settings.ts'
import type { Mailbox } from '../../trial/mailbox/mailbox.ts'
import type { ProcessContext } from '../process/process-context.ts'
import type { NoticeSubscription } from './notice-subscriptions.ts'

interface MailOptions {
  /** The view of all accounts, on the connections for webhooks and mails. */
  readonly database: Database
  readonly gatewaySecret: string
  /** The base address of the links in mails. */
  readonly addresses: Addresses
}

/**
 * Sends mails as long as the process runs; null if none are sent. Several processes may send at the
 * same time. New mails are noticed as webhooks are.
 */
export async function startMails(
  { config, metrics, log, mailbox, resources }: ProcessContext,
  { database, gatewaySecret, addresses }: MailOptions,
): Promise<Omit<NoticeSubscription, 'url'> | null> {
  const { SMTP_URL: url } = config
  if (url === undefined) return null
  const { docsUrl, baseUrls } = addresses
  const from = config.MAIL_FROM ?? usualMailFrom(baseUrls.live)
  const sender =
    url === mailboxUrl ? intoMailbox(mailbox, from) : await createSmtpSender({ url, from })
  resources.defer(() => sender.close())
  const dispatcher = startMailDispatcher({
    ...{ database, gatewaySecret, sender },
    links: { baseUrl: baseUrls.live, docsUrl },
    noteAttempt: (outcome) => metrics.mailAttempts.inc({ outcome }),
    warn: (message, cause) => log.warn({ err: cause }, message),
  })
  resources.defer(() => dispatcher.stop())
  const wake = () => dispatcher.wake()
  return { channels: { [mailChannel]: wake }, onGap: wake }
}

function intoMailbox(mailbox: Mailbox, { name, address }: MailFrom): MailSender {
  const from = name === '' ? address : `${name} <${address}>`
  return {
    async send(mail) {
      mailbox.add({ ...mail, from })
    },
    close() {},
  }
}
