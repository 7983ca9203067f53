import { deprecationHeaders } from '../../rest-facade/http/deprecation.ts'
import { priceVersion } from '../../schema/catalog/price-version.ts'
import { scenarios } from '../../schema/catalog/scenario.ts'
import { statusByErrorCode } from '../../schema/vocabulary/error-codes.ts'
import { storedAnswerSeconds } from '../../schema/vocabulary/idempotency-lifetime.ts'
import {
  notificationKindNames,
  notificationKinds,
} from '../../schema/vocabulary/notification-kinds.ts'
import {
  accessTokenSeconds,
  approvalProofSeconds,
  codeSeconds,
  idTokenSeconds,
  offlineGrantSeconds,
  onlineGrantSeconds,
  portalLinkSeconds,
  refreshTokenSeconds,
  screenSeconds,
} from '../../schema/vocabulary/oauth-lifetimes.ts'
import { rpsByPackTier, rpsBySubscriptionTier } from '../../schema/vocabulary/rate-tiers.ts'
import { personRoles, scopesOfRole } from '../../schema/vocabulary/roles.ts'
import { sandboxCredits } from '../../schema/vocabulary/sandbox-credits.ts'
import { describeScope } from '../../schema/vocabulary/scope-descriptions.ts'
import { everyScope, scopes, serviceSlugs, tokenScopes } from '../../schema/vocabulary/scopes.ts'
import { webhookEvents, webhookPayloadExample } from '../../schema/vocabulary/webhook-events.ts'
import type { DocsOptions } from './docs-options.ts'
import { allEndpoints, type Endpoint, endpointsByScope } from './endpoints.ts'
import { codesWorthARetry } from './error-explanations.ts'
import { exampleCall } from './example-call.ts'
import { table, verbatim } from './markdown.ts'
import { priceText } from './price-text.ts'

/** Markdown that replaces `{{name}}` in a guide. It comes from the tables that the code uses. */
export type Values = ReadonlyMap<string, string>

export function valuesOf(options: DocsOptions): Values {
  const { baseUrls, keyPrefix, catalog, anonymousRps, accountWorkMs } = options
  const endpoints = allEndpoints(catalog)
  const call = exampleCall(options)
  return new Map([
    ['base_url', baseUrls.live],
    ['sandbox_url', baseUrls.sandbox],
    ['docs_url', options.docsUrl],
    ['key_prefix', keyPrefix],
    ['idempotency_header', `X-${keyPrefix.toUpperCase()}-Idempotency-Key`],
    ['idempotency_lifetime', duration(storedAnswerSeconds)],
    ['sandbox_credits', String(sandboxCredits)],
    ['retryable_statuses', retryableStatuses()],
    ['backend_timeout', duration(options.backendTimeoutMs / 1000)],
    ['anonymous_rps', String(anonymousRps)],
    [
      'account_work',
      accountWorkMs === 0
        ? 'No limit of working time.'
        : `${accountWorkMs} ms of working time in each second.`,
    ],
    ['code_lifetime', duration(codeSeconds)],
    ['access_token_seconds', String(accessTokenSeconds)],
    ['example_curl', call.curl],
    ['example_sandbox_curl', call.sandboxCurl],
    ['example_empty_curl', call.emptyCurl],
    ['example_answer', call.answer],
    ['example_quote_curl', call.quoteCurl],
    ['example_method', call.method],
    ['example_path', call.path],
    ['example_body', call.body],
    ['example_credits', String(call.credits)],
    ['prices', priceTable(options)],
    ['price_version', priceVersion(catalog)],
    ['scopes', scopeTable(endpoints)],
    ['token_scopes', tokenScopeTable()],
    ['deprecation_headers', deprecationExample(options.docsUrl)],
    ['pack_tiers', tierTable('Pack tier', rpsByPackTier)],
    ['subscription_tiers', tierTable('Subscription tier', rpsBySubscriptionTier)],
    ['scenarios', scenarioTable()],
    ['scenario_advice', adviceTable()],
    ['oauth_lifetimes', lifetimeTable()],
    ['portal_link_lifetime', duration(portalLinkSeconds)],
    ['role_table', roleTable()],
    ['webhook_timeout', duration(options.webhookTimeoutMs / 1000)],
    ['webhook_schedule', options.webhookRetrySeconds.map(duration).join(', ')],
    ['webhook_endpoints', endpointTable(endpoints, '/v1/account/webhooks')],
    ['webhook_example', JSON.stringify(webhookPayloadExample('credits.low'), null, 2)],
    ['webhook_events', eventTable()],
    ['payment_endpoints', endpointTable(endpoints, '/v1/billing/payment-methods')],
    ['notification_kinds', kindTable()],
    ['notification_endpoints', endpointTable(endpoints, '/v1/account/notifications')],
    ['invoice_endpoints', endpointTable(endpoints, '/v1/billing/invoices')],
  ])
}

