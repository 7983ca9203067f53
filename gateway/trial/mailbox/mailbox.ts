/** A mail that the mailbox keeps. */
export interface KeptMail {
  /** The id of the event that the mail tells of; without one, the id of the mail. */
  readonly id: string
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Where a POST ends the subscription. */
  readonly unsubscribeUrl: string | null
  /** ISO 8601. */
  readonly sentAt: string
}

/** Mails in memory, in place of a mail server. */
export interface Mailbox {
  add(mail: Omit<KeptMail, 'sentAt'>): void
  /** Returns the mails, the newest first. */
  list(): readonly KeptMail[]
}

const maxMails = 200

/** Keeps the newest mails until the process ends. */
export function createMailbox(): Mailbox {
  const mails: KeptMail[] = []
  return {
    add(mail) {
      mails.unshift({ ...mail, sentAt: new Date().toISOString() })
      mails.length = Math.min(mails.length, maxMails)
    },
    list: () => mails,
  }
}
