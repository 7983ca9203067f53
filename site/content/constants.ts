import { deprecationHeaders } from '../../rest-facade/http/deprecation.ts'
import { scenarios } from '../../schema/catalog/scenario.ts'
import { absentForAgents } from '../../schema/vocabulary/audiences.ts'
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
import { everyScope, serviceSlugs, tokenScopes } from '../../schema/vocabulary/scopes.ts'
import { webhookEvents, webhookPayloadExample } from '../../schema/vocabulary/webhook-events.ts'
import { table, verbatim } from '../markup/plain-text.ts'
import { duration } from '../values/duration.ts'
import { allEndpoints, type Endpoint } from '../values/endpoints.ts'
import { roleRouteTable } from '../values/role-routes.ts'
import { codesWorthARetry } from './error-explanations.ts'

/** Markdown that replaces `{{name}}` in every installation. It comes from the tables that the code uses. */
export function constants(): ReadonlyMap<string, string> {
  // Products are of an installation's catalog.
  const endpoints = allEndpoints({ catalog: { services: [] } })
  return new Map([
    ['idempotency_lifetime', duration(storedAnswerSeconds)],
    ['sandbox_credits', String(sandboxCredits)],
    ['retryable_statuses', retryableStatuses()],
    ['code_lifetime', duration(codeSeconds)],
    ['access_token_seconds', String(accessTokenSeconds)],
    ['token_scopes', tokenScopeTable()],
    ['deprecation_headers', deprecationExample()],
    ['pack_tiers', tierTable('Pack tier', rpsByPackTier)],
    ['subscription_tiers', tierTable('Subscription tier', rpsBySubscriptionTier)],
    ['scenarios', scenarioTable()],
    ['scenario_advice', adviceTable()],
    ['oauth_lifetimes', lifetimeTable()],
    ['portal_link_lifetime', duration(portalLinkSeconds)],
    ['role_table', roleTable()],
    // A gateway without agents has no such operations; their own guide has them.
    ['role_route_table', roleRouteTable(absentForAgents({ hasAgents: false }).paths)],
    ['webhook_endpoints', endpointTable(endpoints, '/v1/account/webhooks')],
    ['webhook_example', JSON.stringify(webhookPayloadExample('credits.low'), null, 2)],
    ['webhook_events', eventTable()],
    ['payment_endpoints', endpointTable(endpoints, '/v1/billing/payment-methods')],
    ['member_endpoints', endpointTable(endpoints, '/v1/account/members')],
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

/** The statuses of codes that are worth a retry. A 409 is left out: only one of its codes is. */
function retryableStatuses(): string {
  const statuses = codesWorthARetry().map((code) => statusByErrorCode[code])
  return [...new Set(statuses)].filter((status) => status !== 409).join(', ')
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

function deprecationExample(): string {
  const deprecation = { since: '2026-11-01', sunset: '2027-05-01', reason: '' }
  const headers = deprecationHeaders(deprecation, '{{docs_url}}')
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}
