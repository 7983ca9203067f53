import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { expect, vi } from 'vitest'
import {
  isWebhookEventType,
  webhookPayloadSchema,
} from '../../../schema/vocabulary/webhook-events.ts'
import type { TestGateway } from '../gateway/gateway.ts'
import { patience } from '../time/patience.ts'

/** One message as it came in. */
export interface Received {
  /** The id of the event. */
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The type in the body. */
  readonly type: string
  readonly data: Record<string, unknown>
}

/** Answers a message, or leaves it hanging. */
export type Answer = (received: Received, response: ServerResponse) => void

export interface WebhookReceiver {
  readonly url: string
  /** In the order of their arrival. */
  readonly received: readonly Received[]
  /** Waits for so many messages of one type. */
  until(type: string, count?: number): Promise<Received[]>
  close(): Promise<void>
}

const accept: Answer = (_, response) => response.writeHead(204).end()

/** An integrator's server, on loopback. */
export async function openReceiver(answer: Answer = accept): Promise<WebhookReceiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      const { type, data } = JSON.parse(body)
      const { headers } = request
      const message = { id: String(headers['webhook-id']), headers, body, type, data }
      received.push(message)
      answer(message, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('It has no port.')
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    received,
    until: (type, count = 1) =>
      vi.waitUntil(() => {
        const messages = received.filter((message) => message.type === type)
        return messages.length >= count ? messages : null
      }, patience),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Answers with these statuses, one after the other, and then with 204. */
export function answering(...statuses: readonly number[]): Answer {
  const left = [...statuses]
  return (_, response) => response.writeHead(left.shift() ?? 204).end()
}

/** Checks the signature with this secret, and the body against the table of events. */
export function expectGenuine({ headers, body, type }: Received, secret: string): void {
  const named = {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  }
  const payload = new Webhook(secret).verify(body, named)
  if (!isWebhookEventType(type)) throw new Error(`${type} is not in the table.`)
  expect(webhookPayloadSchema(type).parse(payload)).toEqual(payload)
  expect(Object(payload).id).toBe(named['webhook-id'])
}

/** Settings with which a gateway sends webhooks to this machine, without long waits. */
export const webhookVariables = {
  WEBHOOK_ALLOW_LOOPBACK: 'true',
  WEBHOOK_RETRY_SECONDS: '0,0,0,0,0',
  WEBHOOK_TIMEOUT_MS: '60000',
}

export const webhooksPath = '/v1/account/webhooks'

interface EndpointOptions {
  readonly events?: readonly string[]
  readonly environment?: 'live' | 'sandbox'
}

export interface TestEndpoint {
  readonly id: string
  readonly secret: string
}

/** An endpoint of the account of this key. */
export async function createEndpoint(
  gateway: Pick<TestGateway, 'live' | 'sandbox'>,
  key: string,
  url: string,
  { events = [], environment = 'live' }: EndpointOptions = {},
): Promise<TestEndpoint> {
  const { status, body } = await gateway[environment].post(webhooksPath, { url, events }, key)
  expect(status).toBe(201)
  const { id, secret } = Object(body)
  return { id, secret }
}
