import {
  type ErrorCode,
  isErrorCode,
  type OAuthErrorCode,
} from '../../../schema/vocabulary/error-codes.ts'
import { meaningOf } from '../../../schema/vocabulary/error-meanings.ts'

/** What a page of the documentation says of one error. Markdown; `{{key_prefix}}` and the like are filled in. */
export interface Explanation {
  /** One sentence: what has happened. */
  readonly meaning: string
  readonly causes: readonly string[]
  /** What its reader can do, in the order to try. */
  readonly remedies: readonly string[]
  /** Whether the same request can succeed if it is simply sent again. */
  readonly isRetryable: boolean
  /** When and how to try again, or why not. */
  readonly retry: string
}

/** A page for each code: one that is added to the table of codes does not compile without. */
export const explanations: Readonly<Record<ErrorCode, Explanation>> = {
  BAD_REQUEST: {
    meaning: meaningOf.BAD_REQUEST,
    causes: [
      'A request line, header or chunk that breaks HTTP/1.1. The status may then also be 408 (it did not come whole in time), 417 (an `Expect` other than `100-continue`) or 431 (more than 16 KiB of headers), and the connection is closed.',
      'A product operation whose backend answered 400: its words are the message.',
    ],
    remedies: [
      'Use an HTTP library instead of writing to the socket.',
      'Send fewer or shorter headers: a cookie jar of another site is the usual reason for 431.',
      'Read `error.message`; a product tells there what it minds.',
    ],
    isRetryable: false,
    retry: 'The same bytes are refused again. After 408 a faster connection may succeed.',
  },
  AUTHENTICATION_REQUIRED: {
    meaning: meaningOf.AUTHENTICATION_REQUIRED,
    causes: [
      'There is no `Authorization` header.',
      'The header has another scheme, such as `Basic`, or the key stands there without `Bearer`.',
      'A proxy or a redirect to another host has removed the header.',
    ],
    remedies: [
      'Send `Authorization: Bearer <API_KEY>` with every request; see [authentication](/docs/authentication).',
      'Check that the variable your key is read from is set where the code runs.',
    ],
    isRetryable: false,
    retry: 'Nothing changes until the header is there.',
  },
  INVALID_API_KEY: {
    meaning: meaningOf.INVALID_API_KEY,
    causes: [
      'A typo, or a key that was cut off when it was copied: the last six characters are a checksum.',
      'The key was revoked, has expired, or was replaced by rotation.',
      'It is from the other environment: `{{key_prefix}}_live_…` works at `{{base_url}}`, `{{key_prefix}}_test_…` at `{{sandbox_url}}`.',
      'The account is suspended or closed.',
      'An OAuth access token where only API keys are accepted: keys, apps, consents, sessions, sandbox.',
    ],
    remedies: [
      'Compare prefix and last four characters with `GET /v1/account/keys`, asked with another key.',
      'Check that key and address belong to the same environment.',
      'Issue a new key if this one is revoked or expired; plaintexts cannot be shown again.',
    ],
    isRetryable: false,
    retry: 'A key that is not valid does not become valid.',
  },
  INSUFFICIENT_CREDITS: {
    meaning: meaningOf.INSUFFICIENT_CREDITS,
    causes: [
      'The balance is used up.',
      'Calls that run at the same time hold the credits: they are given back when those cost less than their maximum.',
      'The request asks for many units: the maximum is held, not the expected amount.',
    ],
    remedies: [
      'Read `GET /v1/account/credits`: `available` is what can be spent now, `held` is what calls under way may cost.',
      'Buy a package with `POST /v1/billing/checkout`, or have that done by itself with `PATCH /v1/account/auto-recharge`.',
      'Ask for fewer units, for example with a smaller `limit`; see [credits and prices](/docs/credits).',
    ],
    isRetryable: false,
    retry: 'Only once there are credits again. If `held` is large, wait for the calls under way.',
  },
  IP_NOT_ALLOWED: {
    meaning: meaningOf.IP_NOT_ALLOWED,
    causes: [
      'The key has an IP allowlist and your address is not on it.',
      'Your network leaves by another address than before: a new NAT gateway, a VPN, IPv6 instead of IPv4.',
    ],
    remedies: [
      'Look up the address your requests leave from, and add it or its CIDR block with `PATCH /v1/account/keys/{key_id}`.',
      'List both the IPv4 and the IPv6 network if you have both.',
    ],
    isRetryable: false,
    retry: 'Not from this address.',
  },
  FORBIDDEN: {
    meaning: meaningOf.FORBIDDEN,
    causes: [
      'The message names the scope that is missing.',
      'A key tried to issue, change, rotate or revoke a key with scopes it does not hold itself.',
      'A key with an allowlist or an expiry tried to issue, change or rotate a key that is limited less than itself.',
      'The signed link to the result of an export has expired, or was changed on its way.',
      'A page of another origin tried to end the session of a browser, or to use it.',
    ],
    remedies: [
      'Use a key that has the scope, or add it with `PATCH /v1/account/keys/{key_id}`; [every operation with its scope](/docs/endpoints).',
      'In an OAuth app, ask for the scope when you send the account holder to consent.',
      'Ask for the export again with `GET /v1/account/audit/export/{job_id}`: its answer has a new link. Use the link as it is, with its whole query.',
      'Send requests with the cookie of a session from the pages of the gateway itself, or have the operator list your origin.',
    ],
    isRetryable: false,
    retry: 'Not with the same key, link or origin.',
  },
  NOT_FOUND: {
    meaning: meaningOf.NOT_FOUND,
    causes: [
      'A typo in the path, a missing `/v1`, or a slash at its end.',
      'The object belongs to another account or to the other environment: both look like one that never existed.',
      'The id is not well formed, for example without its prefix.',
    ],
    remedies: [
      'Compare the path with the [reference](/docs/reference).',
      'Check that the id came from the same account and environment as the key.',
    ],
    isRetryable: false,
    retry: 'An object that is made a moment later has another id.',
  },
  METHOD_NOT_ALLOWED: {
    meaning: meaningOf.METHOD_NOT_ALLOWED,
    causes: [
      'A `GET` where a `POST` is needed, or the other way round. A redirect that was followed may have turned `POST` into `GET`.',
      '`HEAD` on an operation that is charged: its answer would be paid for and not delivered.',
    ],
    remedies: ['Use one of the methods in the `Allow` header.'],
    isRetryable: false,
    retry: 'Not with this method.',
  },
  CONFLICT: {
    meaning: meaningOf.CONFLICT,
    causes: [
      'A subscription is cancelled twice, or resumed although no cancellation is scheduled.',
      'An add-on is cancelled that is not active, or used without being booked.',
      'A key is changed or rotated that has already ended.',
      'A limit of how many there may be is reached, such as tracked keywords or exports under way.',
    ],
    remedies: [
      'Read the object: its state may already be the one you want.',
      'Follow what the message says is in the way.',
    ],
    isRetryable: false,
    retry: 'Once the state has changed.',
  },
  IDEMPOTENCY_CONFLICT: {
    meaning: meaningOf.IDEMPOTENCY_CONFLICT,
    causes: [
      'It is still running. `Retry-After` says when to ask again.',
      'It was sent with another API key, and its answer holds a secret that only that key may see again.',
      'It was carried out, and its stored answer can no longer be read: the provider has replaced the secret that answers are kept with.',
    ],
    remedies: [
      'Wait for `Retry-After`, then send the same request with the same key: you get the stored answer.',
      'Never make a new idempotency key for a retry: that would be a second request. See [idempotency and retries](/docs/idempotency).',
    ],
    isRetryable: true,
    retry: 'After `Retry-After` seconds, with the same idempotency key.',
  },
  PAYLOAD_TOO_LARGE: {
    meaning: meaningOf.PAYLOAD_TOO_LARGE,
    causes: [
      'Many items are sent in one request.',
      'A form of the OAuth endpoints has more than 16 KiB.',
    ],
    remedies: ['Split the request into several.'],
    isRetryable: false,
    retry: 'Not with this body.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    meaning: meaningOf.UNSUPPORTED_MEDIA_TYPE,
    causes: [
      'The `Content-Type` header is missing or names another type.',
      'JSON was sent to token, revoke or introspect, which take forms; or a form to an endpoint that takes JSON.',
      'The body is compressed in a way that is not known.',
    ],
    remedies: [
      'Send `Content-Type: application/json`; at the three OAuth endpoints `application/x-www-form-urlencoded`.',
    ],
    isRetryable: false,
    retry: 'Not with this content type.',
  },
  INVALID_REQUEST: {
    meaning: meaningOf.INVALID_REQUEST,
    causes: [
      'A field is missing, has another type, or is out of bounds.',
      'A field or query parameter is not known here: misspelt ones are refused, not ignored.',
      'The body is not valid JSON.',
      'A cursor was changed, or belongs to another list or account.',
      'An idempotency key was used before for another request.',
    ],
    remedies: [
      'Correct every field in `error.details`: `in` says which part of the request, `message` what is wrong.',
      'Start a list again without `cursor` if it is the cursor that is refused.',
    ],
    isRetryable: false,
    retry: 'Not unchanged.',
  },
  RATE_LIMIT_EXCEEDED: {
    meaning: meaningOf.RATE_LIMIT_EXCEEDED,
    causes: [
      'A burst: the limit holds for each clock second, not on average.',
      'Several processes or keys of one account share its limit.',
      'Without a valid key, the limit is that of the client address.',
      'Five payments of `POST /v1/billing/checkout` were declined within an hour: the message names this limit.',
    ],
    remedies: [
      'Wait `Retry-After` seconds, then try again; back off exponentially if it happens repeatedly. See [rate limits](/docs/rate-limits).',
      'Spread requests with a queue on your side: `X-RateLimit-Remaining` says how many more fit into this second.',
      'Some clients know this condition as `RATE_LIMITED`; treat both codes alike.',
      'After declined payments, ask the account holder for another card, and do not try again by yourself.',
    ],
    isRetryable: true,
    retry: 'After `Retry-After` seconds: up to an hour after declined payments.',
  },
  INTERNAL_ERROR: {
    meaning: meaningOf.INTERNAL_ERROR,
    causes: ['A fault of ours. It is logged with the request id and looked at.'],
    remedies: [
      'Try again with the same idempotency key.',
      'Tell support the `request_id` if it goes on.',
    ],
    isRetryable: true,
    retry:
      'With backoff, a few times. Writes, and reads that cost credits, only with an idempotency key.',
  },
  BACKEND_ERROR: {
    meaning: meaningOf.BACKEND_ERROR,
    causes: ['The product has a fault or is being restarted.', 'It dropped the connection.'],
    remedies: [
      'Try again with the same idempotency key.',
      'Ask `GET /v1/health?backends=1` how the products are.',
    ],
    isRetryable: true,
    retry: 'With backoff. Writes, and reads that cost credits, only with an idempotency key.',
  },
  SERVICE_UNAVAILABLE: {
    meaning: meaningOf.SERVICE_UNAVAILABLE,
    causes: [
      'More requests come than can be served, so some are refused at once instead of all being slow.',
      'Too many calls of your account wait for one slow product: an account has at most a quarter of its places, so that others get theirs.',
      'Something the operation needs is away for a moment, or a product has been failing and is left alone for a second.',
      'A process is starting or stopping.',
    ],
    remedies: [
      'Wait `Retry-After` seconds, then try again.',
      'If a write says that it is not known whether it was charged: the same idempotency key will tell. Without one, it is given back.',
    ],
    isRetryable: true,
    retry:
      'After `Retry-After` seconds, then with backoff. Writes, and reads that cost credits, only with an idempotency key.',
  },
  BACKEND_TIMEOUT: {
    meaning: meaningOf.BACKEND_TIMEOUT,
    causes: [
      'The product is slow at the moment.',
      'The request is large, for example many units at once.',
    ],
    remedies: [
      'Try again with the same idempotency key.',
      'Ask for fewer units, and give your own client more time than the gateway takes: {{backend_timeout}}.',
    ],
    isRetryable: true,
    retry: 'With backoff. Writes, and reads that cost credits, only with an idempotency key.',
  },
}

