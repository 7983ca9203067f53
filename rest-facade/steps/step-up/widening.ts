import type { StepUp } from './step-up.ts'

/** What a session can widen by a route, and when it needs a fresh proof for that. */
interface Widens {
  /** What the change can widen, in words for people. */
  readonly widens: string
  /** The changes that need a proof, in words for people; null: all changes of the route. */
  readonly when: string | null
  readonly stepUp: StepUp
}

interface WidensNothing {
  readonly widens: null
  readonly because: string
}

export type Widening = Widens | WidensNothing

const always = (widens: string): Widens => ({ widens, when: null, stepUp: { isAsked: true } })
const nothing = (because: string): WidensNothing => ({ widens: null, because })

const has =
  (...names: readonly string[]) =>
  (body: object) =>
    names.some((name) => name in body)

const proves = nothing('It is a proof itself.')
const stops = nothing('It stops or removes something.')
const reads = nothing('It shows what its caller may read.')
const asksNoSession = nothing('A session cannot call it.')
const byLink = nothing('The signature of the link is the permission.')

/**
 * Every route that changes something, whatever its kind (docs/contract.md §10 shows those that widen). A
 * route of an account without an entry stops the start. Product operations widen nothing: they spend within
 * the balance and the budgets.
 */
const widenings: Readonly<Record<string, Widening>> = {
  'PUT /account/budgets': always('what all calls of the account may spend'),
  'PUT /account/external-ids/:external_id/budgets': always(
    'what keys with an external id may spend',
  ),
  'POST /account/keys/:key_id/budgets/:period/reset': always('what a key may spend in this period'),

  'POST /account/keys': always('who has access, and how much of it'),
  'PATCH /account/keys/:key_id': {
    widens: 'what a key may do and spend, from where and until when',
    when: '`scopes`, `ip_allowlist`, `expires_at`, `budgets`, `external_id`; `enabled: true` of a disabled key',
    stepUp: {
      isAsked: has('scopes', 'ip_allowlist', 'expires_at', 'budgets', 'external_id'),
      isJudged: true,
    },
  },
  'POST /account/keys/:key_id/undo-disable': nothing(
    'The session takes back what it did at most 60 seconds ago.',
  ),
  'POST /account/keys/:key_id/rotate': always('who knows the secret of a key'),
  'DELETE /account/keys/:key_id': stops,

  'POST /account/webhooks': always('where events go'),
  'PATCH /account/webhooks/:endpoint_id': {
    widens: 'where events go, and which',
    when: '`url`, `events`, `status: "enabled"`',
    stepUp: { isAsked: (body) => has('url', 'events')(body) || body.status === 'enabled' },
  },
  'POST /account/webhooks/:endpoint_id/rotate': always('who can sign messages'),
  'DELETE /account/webhooks/:endpoint_id': stops,
  'POST /account/webhooks/:endpoint_id/test': nothing('The address was chosen before.'),
  'POST /account/webhooks/:endpoint_id/resend': nothing(
    'The address and events were chosen before.',
  ),
  'POST /account/webhooks/deliveries/:delivery_id/resend': nothing(
    'The address and events were chosen before.',
  ),

  'POST /oauth/apps': always('who may ask for access'),
  'PATCH /oauth/apps/:client_id': always('who may ask for access, and for how much of it'),
  'POST /oauth/apps/:client_id/rotate': always('who can act as an app'),
  'DELETE /oauth/apps/:client_id': stops,
  'PATCH /oauth/consents/:client_id': always('what an app may spend'),
  'DELETE /oauth/consents/:client_id': stops,
  'POST /oauth/consent': nothing('It asks for a recent sign-in by its own rule (oauth-rules.md).'),

  'POST /billing/checkout': always('what is paid'),
  'PATCH /account/auto-recharge': {
    widens: 'what is paid without a person',
    when: 'turning it on, another package, a higher threshold, a higher or no monthly cap',
    stepUp: { isAsked: false, isJudged: true },
  },
  'POST /account/subscription': always('what is paid'),
  'POST /account/subscription/preview': reads,
  'POST /account/subscription/resume': always('what is paid without a person'),
  'POST /billing/payment-methods/:payment_method_id/default': always('which card pays'),
  'DELETE /billing/payment-methods/:payment_method_id': always('which card pays'),
  'PUT /billing/details': always('who is invoiced, and the tax'),
  'POST /account/subscription/cancel': stops,
  'POST /account/addons/mass-mail/cancel': stops,
  'POST /account/addons/rank-tracking/keywords': nothing(
    'The add-on limits the number of keywords.',
  ),
  'DELETE /account/addons/rank-tracking/keywords/:keyword_id': stops,
  'POST /quotes': reads,

  'POST /account/sandbox/reset': always('who has access to the sandbox'),
  'PUT /account/notifications': always('who gets mails, and which'),
  'POST /account/notifications/confirm': byLink,
  'POST /account/notifications/unsubscribe': byLink,
  'POST /account/audit/export': reads,
  'POST /account/audit/export/:job_id/re-export': reads,

  'POST /account/sessions': proves,
  'POST /account/sessions/preview': nothing('It shows whom a link would sign in.'),
  'POST /account/sessions/mail/request': proves,
  'POST /account/sessions/mail': proves,
  'POST /account/sessions/handover': nothing('The other session has no fresh proof.'),
  'DELETE /account/sessions': stops,
  'DELETE /account/sessions/:session_id': stops,
  'POST /oauth/session': proves,
  'DELETE /oauth/session': stops,

  'POST /account/members': always('who has access'),
  'PATCH /account/members/me': {
    widens: 'who gets the mails that sign in',
    when: '`email`, unless it is the own one',
    stepUp: { isAsked: false, isJudged: true },
  },
  'POST /account/members/me/email': byLink,
  'PATCH /account/members/:member_id': always('who has access, and how much of it'),
  'DELETE /account/members/:member_id': always('who can keep others from the account'),
  'POST /account/members/:member_id/resend': always('who has the link of an invitation'),

  'POST /account/members/me/passkeys/options': always('who can sign in as the member'),
  'POST /account/members/me/passkeys': always('who can sign in as the member'),
  'DELETE /account/members/me/passkeys/:passkey_id': {
    widens: 'what proves the member',
    when: 'in a session that a passkey has proven before; a session that a mail has opened waits instead',
    stepUp: { isAsked: false, isJudged: true },
  },
  'PUT /account/sign-in': always('who can sign in'),
  'POST /account/sessions/passkey/options': proves,
  'POST /account/sessions/passkey': proves,
  'POST /account/sessions/current/passkey/options': proves,
  'POST /account/sessions/current/passkey': proves,

  'PUT /account/agents': always('which apps may ask for access'),
  'POST /oauth/register': asksNoSession,
  'POST /oauth/token': asksNoSession,
  'POST /oauth/revoke': asksNoSession,
  'POST /oauth/introspect': asksNoSession,
  'POST /oauth/userinfo': asksNoSession,
  'POST /billing/notifications/:provider': asksNoSession,
  'POST /billing/simulated': byLink,
}

interface NamedRoute {
  readonly method: string
  /** The path as the row writes it, such as `/account/keys/:key_id`. */
  readonly path: string
}

/** What a route can widen; null: it changes nothing. Throws for a change that has no entry. */
export function wideningOf({ method, path }: NamedRoute): Widening | null {
  if (method === 'get') return null
  const name = `${method.toUpperCase()} ${path}`
  const widening = widenings[name]
  if (!widening) throw new Error(`${name} is not among the widenings of rest-facade/steps/step-up.`)
  return widening
}

/** Whether the route only stops or removes something, such as a key that a thief uses. */
export function isStop(row: NamedRoute): boolean {
  return wideningOf(row) === stops
}

/** The names of all routes that have an entry. */
export const widenedRoutes: readonly string[] = Object.keys(widenings)
