import type { MailSender } from './mail-sender.ts'

export interface SmtpOptions {
  /** `smtp://…` or `smtps://…`, with user and password where the server needs them. */
  readonly url: string
  /** The sender of the mails; without a name, the address alone. */
  readonly from: { readonly name: string; readonly address: string }
}

/** Limits each step of an attempt; the signal limits the whole. */
const stepMs = 10_000

/**
 * Sends each mail on a connection of its own. A password leaves this machine encrypted only: a
 * server that offers no TLS gets none.
 */
export async function createSmtpSender({ url, from }: SmtpOptions): Promise<MailSender> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    url,
    requireTLS: mustEncrypt(url),
    ...{ connectionTimeout: stepMs, greetingTimeout: stepMs, socketTimeout: stepMs },
    // A mail has texts only: nothing is read from files or other servers.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  })
  return {
    async send({ id, to, subject, text, html, unsubscribeUrl }, signal) {
      const sent = transport.sendMail({
        ...{ from, subject, text, html, signal },
        // An object is never parsed as a list of addresses.
        to: { name: '', address: to },
        messageId: `<${id}@${from.address.split('@')[1]}>`,
        headers: {
          // RFC 8058: a mail program ends the subscription by itself.
          ...(unsubscribeUrl !== null && {
            'List-Unsubscribe': `<${unsubscribeUrl}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
          // RFC 3834 §5: nobody answers automatically.
          'Auto-Submitted': 'auto-generated',
        },
      })
      await sent.catch((error: unknown) => {
        throw new Error(reasonOf(error))
      })
    },
    close: () => transport.close(),
  }
}

/** How long the check may take. It is short because a person waits for the answer. */
const probeMs = 2000

/** Checks that the server answers and takes the login. */
export async function probeSmtp(url: string): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    ...{ url, requireTLS: mustEncrypt(url) },
    ...{ connectionTimeout: probeMs, greetingTimeout: probeMs, socketTimeout: probeMs },
  })
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

/** The part of an error that may be logged: the answer of a server can repeat the address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (!('responseCode' in error) || !('command' in error)) return error.message
  return `The mail server answered ${String(error.responseCode)} to ${String(error.command)}.`
}

function mustEncrypt(url: string): boolean {
  const { username, hostname } = new URL(url)
  return username !== '' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}
