import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import { vi } from 'vitest'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import { patience } from '../time/patience.ts'

/** One mail as a mail server took it. */
export interface ReceivedMail {
  /** The receiver of the envelope. */
  readonly to: string
  /** The user that sent it; null without a login. */
  readonly user: string | null
  readonly isEncrypted: boolean
  /** Unfolded, by their names in lower case; those that were sent twice are joined by a line break. */
  readonly headers: ReadonlyMap<string, string>
  /** The bytes as they came. */
  readonly raw: string
  readonly text: string
  readonly html: string
}

export interface MailServer {
  /** The SMTP_URL for a gateway. */
  readonly url: string
  /** In the order of their arrival. */
  readonly received: readonly ReceivedMail[]
  /** With which somebody tried to log in. */
  readonly passwords: readonly string[]
  /** Attempts that were refused. */
  readonly refused: () => number
  /** From now on every mail is refused, for the time being. */
  refuse(isRefusing: boolean): void
  /** From now on no mail is answered, until the returned function is called. */
  hold(): () => void
  /** The most mails that waited for an answer at the same time. */
  readonly mostHeld: () => number
  /** Closes the port, until it is opened again. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Waits until so many mails to an address have arrived. */
  until(address: string, count?: number): Promise<ReceivedMail[]>
}

interface MailServerOptions {
  /** An address of loopback. */
  readonly host?: string
  /** In PEM. With it the server offers TLS, or speaks nothing else. */
  readonly tls?: { readonly key: string; readonly cert: string }
  readonly isTlsOnly?: boolean
  /** Without it, nobody logs in. */
  readonly login?: { readonly user: string; readonly password: string }
}

/** A real mail server on loopback. */
export async function openMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { host = '127.0.0.1', tls, isTlsOnly = false, login } = options
  const disabledCommands = [...(login ? [] : ['AUTH']), ...(tls ? [] : ['STARTTLS'])]
  const passwords: string[] = []
  const received: ReceivedMail[] = []
  let refused = 0
  let isRefusing = false
  let held = 0
  let mostHeld = 0
  let releasing: Promise<void> | null = null

  async function untilReleased(): Promise<void> {
    if (!releasing) return
    held += 1
    mostHeld = Math.max(mostHeld, held)
    await releasing
    held -= 1
  }

  // The port is chosen here: the system would give port 0 to others while the server is stopped.
  const port = await freePort()
  let server: SMTPServer | null = null

  async function start(): Promise<void> {
    const opened = new SMTPServer({
      ...{ authOptional: !login, disabledCommands, logger: false, secure: isTlsOnly, ...tls },
      // A password that comes in the clear is taken too: the test finds out.
      allowInsecureAuth: true,
      onAuth({ username, password }, _session, callback) {
        passwords.push(password ?? '')
        const isRight = username === login?.user && password === login?.password
        if (isRight) callback(null, { user: username })
        else callback(Object.assign(new Error('5.7.8 Wrong'), { responseCode: 535 }))
      },
      // A port that was just closed is taken at once by the next server.
      onRcptTo(_address, _session, callback) {
        if (!isRefusing) return void untilReleased().then(() => callback())
        refused += 1
        callback(Object.assign(new Error('4.3.2 Try again later'), { responseCode: 451 }))
      },
      onData(stream, session, callback) {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const to = session.envelope.rcptTo.map(({ address }) => address).join(', ')
          const mail = readMail(Buffer.concat(chunks).toString('utf8'))
          const { user: name = null, secure: isEncrypted } = session
          received.push({ ...mail, to, user: name, isEncrypted })
          callback()
        })
      },
    })
    opened.on('error', () => {})
    opened.listen(port, host)
    await once(opened.server, 'listening')
    server = opened
  }

  await start()
  return {
    url: urlOf(options, `${host}:${port}`),
    received,
    passwords,
    refused: () => refused,
    refuse(refusing) {
      isRefusing = refusing
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      releasing = promise
      return () => {
        releasing = null
        resolve()
      }
    },
    mostHeld: () => mostHeld,
    async stop() {
      const closing = server
      server = null
      if (closing) await new Promise<void>((resolve) => closing.close(() => resolve()))
    },
    start,
    until: (address, count = 1) =>
      vi.waitUntil(() => {
        const mails = received.filter(({ to }) => to === address)
        return mails.length >= count ? mails : null
      }, patience),
  }
}

function urlOf({ isTlsOnly, login }: MailServerOptions, address: string): string {
  const scheme = isTlsOnly ? 'smtps' : 'smtp'
  return `${scheme}://${login ? `${login.user}:${encodeURIComponent(login.password)}@` : ''}${address}`
}

function readMail(raw: string): Omit<ReceivedMail, 'to' | 'user' | 'isEncrypted'> {
  const { headers, body } = readPart(raw)
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '') ?? []
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => readPart(part.replace(/^\r\n/, '')))
  const partOf = (type: string) => {
    const part = parts.find((one) => one.headers.get('content-type')?.startsWith(type))
    return part ? decoded(part) : ''
  }
  return { headers, raw, text: partOf('text/plain'), html: partOf('text/html') }
}

interface Part {
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

function readPart(source: string): Part {
  const end = source.indexOf('\r\n\r\n')
  const headers = new Map<string, string>()
  for (const line of source
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? []
    const earlier = headers.get(name.toLowerCase())
    const text = encodedWordsOf(value)
    headers.set(name.toLowerCase(), earlier === undefined ? text : `${earlier}\n${text}`)
  }
  return { headers, body: source.slice(end + 4) }
}

/** RFC 2047, in the form Q. */
function encodedWordsOf(value: string): string {
  const words = value.replaceAll(/\?=\s+=\?UTF-8\?Q\?/g, '')
  return words.replaceAll(/=\?UTF-8\?Q\?(.*?)\?=/g, (_, word: string) =>
    fromBytes(word.replaceAll('_', ' ')),
  )
}

function fromBytes(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

function decoded({ headers, body }: Part): string {
  const encoding = headers.get('content-transfer-encoding')
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding !== 'quoted-printable') return body.replaceAll('\r\n', '\n')
  return fromBytes(body.replaceAll(/=\r\n/g, '')).replaceAll('\r\n', '\n')
}