/** The same request can succeed if it is simply sent again: samples and the TypeScript client go by it. */
export function codesWorthARetry(): readonly ErrorCode[] {
  return Object.keys(explanations)
    .filter(isErrorCode)
    .filter((code) => explanations[code].isRetryable)
}

/** Of the token, revoke and introspect endpoints. */
export const oauthExplanations: Readonly<Record<OAuthErrorCode, Explanation>> = {
  invalid_client: {
    meaning: 'The app could not prove who it is.',
    causes: [
      'The secret is wrong or missing, or was sent by a public app, which has none.',
      'The `client_id` is not known here, or is one of the other environment.',
      'The app is suspended.',
    ],
    remedies: [
      'Send the secret with HTTP Basic or as `client_secret` in the form, not both.',
      'Check `GET /v1/oauth/apps`: is the app active, and is its `token_endpoint_auth_method` what you use?',
      'Register the app again if the secret is lost: it is shown once.',
    ],
    isRetryable: false,
    retry: 'Failures are counted: guessing ends in 429.',
  },
  invalid_grant: {
    meaning: 'The code or refresh token is not one that this app can use now.',
    causes: [
      'A code is older than {{code_lifetime}}, or was used before. A second use also ends everything that came from the first.',
      'A refresh token was used before: each use brings another. This, too, ends the whole grant.',
      'The `redirect_uri` is not, character by character, the one of the authorization request.',
      'The `code_verifier` does not fit the `code_challenge`.',
      'The account holder withdrew the consent, or the account is suspended.',
    ],
    remedies: [
      'Send the account holder through the authorization again.',
      'Keep the new refresh token of every answer before you use the new access token, and let only one process refresh at a time.',
    ],
    isRetryable: false,
    retry: 'A code or token that was refused stays refused.',
  },
  invalid_scope: {
    meaning: 'The request asks for more than was granted.',
    causes: ['`scope` at refresh names something that the account holder did not allow.'],
    remedies: [
      'Leave `scope` out to keep what was granted, or name fewer.',
      'To get more, send the account holder through the authorization again.',
    ],
    isRetryable: false,
    retry: 'Not with this scope.',
  },
  invalid_target: {
    meaning: '`resource` names something other than this API (RFC 8707).',
    causes: ['A client that was written for several APIs sends the address of another one.'],
    remedies: ['Leave `resource` out, or send `{{base_url}}/v1`.'],
    isRetryable: false,
    retry: 'Not with this resource.',
  },
  unauthorized_client: {
    meaning: 'The app is known, but may not use this grant type.',
    causes: ['The app was registered without `refresh_token` in its `grant_types`.'],
    remedies: ['Register an app with the grant types it needs.'],
    isRetryable: false,
    retry: 'Not by this app.',
  },
  unsupported_grant_type: {
    meaning: 'There is no such grant type here.',
    causes: ['`password`, `implicit`, `client_credentials`, or a typo.'],
    remedies: [
      'Use `authorization_code` or `refresh_token`.',
      'For calls on your own behalf use an [API key](/docs/authentication), not OAuth.',
    ],
    isRetryable: false,
    retry: 'Not with this grant type.',
  },
}
