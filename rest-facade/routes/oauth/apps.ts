import { z } from 'zod'
import { plainText, portablePlainText, visible } from '../../../schema/vocabulary/display-name.ts'
import { budgetList } from '../../http/fields/budgets.ts'
import { overlapSeconds } from '../../http/fields/overlap.ts'
import { idParam, pageParams, shown, text } from '../../http/input.ts'
import { accountRoute } from '../kinds/account-route.ts'

const applicationTypes = ['web', 'native', 'spa'] as const
const authMethods = ['client_secret_basic', 'client_secret_post', 'none'] as const
const grantTypes = ['authorization_code', 'refresh_token'] as const

const uri = text(1, 2048)

const uris = z
  .array(uri, 'must be a list of URIs')
  .min(1, 'must have at least one entry')
  .max(20, 'must have at most 20 entries')

const grants = z
  .array(z.enum(grantTypes, `must be ${grantTypes.join(' or ')}`), 'must be a list of grant types')
  .max(10, 'must have at most 10 entries')

/** RFC 6749 §3.3: names of printable characters, separated by single spaces. */
const scope = text(1, 2000).regex(
  /^[\x21\x23-\x5b\x5d-~]+(?: [\x21\x23-\x5b\x5d-~]+)*$/,
  'must be scopes separated by single spaces',
)

const clientName = text(1, 100)
  .regex(visible, 'must not be blank')
  .regex(plainText, 'must not contain control characters')
  .register(shown, {
    // Not every language has characters beyond ASCII in a pattern.
    schema: { type: 'string', minLength: 1, maxLength: 100, pattern: portablePlainText },
    description:
      'The name that account holders see. It has a visible character, and no line separator and no character that changes the direction of writing.',
  })

/** RFC 7591 §2. The oauth subgraph checks the other rules. */
const appRegistration = z.strictObject({
  client_name: clientName,
  redirect_uris: uris,
  application_type: z
    .enum(applicationTypes, `must be ${applicationTypes.join(', ')}`)
    .default('web'),
  token_endpoint_auth_method: z.enum(authMethods, `must be ${authMethods.join(', ')}`).optional(),
  grant_types: grants.default([...grantTypes]),
  response_types: z
    .array(z.literal('code', 'must be code'), 'must be ["code"]')
    .length(1, 'must be ["code"]')
    .register(shown, { description: '`["code"]`, as when it is left out.' })
    .optional(),
  scope: scope.optional(),
  require_pkce: z.boolean('must be true or false').default(false),
  logo_uri: uri.optional(),
  client_uri: uri.optional(),
  policy_uri: uri.optional(),
  tos_uri: uri.optional(),
})

const appChange = z
  .strictObject({
    client_name: clientName,
    redirect_uris: uris,
    scope,
    logo_uri: z.nullable(uri),
    client_uri: z.nullable(uri),
    policy_uri: z.nullable(uri),
    tos_uri: z.nullable(uri),
  })
  .partial()

const clientOf = (noun: string) => z.strictObject({ client_id: idParam('app', noun) })

/** An access token cannot manage apps or consents (docs/oauth-rules.md 20). */
const common = { keysOnly: true, leavesOutNull: true }

export const oauthAppRoutes = [
  accountRoute({
    ...common,
    method: 'get',
    path: '/oauth/apps',
    summary: 'OAuth apps of the account, newest first',
    operation: 'ListApps',
    scope: 'oauth:read',
    query: z.strictObject(pageParams),
  }),
  accountRoute({
    ...common,
    method: 'post',
    path: '/oauth/apps',
    summary: 'Register an OAuth app; its secret is shown this once',
    operation: 'RegisterApp',
    refusals: ['CONFLICT'],
    scope: 'oauth:write',
    body: appRegistration,
    status: 201,
    revealsSecret: true,
    minuteLimit: 'register',
  }),
  accountRoute({
    ...common,
    method: 'get',
    path: '/oauth/apps/:client_id',
    summary: 'One OAuth app of the account',
    operation: 'GetApp',
    isExtension: true,
    scope: 'oauth:read',
    params: clientOf('OAuth app'),
  }),
  accountRoute({
    ...common,
    method: 'patch',
    path: '/oauth/apps/:client_id',
    summary: 'Change an OAuth app: its name, redirect URIs, scopes or links',
    description:
      'Changes an app. Members that are left out stay as they are, and null removes a link. The calling key must cover the scopes that are added. A new redirect host, or another scope, ends all consents to the app and all grants, with their tokens: every account is asked again.',
    operation: 'ChangeApp',
    isExtension: true,
    refusals: ['CONFLICT'],
    scope: 'oauth:write',
    params: clientOf('OAuth app'),
    body: appChange,
  }),
  accountRoute({
    ...common,
    method: 'post',
    path: '/oauth/apps/:client_id/rotate',
    summary: 'Replace the secret of an OAuth app; the new one is shown this once',
    description:
      'Replaces the secret of an app. Until `previous_secret_expires_at` the secret before it is accepted too. Only one is: a second rotation ends the first overlap. Tokens and consents stay.',
    operation: 'RotateAppSecret',
    isExtension: true,
    refusals: ['CONFLICT'],
    scope: 'oauth:write',
    params: clientOf('OAuth app'),
    body: z.strictObject({ overlap_seconds: overlapSeconds }),
    revealsSecret: true,
  }),
  accountRoute({
    ...common,
    method: 'get',
    path: '/oauth/apps/:client_id/owners',
    summary: 'Accounts that have approved an OAuth app, with what it spent, newest first',
    description:
      'Lists the accounts that have approved an app of yours, with what its calls cost them in the last 30 days. Budgets are shown of those that granted `account:read`, because the app may read them itself.',
    operation: 'ListAppOwners',
    isExtension: true,
    scope: 'oauth:read',
    params: clientOf('OAuth app'),
    query: z.strictObject(pageParams),
  }),
  accountRoute({
    ...common,
    method: 'delete',
    path: '/oauth/apps/:client_id',
    summary: 'Suspend an OAuth app, with all that was granted to it',
    operation: 'SuspendApp',
    scope: 'oauth:write',
    params: clientOf('OAuth app'),
  }),
  accountRoute({
    ...common,
    method: 'get',
    path: '/oauth/consents',
    summary: 'Consents of the account to OAuth apps, newest first',
    operation: 'ListConsents',
    isExtension: true,
    scope: 'oauth:read',
    query: z.strictObject(pageParams),
  }),
  accountRoute({
    ...common,
    method: 'patch',
    path: '/oauth/consents/:client_id',
    summary: 'Change what an OAuth app may spend',
    description:
      'Changes the budgets of an app. Budgets survive the withdrawal of a consent and count for the next one. A key with a budget, of its own or through its external id, can change no consent.',
    operation: 'ChangeConsent',
    isExtension: true,
    refusals: ['CONFLICT'],
    scope: 'oauth:write',
    uncappedOnly: true,
    params: clientOf('consent'),
    body: z.strictObject({
      budgets: budgetList
        .register(shown, {
          description:
            'At most one budget of each period. They replace all earlier ones: a period that both contain keeps its use, and `[]` removes all.',
        })
        .optional(),
    }),
  }),
  accountRoute({
    ...common,
    method: 'delete',
    path: '/oauth/consents/:client_id',
    summary: 'Withdraw what the account has granted to an OAuth app',
    operation: 'WithdrawConsent',
    isExtension: true,
    scope: 'oauth:write',
    uncappedOnly: true,
    params: clientOf('consent'),
  }),
]
