import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import {
  notificationKindOf,
  notifiedEventTypes,
} from '../../../schema/vocabulary/notification-kinds.ts'
import { isWebhookEventType, webhookEvents } from '../../../schema/vocabulary/webhook-events.ts'
import { pauseAfter } from '../../../subgraphs/account/notifications/mail-dispatcher.ts'
import { composeMail } from '../../../subgraphs/account/notifications/mails/compose-mail.ts'
import {
  addressOfToken,
  linkToken,
} from '../../../subgraphs/account/notifications/mails/notification-link.ts'

const gatewaySecret = 'a secret for tests, long enough to pass'
const links = { baseUrl: 'https://api.example', docsUrl: 'https://docs.example' }
const addressId = newId('addr')

function dataOf(type: string): Readonly<Record<string, unknown>> {
  if (type === 'digest') return { events: { 'credits.low': 1, 'budget.threshold': 1200 } }
  return isWebhookEventType(type) ? webhookEvents[type].example : {}
}

function compose(
  template: string,
  data: Readonly<Record<string, unknown>> = dataOf(template),
  accountName = 'Acme & Sons',
) {
  const happenedAt = new Date('2026-01-31T09:30:00.000Z')
  const content = {
    addressId,
    address: 'ops@acme.example',
    template,
    data,
    happenedAt,
    accountName,
  }
  return composeMail({ ...content, messageId: 'evt_1' }, { gatewaySecret, links })
}

const all = [...notifiedEventTypes, 'confirmation', 'removal', 'digest']

describe('the text of a mail', () => {
  test('of a digest has the number of events of each type, the most frequent first', () => {
    const { subject, text } = compose('digest')

    expect(subject).toBe('Acme & Sons: 1,201 more events')
    expect(text).toContain('1,200 × budget.threshold, 1 × credits.low.')
  })

  test.each(all)('about %s says everything, as text and as HTML', (template) => {
    const { subject, text, html, unsubscribeUrl } = compose(template)

    // Previews for people.
    const folder = join(projectRoot, '.artifacts/mails')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${template}.txt`), `Subject: ${subject}\n\n${text}`)
    writeFileSync(join(folder, `${template}.html`), html)
    expect(`${subject}${text}${html}`).not.toMatch(/\{\{|\}\}|—|undefined|null/)
    expect(text).toMatch(/^https:\/\/\S+$/m)
    expect(text).toMatch(/\n\n-- \n.+\nUnsubscribe: /)
    expect(text).toContain(`Unsubscribe: ${unsubscribeUrl}`)
    expect(html).toContain(`<a href="${unsubscribeUrl}"`)
    expect(subject).not.toMatch(/[\r\n]/)
  })

  test.each([
    ['credits.expiring', ['1,200 credits on 1 February 2026', `${links.docsUrl}/credits`]],
    ['invoice.paid', ['99.00 USD', '10,000 credits', `${links.docsUrl}/invoices`]],
    ['payment.refunded', ['49.50 USD', '5,000 credits', `${links.docsUrl}/billing`]],
    ['payment.disputed', ['99.00 USD', 'recharging is suspended']],
    ['payment.dispute_closed', ['99.00 USD', 'was won by the provider']],
  ])('about %s says how much, and where to read on', (template, words) => {
    const { text } = compose(template)

    for (const word of words) expect(text).toContain(word)
  })

  test.each(notifiedEventTypes)('about %s names the account', (type) => {
    const { text, html } = compose(type)

    expect(text).toContain('Acme & Sons')
    expect(html).toContain('Acme &amp; Sons')
    expect(notificationKindOf(type)).not.toBe(null)
  })

  test('that asks to confirm has no text of a customer', () => {
    const { subject, text, html } = compose('confirmation')

    expect(`${subject}${text}${html}`).not.toContain('Acme')
  })

  test('has no control characters and marks of direction, and escapes HTML', () => {
    const name = '<script>\r\nX: y\u0000\u2028\u202e"\'{{subject}}'
    const data = { failure_reason: '<img src=x>\nBcc: a@b.example', payment_id: null }

    const { subject, text, html } = compose('auto_recharge.failed', data, name)

    expect(subject).toBe('<script> X: y "\'{{subject}}: automatic recharging failed')
    expect(text).toContain('<img src=x> Bcc: a@b.example')
    expect(html).toContain('&lt;script&gt; X: y &quot;&#39;{{subject}}')
    expect(html).not.toMatch(/<script|<img/)
  })

  test.each([
    ['failing', 'because it failed for days.'],
    ['gone', 'because it answered 410 Gone.'],
  ])('about a disabled webhook endpoint says why: %s', (reason, words) => {
    const { text } = compose('webhook_endpoint.disabled', {
      ...{ endpoint_id: newId('whe'), origin: 'https://example.com', reason },
      failing_since: '2026-01-26T09:30:00.000Z',
    })

    expect(text.replaceAll(/\s+/g, ' ')).toContain(words)
  })

  test('keeps a link of an event whole, and follows no other scheme than the web', () => {
    const long = `https://pay.example/?${'x'.repeat(500)}&a="b"`
    const harmful = compose('payment.action_required', { action_url: 'javascript:alert(1)' })

    const { text, html } = compose('payment.action_required', { action_url: long })

    expect(text).toContain(`\n${new URL(long).href}\n`)
    expect(html).toContain(`<a href="${new URL(long).href.replaceAll('&', '&amp;')}"`)
    expect(harmful.html).not.toContain('javascript:')
    expect(harmful.text).toContain(`\n${links.docsUrl}\n`)
  })
})

describe('the token of a link', () => {
  test('names its address, for one purpose and one secret', () => {
    const token = linkToken(gatewaySecret, 'confirm', addressId)

    expect(addressOfToken(gatewaySecret, 'confirm', token)).toBe(addressId)
    expect(addressOfToken(gatewaySecret, 'unsubscribe', token)).toBe(null)
    expect(addressOfToken('another secret, long enough to pass', 'confirm', token)).toBe(null)
    expect(addressOfToken(gatewaySecret, 'confirm', `${addressId}.`)).toBe(null)
    expect(addressOfToken(gatewaySecret, 'confirm', 'acct_x')).toBe(null)
  })
})

describe('the pause after a failed attempt', () => {
  const createdAt = new Date('2026-01-31T09:30:00.000Z')
  const pause = (tries: number, afterMs: number) =>
    pauseAfter({ tries, createdAt }, createdAt.getTime() + afterMs)

  test('leaves less than a minute between attempts in the first hour', () => {
    const attemptSeconds = 30

    for (let tries = 0; tries < 1000; tries += 1) {
      expect(pause(tries, 3_599_999) + attemptSeconds).toBeLessThanOrEqual(60)
      expect(pause(tries, 0)).toBeGreaterThanOrEqual(1)
    }
  })

  test('is about a quarter of an hour afterwards', () => {
    expect(pause(120, 3_600_000)).toBeGreaterThanOrEqual(900)
    expect(pause(300, 3_600_000)).toBeLessThanOrEqual(1080)
  })
})
