import { z } from 'zod'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { budgetPeriods, budgetTexts } from '../../http/fields/budgets.ts'
import { shown, withoutNul } from '../../http/input.ts'
import { appRoute } from '../kinds/app-route.ts'
import { browserRoute } from '../kinds/browser-route.ts'

const maxUriLength = 2048
/** The limit of every other parameter; RFC 6749 sets none. */
const maxTextLength = 8192

/** A parameter that may be absent. An empty parameter counts as absent (RFC 6749 §3.1). */
function optional(maxLength = maxTextLength) {
  return z
    .string('must be sent once')
    .max(maxLength, `must have at most ${maxLength} characters`)
    .regex(withoutNul, 'must not contain NUL')
    .transform((text) => (text === '' ? null : text))
    .nullable()
    .default(null)
}

/** A required parameter. The subgraph reports its absence, together with all other problems. */
function needed(maxLength: number) {
  return optional(maxLength)
    .transform((text) => text ?? '')
    .register(shown, { isRequired: true })
}

/** Unknown parameters are ignored (RFC 6749 §3.1). */
const authorization = z.object({
  client_id: needed(512),
  redirect_uri: needed(maxUriLength),
  response_type: optional(),
  response_mode: optional(),
  scope: optional(),
  state: optional(),
  nonce: optional(),
  code_challenge: optional(),
  code_challenge_method: optional(),
  prompt: optional(),
  max_age: optional(),
  resource: optional(),
  request: optional(),
  request_uri: optional(),
  registration: optional(),
})

const continueToken =
  'The token of the answer before this request, if the app has asked for a sign-in of its own.'

const screen = authorization.extend({
  continue_token: optional(512).register(shown, { description: continueToken }),
})

const signIn = z.strictObject({
  continue_token: z
    .string('must be text')
    .max(512, 'must have at most 512 characters')
    .nullable()
    .optional()
    .register(shown, { description: continueToken }),
})

const budgets = budgetTexts
  .register(shown, {
    schema: { type: 'string', example: 'day:500,month:5000' },
    description:
      'The budgets of the app: each a period (day, week, month or total) and credits, separated by commas. Without any, the budgets of the consent stay as they are. A denial ignores them.',
  })
  .optional()

/** The number and the period of the consent page. */
const formBudget = {
  budget_credits: z
    .string('must be sent once')
    .regex(/^(?:[1-9]\d{0,15})?$/, 'must be a whole number from 1')
    .register(shown, {
      schema: { type: 'string', pattern: '^([1-9][0-9]{0,15})?$' },
      description: 'The credits of the one budget that the consent page asks for.',
    })
    .optional(),
  budget_period: z
    .enum([...budgetPeriods, ''], `must be one of ${budgetPeriods.join(', ')}`)
    .register(shown, { description: 'The period of this budget.' })
    .optional(),
}

const consent = authorization.extend({
  consent_token: optional(),
  budgets,
  /** Whether the account holder lets the app have access. */
  decision: z
    .enum(['allow', 'deny', ''], 'must be allow or deny')
    .default('allow')
    .transform((decision) => decision !== 'deny'),
})

const neededBy: Readonly<Record<string, readonly ('code' | 'redirect_uri' | 'refresh_token')[]>> = {
  authorization_code: ['code', 'redirect_uri'],
  refresh_token: ['refresh_token'],
}

/**
 * A field of a form. `readForm` has limited its length; the subgraph checks its content by the
 * rules of the protocol (docs/oauth-rules.md §5).
 */
const field = z.string('is required')
const optionalField = field.nullable().default(null)
const hash = (text: string | null) => (text === null ? null : sha256(text))
/** The subgraph compares hashes, so the plaintext goes no further than here. */
const code = optionalField.transform(hash).register(shown, {
  description: 'With the grant type `authorization_code`: the code that the app was given.',
})
const refreshToken = optionalField.transform(hash).register(shown, {
  description: 'With the grant type `refresh_token`: the newest refresh token of the grant.',
})

