import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { verifyWebhook, WebhookVerificationError } from '../../../sdk/src/index.ts'

const id = 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'
const payload = '{"type":"key.created","data":{"id":"key_3","name":"Zoë"}}'
const event = { type: 'key.created', data: { id: 'key_3', name: 'Zoë' } }
const sentAt = new Date('2026-11-21T12:00:00Z')
const now = () => sentAt.getTime()

function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`
}

/** The headers that a sender of other software makes. */
function signedHeaders(secrets: readonly string[], body = payload): Record<string, string> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(sentAt.getTime() / 1000),
    'webhook-signature': signatures.join(' '),
  }
}

describe('verifyWebhook', () => {
  test('returns the event of a webhook with a valid signature and a recent timestamp', async () => {
    const secret = newSecret()
    const headers = signedHeaders([secret])

    expect(await verifyWebhook(payload, headers, secret, { now })).toEqual(event)
    expect(await verifyWebhook(Buffer.from(payload), headers, secret, { now })).toEqual(event)
    expect(await verifyWebhook(payload, new Headers(headers), secret, { now })).toEqual(event)
  })

  test('accepts headers as Node and others spell them', async () => {
    const secret = newSecret()
    const headers = Object.entries(signedHeaders([secret])).map(([name, value]) => [
      name.toUpperCase(),
      value,
    ])

    expect(await verifyWebhook(payload, Object.fromEntries(headers), secret, { now })).toEqual(
      event,
    )
  })

  test('accepts either secret during a rotation, on either side', async () => {
    const [old, next] = [newSecret(), newSecret()]

    expect(await verifyWebhook(payload, signedHeaders([old, next]), next, { now })).toEqual(event)
    expect(await verifyWebhook(payload, signedHeaders([old]), [next, old], { now })).toEqual(event)
  })

  test.each([-300, 300])('accepts a clock that differs by %i seconds', async (seconds) => {
    const secret = newSecret()
    const away = () => now() + seconds * 1000

    expect(await verifyWebhook(payload, signedHeaders([secret]), secret, { now: away })).toEqual(
      event,
    )
  })

  test.each([-301, 301])('refuses a clock that differs by %i seconds', async (seconds) => {
    const secret = newSecret()
    const away = () => now() + seconds * 1000
    const verified = verifyWebhook(payload, signedHeaders([secret]), secret, { now: away })

    await expect(verified).rejects.toThrow('webhook-timestamp is more than 300 seconds away')
    await expect(verified).rejects.toBeInstanceOf(WebhookVerificationError)
  })

  test.each([
    ['another body', { body: payload.replace('3', '4') }],
    ['another id', { headers: { 'webhook-id': 'msg_other' } }],
    ['another time', { headers: { 'webhook-timestamp': String(sentAt.getTime() / 1000 + 1) } }],
    ['a signature cut short', { headers: { 'webhook-signature': 'v1,AAAA' } }],
    ['a signature that is no base64', { headers: { 'webhook-signature': 'v1,%%%' } }],
    ['a signature of another version', { headers: { 'webhook-signature': 'v2,AAAA' } }],
    ['a version alone', { headers: { 'webhook-signature': 'v1' } }],
  ])('refuses %s', async (_, { body = payload, headers = {} }: Tampering) => {
    const secret = newSecret()
    const sent = { ...signedHeaders([secret]), ...headers }

    await expect(verifyWebhook(body, sent, secret, { now })).rejects.toThrow(
      new WebhookVerificationError('No signature is of a known secret.'),
    )
  })

  test('refuses the signature of another secret', async () => {
    const headers = signedHeaders([newSecret()])

    await expect(verifyWebhook(payload, headers, newSecret(), { now })).rejects.toThrow(
      'No signature is of a known secret.',
    )
  })

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'refuses a webhook without %s',
    async (name) => {
      const secret = newSecret()
      const { [name]: _, ...others } = signedHeaders([secret])

      await expect(verifyWebhook(payload, others, secret, { now })).rejects.toThrow(
        `The header ${name} is missing.`,
      )
    },
  )

  test.each(['', '1e9', '-5', 'now'])('refuses the timestamp %j', async (timestamp) => {
    const secret = newSecret()
    const headers = { ...signedHeaders([secret]), 'webhook-timestamp': timestamp }

    await expect(verifyWebhook(payload, headers, secret, { now })).rejects.toThrow(
      WebhookVerificationError,
    )
  })

  test.each(['', 'whsec_', 'whsec_%%%'])('refuses the secret %j as unusable', async (secret) => {
    const headers = signedHeaders([newSecret()])

    await expect(verifyWebhook(payload, headers, secret, { now })).rejects.toThrow(
      'The secret is not one that the gateway gave',
    )
  })
})

interface Tampering {
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}
