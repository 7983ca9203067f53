import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { onTestFinished } from 'vitest'
import { newWebhookSecret } from '../../../subgraphs/account/webhooks/sender/webhook-secret.ts'
import {
  createWebhookSender,
  type OutgoingWebhook,
  type WebhookSender,
  type WebhookSenderOptions,
} from '../../../subgraphs/account/webhooks/sender/webhook-sender.ts'

/** The rules of the embedded default run, and those of production. */
export const local = { allowsLoopback: true } as const
export const production = { allowsLoopback: false } as const

/** A sender with a long timeout and the default limit of answers; the end of the test closes it. */
export function startSender(options: Partial<WebhookSenderOptions>): WebhookSender {
  const limits = { timeoutMs: 60_000, maxResponseBytes: 65_536 }
  const sender = createWebhookSender({ ...production, ...limits, ...options })
  onTestFinished(() => sender.close())
  return sender
}

export function messageTo(url: string, changes: Partial<OutgoingWebhook> = {}): OutgoingWebhook {
  return {
    id: 'evt_1',
    url,
    secrets: [newWebhookSecret()],
    body: '{"id":"evt_1","type":"credits.low"}',
    ...changes,
  }
}

export interface Delivery {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly url: string
  readonly deliveries: readonly Delivery[]
}

/** A receiver on 127.0.0.1 that reads each request completely and then answers as the test says. */
export async function startReceiver(
  answer: (res: ServerResponse, delivery: Delivery) => void,
): Promise<Receiver> {
  const deliveries: Delivery[] = []
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const { method = '', url = '', headers } = req
      const body = Buffer.concat(chunks).toString('utf8')
      const delivery = { path: `${method} ${url}`, headers, body }
      deliveries.push(delivery)
      answer(res, delivery)
    })
  })
  const port = await listen(server, '127.0.0.1')
  return { url: `http://127.0.0.1:${port}/hooks`, deliveries }
}

/** A receiver on 127.0.0.1 that handles every connection as the test says. */
export async function startTcpReceiver(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    // Most of these receivers expect to be disconnected.
    socket.on('error', () => {})
    onConnection(socket)
  })
  return `http://127.0.0.1:${await listen(server, '127.0.0.1')}/hooks`
}

export interface Trap {
  readonly port: number
  /** The number of connections so far. */
  readonly accepts: () => number
}

/** Listens on every address of this machine: loopback, private and public, of both families. */
export async function startTrap(): Promise<Trap> {
  let accepts = 0
  const server = createTcpServer((socket) => {
    accepts += 1
    socket.destroy()
  })
  const hasIPv6 = addressesOfThisMachine().some((one) => one.includes(':'))
  const port = await listen(server, hasIPv6 ? '::' : '0.0.0.0')
  return { port, accepts: () => accepts }
}

/** The addresses that a trap listens on, except those that need a zone. */
export function addressesOfThisMachine(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? [])
  const found = all.map(({ address }) => address).filter((one) => !one.startsWith('fe80:'))
  // Other systems have only the first address of 127.0.0.0/8.
  return process.platform === 'linux' ? [...found, '127.1.2.3'] : found
}

export function listen(server: Server, host: string): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => {
      server.close(resolve)
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, () => {
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('no port'))
      else resolve(address.port)
    })
  })
}
