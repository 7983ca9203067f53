/** A mail as it is sent. No member has a line break but the two texts. */
export interface OutgoingMail {
  /** The id of the event, or of the mail: what the message id begins with. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Where a POST ends the subscription, also without the page. */
  readonly unsubscribeUrl: string
}

/** Takes mails for delivery. */
export interface MailSender {
  /** Resolves when a mail server has taken the mail; rejects otherwise, and when the signal aborts. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<void>
  close(): void
}
