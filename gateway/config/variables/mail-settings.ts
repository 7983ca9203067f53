import { isIP } from 'node:net'
import { z } from 'zod'

/** The SMTP_URL that keeps mails in memory. */
export const mailbox = 'mailbox:'

/** The sender of mails. */
export interface MailFrom {
  /** Empty: the address alone. */
  readonly name: string
  readonly address: string
}

function isSmtpUrl(text: string): boolean {
  const { protocol, hostname, pathname, search, hash } = URL.parse(text) ?? {}
  if (protocol !== 'smtp:' && protocol !== 'smtps:') return false
  return Boolean(hostname) && `${pathname}${search}${hash}`.replace('/', '') === ''
}

/** A password in the address may need percent-encoding. */
export const smtpUrl = z
  .string()
  .refine(
    (text) => text === mailbox || isSmtpUrl(text),
    'must be smtp://… or smtps://… with user, password, host and port alone, or mailbox:',
  )

const address = '[^<>\\s@"(),:;\\\\]{1,64}@[A-Za-z0-9.-]{1,255}'
const named = new RegExp(`^(?:([^<>\\p{Cc}]{0,100}?)\\s*<(${address})>|(${address}))$`, 'u')

export const mailFrom = z.string().transform((text, context): MailFrom => {
  const [matched, name = '', inBrackets, alone] = named.exec(text) ?? []
  if (matched !== undefined) return { name, address: inBrackets ?? alone ?? '' }
  context.addIssue({ code: 'custom', message: 'must be an address, or Name <address>' })
  return z.NEVER
})

const addressAlone = new RegExp(`^${address}$`)

/** Where people get help: a mail address or a page. */
export const contact = z
  .string()
  .max(200, 'must have at most 200 characters')
  .refine(
    (text) => addressAlone.test(text) || /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
    'must be a mail address, or an http or https URL',
  )

/** The sender without MAIL_FROM: nobody reads answers to this address. */
export function usualMailFrom(baseUrl: string): MailFrom {
  const { hostname } = new URL(baseUrl)
  const isName = isIP(hostname.replaceAll(/[[\]]/g, '')) === 0
  return { name: '', address: `no-reply@${isName ? hostname : 'localhost'}` }
}