/** Scopes of product services stand together: there may be many services. */
function roleTable(): string {
  const isOfService = (scope: string) => serviceSlugs.some((slug) => scope.startsWith(`${slug}:`))
  const rows = personRoles.map((role) => {
    const held = scopesOfRole(role)
    const own = held.filter((scope) => !isOfService(scope)).map(verbatim)
    const products = held.some(isOfService) ? ['all scopes of product services'] : []
    const isAll = held.includes(everyScope)
    return [verbatim(role), isAll ? 'all' : [...own, ...products].join(', ')]
  })
  return table(['Role', 'Scopes'], rows)
}

/** Fills in `{{name}}`. Throws for an unknown name: an incomplete guide must not be served. */
export function fill(markdown: string, values: Values): string {
  return markdown.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values.get(name)
    if (value === undefined)
      throw new Error(`The documentation has no value with the name {{${name}}}.`)
    return value
  })
}

/** `90 days`, `1 hour`: in the largest unit that divides the time. */
function duration(seconds: number): string {
  const units = [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ] as const
  const [name, size] = units.find(([, size]) => seconds % size === 0) ?? ['second', 1]
  const count = seconds / size
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/** The statuses of codes that are worth a retry. A 409 is left out: only one of its codes is. */
function retryableStatuses(): string {
  const statuses = codesWorthARetry().map((code) => statusByErrorCode[code])
  return [...new Set(statuses)].filter((status) => status !== 409).join(', ')
}

function priceTable({ catalog }: DocsOptions): string {
  const rows = catalog.services.flatMap(({ name, slug, operations }) =>
    operations.map(({ method, path, summary, price }) => [
      verbatim(name),
      `\`${method} /v1/${slug}${path}\``,
      verbatim(summary),
      priceText(price),
    ]),
  )
  return table(['Product', 'Operation', 'What it does', 'Price'], rows)
}

function scopeTable(endpoints: readonly Endpoint[]): string {
  const byScope = endpointsByScope(endpoints)
  const rows = scopes.map((scope) => [
    `\`${scope}\``,
    (byScope.get(scope) ?? []).map(({ method, path }) => `\`${method} ${path}\``).join('<br>'),
    tokenScopes.includes(scope) ? 'yes' : 'no',
  ])
  const all = [`\`${everyScope}\``, 'everything', 'no']
  return table(['Scope', 'Operations', 'For OAuth apps'], [all, ...rows])
}

function tokenScopeTable(): string {
  const rows = tokenScopes.map((scope) => [`\`${scope}\``, verbatim(describeScope(scope))])
  return table(['Scope', 'What account holders read'], rows)
}

/** The endpoints below a path. */
function endpointTable(endpoints: readonly Endpoint[], below: string): string {
  const rows = endpoints
    .filter(({ path }) => path.startsWith(below))
    .map(({ method, path, summary }) => [`\`${method} ${path}\``, verbatim(summary)])
  return table(['Operation', 'What it does'], rows)
}

function tierTable(noun: string, rps: Readonly<Record<string, number>>): string {
  const rows = Object.entries(rps).map(([tier, limit]) => [`\`${tier}\``, String(limit)])
  return table([noun, 'Requests per second'], rows)
}

function scenarioTable(): string {
  const rows = scenarios.map(({ form, effect, answer }) => [`\`${form}\``, effect, answer])
  return table(['Value', 'What happens', 'What you get'], rows)
}

function adviceTable(): string {
  const rows = scenarios.flatMap(({ example, advice }) =>
    advice === undefined ? [] : [[`\`${example}\``, advice]],
  )
  return table(['Send', 'Check that your client'], rows)
}

function lifetimeTable(): string {
  return table(
    ['Object', 'Accepted for'],
    [
      ['Authorization code', `${duration(codeSeconds)}, once`],
      ['Access token', duration(accessTokenSeconds)],
      ['ID token', duration(idTokenSeconds)],
      ['Refresh token', `${duration(refreshTokenSeconds)}, once: each use returns a new one`],
      [
        'Grant with `offline_access`',
        `${duration(offlineGrantSeconds)}, however often it is refreshed`,
      ],
      ['Grant without', duration(onlineGrantSeconds)],
      ['Consent page', duration(screenSeconds)],
      ['Proof of who approves an app in a browser', duration(approvalProofSeconds)],
    ],
  )
}

function eventTable(): string {
  const rows = Object.entries(webhookEvents).map(([type, { description, example }]) => [
    `\`${type}\``,
    verbatim(description),
    Object.keys(example)
      .map((member) => `\`${member}\``)
      .join(', '),
  ])
  return table(['Type', 'When it is sent', 'What `data` has'], rows)
}

function kindTable(): string {
  const rows = notificationKindNames.map((name) => [
    `\`${name}\``,
    verbatim(notificationKinds[name].description),
    notificationKinds[name].events.map((type) => `\`${type}\``).join(', '),
  ])
  return table(['Kind', 'What it tells', 'Events'], rows)
}

function deprecationExample(docsUrl: string): string {
  const deprecation = { since: '2026-11-01', sunset: '2027-05-01', reason: '' }
  const headers = deprecationHeaders(deprecation, docsUrl)
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}
