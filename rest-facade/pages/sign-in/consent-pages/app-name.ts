import type { BodyOf } from '../../../../schema/generated/operations.ts'
import { quotable } from '../../../../schema/vocabulary/claimed-name.ts'
import { foreign, html, type Markup } from '../../html/html.ts'

export type ShownClient = BodyOf<'Authorize'>['client']

/**
 * The app within a sentence. Of one that nobody registered by hand it says what is known, because its name is a claim
 * (docs/oauth-rules.md 128).
 */
export function appName(client: ShownClient): Markup {
  return client.origin ? knownOf(client, 'an app') : html`<strong>${foreign(client.name)}</strong>`
}

/** What is known of an app that nobody registered by hand; `article` begins it. */
export function knownOf(
  { document_host: host, registered_at: at }: ShownClient,
  article: 'an app' | 'An app',
): Markup {
  return host
    ? html`${article} of ${foreign(host)}`
    : html`${article} that registered itself on ${(at ?? '').slice(0, 10)}`
}

/** The name that such an app claims; null for any other app. */
export function claimedName({ origin, name }: ShownClient): Markup | null {
  if (!origin) return null
  return html`<p>It calls itself “${foreign(quotable(name))}”, which is <strong>not verified</strong>.</p>`
}
