import { addressChangeUrl } from '../../../../schema/credentials/address-change.ts'
import { invitationUrl } from '../../../../schema/credentials/invitation-token.ts'
import { mailCodeOf, mailSignInUrl } from '../../../../schema/credentials/mail-sign-in.ts'
import type { OutgoingMail } from '../sender/mail-sender.ts'
import { harmlessName, instantText, oneLine, valuesOfData } from './mail-values.ts'
import { linkToken } from './notification-link.ts'
import { fill, isPeopleMail, mailLayout, templateOf } from './template.ts'

/** The base address of the links in mails; absolute, without a trailing slash. */
export interface MailLinks {
  readonly baseUrl: string
  readonly docsUrl: string
}

interface ComposeOptions {
  readonly gatewaySecret: string
  readonly links: MailLinks
}

/** The text of a mail depends on these members only. */
export interface MailContent {
  readonly addressId: string
  readonly address: string
  /** The type of the event that the mail tells of, or an `AddressMail`. */
  readonly template: string
  /** The id of the event that the mail tells of, or of the mail itself. */
  readonly messageId: string
  readonly data: Readonly<Record<string, unknown>>
  readonly happenedAt: Date
  readonly accountName: string
}

/**
 * A mail as text and as HTML, of the same template. Every value is one line, and is escaped in the
 * HTML.
 */
export function composeMail(
  { addressId, address, template, messageId, data, happenedAt, accountName }: MailContent,
  { gatewaySecret, links }: ComposeOptions,
): OutgoingMail {
  const isSubscribed = !isPeopleMail(template)
  const { subject, paragraphs, linkLabel, linkUrl, footer } = templateOf(template)
  const pages = `${links.baseUrl}/v1/account/notifications`
  const urlOf = (purpose: 'confirm' | 'unsubscribe') =>
    `${pages}/${purpose}?token=${linkToken(gatewaySecret, purpose, addressId)}`
  const values = valuesOfData(data)
    .set('account', oneLine(accountName))
    .set('happened_at', instantText(happenedAt))
    .set('docs_url', links.docsUrl)
    .set('console_url', `${links.baseUrl}/console`)
    .set('unsubscribe_url', urlOf('unsubscribe'))
    .set('account_name', harmlessName(accountName, 'an account'))
    .set('inviter', data.invited_by ? harmlessName(data.invited_by, 'Somebody') : 'The provider')
  if (template === 'confirmation') values.set('confirm_url', urlOf('confirm'))
  if (template === 'invitation') {
    values.set('invitation_url', invitationUrl(links.baseUrl, gatewaySecret, messageId))
  }
  if (template === 'sign_in' || template === 'sign_in_link') {
    values
      .set('sign_in_url', mailSignInUrl(links.baseUrl, gatewaySecret, messageId))
      .set('code', mailCodeOf(gatewaySecret, messageId))
  }
  if (template === 'address_confirmation') {
    values.set('confirm_url', addressChangeUrl(links.baseUrl, gatewaySecret, messageId))
  }
  const plain = (text: string) => fill(text, values)
  const escaped = (text: string) => fill(escapeHtml(text), values, escapeHtml)

  const parts = new Map([
    ['subject', plain(subject)],
    ['link_label', plain(linkLabel)],
    ['link_url', safeUrl(plain(linkUrl), links.docsUrl)],
    ['footer', plain(footer)],
    ['unsubscribe_url', urlOf('unsubscribe')],
  ])
  const layout = mailLayout(isSubscribed)
  const text = fill(
    layout.text,
    new Map([...parts, ['paragraphs', paragraphs.map(plain).join('\n\n')]]),
  )
  const body = paragraphs.map((paragraph) => `<p>${escaped(paragraph)}</p>`).join('\n')
  const [head = '', tail = ''] = layout.html.split('{{paragraphs}}')
  const html = [fill(head, parts, escapeHtml), body, fill(tail, parts, escapeHtml)].join('')
  return {
    // Each receiver gets another message, with a link of its own (RFC 5322 §3.6.4).
    ...{ id: `${messageId}.${addressId}`, to: address },
    ...{ subject: oneLine(plain(subject)), text, html },
    unsubscribeUrl: isSubscribed ? urlOf('unsubscribe') : null,
  }
}

/** A link of an event's data may lead to the web only. */
function safeUrl(url: string, otherwise: string): string {
  return /^https?:$/.test(URL.parse(url)?.protocol ?? '') ? url : otherwise
}

const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities.get(character) ?? '')
}
