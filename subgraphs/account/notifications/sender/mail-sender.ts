/** A mail as it is sent. Only the two texts may have line breaks. */
export interface OutgoingMail {
  /** The part of the message id before the @: the same with every attempt, and of no other mail. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The address at which a POST ends the subscription, without a visit to the page; null: there is none. */
  readonly unsubscribeUrl: string | null
}

/** Takes mails for delivery. */
export interface MailSender {
  /** Resolves when a mail server has taken the mail; rejects otherwise, and when the signal aborts. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<void>
  close(): void
}
