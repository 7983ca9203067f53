import { z } from 'zod'
import { sha256 } from '../../schema/credentials/secrets.ts'
import { shown } from '../http/input.ts'
import { sendJson } from '../http/respond.ts'
import type { Present, Route } from '../route-kinds/route.ts'

const maxUriLength = 2048
/** No parameter is longer (RFC 6749 sets no limit). */
const maxTextLength = 8192

/** A parameter that may be absent; an empty one is (RFC 6749 §3.1). */
function optional(maxLength = maxTextLength) {
  return z
    .string('must be sent once')
    .max(maxLength, `must have at most ${maxLength} characters`)
    .regex(/^[^\0]*$/, 'must not contain NUL')
    .transform((text) => (text === '' ? null : text))
    .nullable()
    .default(null)
}

/** One whose absence the subgraph names, together with whatever else is wrong with the request. */
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

const continueToken = 'Of the answer before, where the app asks for a sign-in of its own.'

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

const consent = authorization.extend({
  consent_token: optional(),
  /** Whether the owner lets the app have it. */
  decision: z
    .enum(['allow', 'deny', ''], 'must be allow or deny')
    .default('allow')
    .transform((decision) => decision !== 'deny'),
})

const neededBy: Readonly<Record<string, readonly ('code' | 'redirect_uri' | 'refresh_token')[]>> = {
  authorization_code: ['code', 'redirect_uri'],
  refresh_token: ['refresh_token'],
}

/** A field of a form, which `readForm` has bounded: whether its content is right, the protocol says (docs/oauth-rules.md §5). */
const field = z.string('is required')
const optionalField = field.nullable().default(null)
const hash = (text: string | null) => (text === null ? null : sha256(text))
/** What is compared by its hash goes no further than here. */
const code = optionalField
  .transform(hash)
  .register(shown, { description: 'Of `authorization_code`: the code that the app was given.' })
const refreshToken = optionalField
  .transform(hash)
  .register(shown, { description: 'Of `refresh_token`: the newest one of the grant.' })

/** What stands in the address of a form endpoint does not count (RFC 6749 §2.3.1, §3.2). */
const ignored = z.object({})

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

/** The hint changes nothing: every kind of token is looked for (RFC 7009 §2.1, RFC 7662 §2.1). */
const tokenToLookAt = z.object({
  token: field
    .transform(sha256)
    .register(shown, { description: 'An access token or a refresh token.' }),
})

/** RFC 7009 §2.2, and whoever signs out: there is nothing to say. */
const nothing = z.strictObject({})

const noCache = { Pragma: 'no-cache' }

const presentNothing: Present = (_result, _req, res) => {
  sendJson(res, 200, {})
  return true
}

/** The protocol: authorization, tokens, and the browser that is signed in. */
export const oauthProviderRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/oauth/authorize',
    summary: 'What an app asks of an account holder; changes nothing',
    description:
      'With `login_required`, a browser signs in first. Where the app asks for a sign-in of its own (`prompt=login`, `prompt=select_account`, `max_age=0`), no earlier sign-in counts: send the `continue_token` of this answer with the sign-in, and again with this request, unchanged. What the answer shows can be acted upon until `expires_at`.',
    operation: 'Authorize',
    subgraph: 'oauth',
    caller: 'owner',
    minuteLimit: 'authorize',
    cors: 'first-party',
    page: 'authorize',
    leavesOutNull: true,
    query: screen,
  },
  {
    method: 'post',
    path: '/oauth/consent',
    summary: 'Approve or deny what an app asks; the only place where codes come from',
    operation: 'Consent',
    subgraph: 'oauth',
    caller: 'owner',
    minuteLimit: 'authorize',
    cors: 'first-party',
    page: 'consent',
    leavesOutNull: true,
    query: consent,
  },
  {
    method: 'post',
    path: '/oauth/token',
    summary: 'Exchange a code or a refresh token for tokens',
    operation: 'Token',
    subgraph: 'oauth',
    caller: 'client',
    minuteLimit: 'token',
    cors: 'clients',
    isForm: true,
    leavesOutNull: true,
    headers: noCache,
    oauthErrors: [
      'invalid_client',
      'invalid_grant',
      'invalid_scope',
      'invalid_target',
      'unauthorized_client',
      'unsupported_grant_type',
    ],
    query: ignored,
    body: token,
  },
  {
    method: 'post',
    path: '/oauth/revoke',
    summary: 'End a token of the app (RFC 7009)',
    description:
      'Ends a token of the app that calls, whether or not there is one: the answer tells nothing.',
    operation: 'Revoke',
    subgraph: 'oauth',
    caller: 'client',
    minuteLimit: 'revoke',
    cors: 'clients',
    isForm: true,
    present: presentNothing,
    answer: nothing,
    oauthErrors: ['invalid_client'],
    query: ignored,
    body: tokenToLookAt,
  },
  {
    method: 'post',
    path: '/oauth/introspect',
    summary: 'What a token of the app is worth now (RFC 7662)',
    operation: 'Introspect',
    subgraph: 'oauth',
    caller: 'client',
    confidentialOnly: true,
    minuteLimit: 'introspect',
    cors: 'nobody',
    isForm: true,
    leavesOutNull: true,
    oauthErrors: ['invalid_client'],
    query: ignored,
    body: tokenToLookAt,
  },
  {
    method: 'post',
    path: '/oauth/session',
    summary: 'Sign a browser in with an API key, for the consent screen',
    description:
      'The session that the browser had before ends. With the `continue_token` of a request the sign-in counts as one for this request, and for one decision.',
    operation: 'OpenSession',
    subgraph: 'oauth',
    scope: 'oauth:consent',
    keysOnly: true,
    cors: 'first-party',
    page: 'sign-in',
    withheld: ['secret'],
    status: 201,
    isExtension: true,
    body: signIn,
  },
  {
    method: 'delete',
    path: '/oauth/session',
    summary: 'Sign the browser out',
    description: 'Ends the session of the browser, if it has one.',
    operation: 'EndSession',
    subgraph: 'oauth',
    cors: 'first-party',
    page: 'sign-out',
    answer: nothing,
    refusals: ['FORBIDDEN'],
    isExtension: true,
  },
]