const token = z
  .object({
    grant_type: field,
    code,
    redirect_uri: optionalField,
    code_verifier: optionalField,
    refresh_token: refreshToken,
    scope: optionalField,
    resource: optionalField,
  })
  .superRefine((form, context) => {
    const needed = Object.hasOwn(neededBy, form.grant_type) ? neededBy[form.grant_type] : []
    for (const name of needed ?? []) {
      if (form[name] === null) {
        context.addIssue({ code: 'custom', path: [name], message: 'is required' })
      }
    }
  })

/**
 * `token_type_hint` changes nothing: the search covers every kind of token (RFC 7009 §2.1, RFC 7662
 * §2.1).
 */
const tokenToLookAt = z.object({
  token: field
    .transform(sha256)
    .register(shown, { description: 'An access token or a refresh token.' }),
})

const noCache = { Pragma: 'no-cache' }

/** The routes of the protocol: authorization, tokens, and the session of a browser. */
export const oauthProviderRoutes = [
  browserRoute({
    method: 'get',
    path: '/oauth/authorize',
    summary: 'Show what an app asks of an account holder; changes nothing',
    description:
      'Shows what an app asks of an account holder, and changes nothing. With `login_required`, a browser signs in first. Where the app asks for a sign-in of its own (`prompt=login`, `prompt=select_account`, `max_age=0`), no earlier sign-in counts: send the `continue_token` of this answer with the sign-in, and again with this request, unchanged. The account holder can decide on this answer until `expires_at`.',
    operation: 'Authorize',
    browserStep: 'authorize',
    query: screen,
  }),
  browserRoute({
    method: 'post',
    path: '/oauth/consent',
    summary: 'Approve or deny what an app asks; only this operation makes authorization codes',
    operation: 'Consent',
    browserStep: 'consent',
    query: consent,
    body: z.object({ budgets, ...formBudget }),
    derived: ({ budgets, budget_credits: credits, budget_period: period }) => ({
      budgets: credits && period ? [{ period, limitCredits: Number(credits) }] : budgets,
      ...{ budget_credits: undefined, budget_period: undefined },
    }),
  }),
  appRoute({
    method: 'post',
    path: '/oauth/token',
    summary: 'Exchange a code or a refresh token for tokens',
    operation: 'Token',
    minuteLimit: 'token',
    headers: noCache,
    oauthErrors: [
      'invalid_grant',
      'invalid_scope',
      'invalid_target',
      'unauthorized_client',
      'unsupported_grant_type',
    ],
    body: token,
  }),
  appRoute({
    method: 'post',
    path: '/oauth/revoke',
    summary: 'End a token of the app (RFC 7009)',
    description:
      'Ends a token of the app that calls, whether or not there is one: the answer tells nothing.',
    operation: 'Revoke',
    minuteLimit: 'revoke',
    answersNothing: true,
    body: tokenToLookAt,
  }),
  appRoute({
    method: 'post',
    path: '/oauth/introspect',
    summary: 'Show whether a token of the app is valid (RFC 7662)',
    operation: 'Introspect',
    confidentialOnly: true,
    minuteLimit: 'introspect',
    body: tokenToLookAt,
  }),
  browserRoute({
    method: 'post',
    path: '/oauth/session',
    summary: 'Sign a browser in with an API key',
    description:
      'Signs a browser in with an API key. The session can do what the key can, and ends with it. If the browser has a session of the same key, that session stays and is proven again: its cookie changes, its end does not. Any other session that the browser had ends. With the `continue_token` of a request the sign-in counts as one for this request, and for one decision.',
    operation: 'OpenSession',
    // `openid`: every key has this scope.
    scope: 'openid',
    browserStep: 'sign-in',
    isExtension: true,
    body: signIn,
  }),
  browserRoute({
    method: 'delete',
    path: '/oauth/session',
    summary: 'Sign the browser out',
    description: 'Ends the session of the browser, if it has one.',
    operation: 'EndSession',
    browserStep: 'sign-out',
    isExtension: true,
  }),
]
