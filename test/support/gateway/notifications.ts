import { expect } from 'vitest'
import type { TestResponse } from '../requests/client.ts'
import type { TestGateway } from './gateway.ts'

export const notificationsPath = '/v1/account/notifications'

/** Sets who is told of what. */
export function notify(
  { live }: Pick<TestGateway, 'live'>,
  key: string,
  emails: readonly unknown[],
  kinds: readonly unknown[] = ['credits_low'],
): Promise<TestResponse> {
  return live.request(notificationsPath, { method: 'PUT', key, body: { emails, kinds } })
}

/** The link of a mail's text that leads to a page of this name. */
export function linkIn(text: string, page: 'confirm' | 'unsubscribe'): string {
  const [link] = new RegExp(`https?://\\S+/${page}\\?token=\\S+`).exec(text) ?? []
  if (link === undefined) throw new Error(`The text has no link to ${page}: ${text}`)
  return link
}

interface Visited {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** Opens an address as a browser does, or presses the button of its page. */
export async function visit(
  url: string,
  { method = 'GET', accept = 'text/html' } = {},
): Promise<Visited> {
  // A form without fields has an empty body.
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const headers = { accept, ...(method === 'POST' && form) }
  const response = await fetch(url, { method, headers })
  const type = response.headers.get('content-type') ?? ''
  return { status: response.status, type, text: await response.text() }
}

/** Follows the link in the text of a mail, and presses the button. */
export async function confirm(text: string): Promise<void> {
  const { status } = await visit(linkIn(text, 'confirm'), { method: 'POST' })
  expect(status).toBe(200)
}
