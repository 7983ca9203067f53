import { membersScope, scopes, serviceSlugs } from '../../../schema/vocabulary/scopes.ts'

/** The scopes that open an operation: any of the first list for GET, any of the second for other methods. */
type Rule = readonly [path: RegExp, read: readonly string[], change: readonly string[]]

const everyScope = [...scopes]

/**
 * docs/contract.md §4, word for word and apart from the route table: the first rule that fits
 * counts.
 */
const rules: readonly Rule[] = [
  [/^\/account\/keys\/current$/, everyScope, []],
  [/^\/account\/attention$/, everyScope, []],
  [/^\/account\/sessions(\/|$)/, everyScope, everyScope],
  [/^\/account\/members\/me\/passkeys(\/|$)/, everyScope, everyScope],
  [/^\/account\/members\/me(\/email)?$/, [], everyScope],
  // No key has the latter.
  [/^\/account\/(members|sign-in)(\/|$)/, ['members:read'], [membersScope]],
  [/^\/account\/(keys|external-ids)(\/|$)/, ['keys:read'], ['keys:write']],
  [/^\/account\/usage\/log$/, ['usage:read'], []],
  [/^\/account\/usage(\/|$)/, ['account:read', 'usage:read'], []],
  [/^\/account\/audit\//, ['audit:read'], ['audit:write']],
  [/^\/account\/(webhooks|webhook-events)(\/|$)/, ['webhooks:read'], ['webhooks:write']],
  [/^\/account\/auto-recharge$/, ['billing:read'], ['billing:write']],
  [/^\/(account\/)?billing(\/|$)/, ['billing:read'], ['billing:write']],
  [/^\/account\/subscription(\/preview)?$/, ['account:read'], ['billing:write']],
  [/^\/account(\/|$)/, ['account:read'], ['account:write']],
  [/^\/oauth\/(apps|consents)(\/|$)/, ['oauth:read'], ['oauth:write']],
  [/^\/oauth\/session$/, [], everyScope],
  [/^\/oauth\/userinfo$/, everyScope, everyScope],
  [/^\/quotes$/, [], serviceSlugs.flatMap((slug) => [`${slug}:read`, `${slug}:write`])],
  ...serviceSlugs.map(
    (slug): Rule => [new RegExp(`^/${slug}(/|$)`), [`${slug}:read`], [`${slug}:write`]],
  ),
]

/** docs/spec.md §6, the extensions of docs/contract.md §6 that need no key, and links of mails. */
const publicPath =
  /^\/(health|ready|openapi\.json|\.well-known\/.+|oauth\/(authorize|consent|token|revoke|introspect|register)|billing\/(notifications\/[^/]+|return|return\/status|simulated)|account\/audit\/export\/[^/]+\/result|account\/notifications\/(confirm|unsubscribe))$/

/**
 * Signing out, a handover and a proof by passkey need the cookie only, and signing in by a link,
 * code or passkey the page only (docs/contract.md §6).
 */
const publicOperations = [
  'DELETE /oauth/session',
  'POST /account/sessions',
  'POST /account/sessions/preview',
  'POST /account/sessions/mail/request',
  'POST /account/sessions/mail',
  'POST /account/sessions/passkey/options',
  'POST /account/sessions/passkey',
  'POST /account/sessions/current/passkey',
  'POST /account/sessions/handover',
]

/**
 * The scopes of which a key needs one, or null where nobody needs a key. Throws for what the
 * contract does not name.
 */
export function documentedScopes(method: string, template: string): readonly string[] | null {
  if (publicPath.test(template) || publicOperations.includes(`${method} ${template}`)) return null
  const rule = rules.find(([path]) => path.test(template))
  if (!rule) throw new Error(`docs/contract.md §4 names no scope for ${method} ${template}.`)
  const [, read, change] = rule
  const needed = method === 'GET' ? read : change
  if (needed.length === 0) throw new Error(`docs/contract.md §4 knows no ${method} of ${template}.`)
  return needed
}
