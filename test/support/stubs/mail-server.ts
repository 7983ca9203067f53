import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { vi } from 'vitest'
import { patience } from '../time/patience.ts'

/** One mail as a mail server took it. */
export interface ReceivedMail {
  /** Of the envelope. */
  readonly to: string
  /** Unfolded, by their names in lower case; those that were sent twice are joined by a line break. */
  readonly headers: ReadonlyMap<string, string>
  /** The bytes as they came. */
  readonly raw: string
  readonly text: string
  readonly html: string
}

export interface MailServer {
  /** What a gateway is given as SMTP_URL. */
  readonly url: string
  /** In the order of their arrival. */
  readonly received: readonly ReceivedMail[]
  /** Attempts that were refused. */
  readonly refused: () => number
  /** From now on every mail is refused, for the time being. */
  refuse(isRefusing: boolean): void
  /** Closes the port, until it is opened again. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Waits until so many mails to an address have arrived. */
  until(address: string, count?: number): Promise<ReceivedMail[]>
}

/** A real mail server on loopback. */
export async function openMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = []
  let refused = 0
  let isRefusing = false
  let port = 0
  let server: SMTPServer | null = null

  async function start(): Promise<void> {
    const opened = new SMTPServer({
      ...{ authOptional: true, disabledCommands: ['AUTH', 'STARTTLS'], logger: false },
      // A port that was just closed is taken at once by the next server.
      onRcptTo(_address, _session, callback) {
        if (!isRefusing) return callback()
        refused += 1
        callback(Object.assign(new Error('4.3.2 Try again later'), { responseCode: 451 }))
      },
      onData(stream, session, callback) {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const to = session.envelope.rcptTo.map(({ address }) => address).join(', ')
          received.push(readMail(to, Buffer.concat(chunks).toString('utf8')))
          callback()
        })
      },
    })
    opened.on('error', () => {})
    opened.listen(port, '127.0.0.1')
    await once(opened.server, 'listening')
    const address = opened.server.address()
    port = (address as AddressInfo).port
    server = opened
  }

  await start()
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    refused: () => refused,
    refuse(refusing) {
      isRefusing = refusing
    },
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

function readMail(to: string, raw: string): ReceivedMail {
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
  return { to, headers, raw, text: partOf('text/plain'), html: partOf('text/html') }
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
