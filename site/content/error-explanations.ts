import {
  type ErrorCode,
  isErrorCode,
  type OAuthErrorCode,
} from '../../schema/vocabulary/error-codes.ts'
import { meaningOf } from '../../schema/vocabulary/error-texts/error-meanings.ts'

/** The text of one error's page. Markdown; values such as `{{key_prefix}}` are filled in. */
export interface Explanation {
  /** One sentence that says what has happened. */
  readonly meaning: string
  readonly causes: readonly string[]
  /** Steps for the reader, in the order to try them. */
  readonly remedies: readonly string[]
  /** Whether the same request can succeed when it is sent again unchanged. */
  readonly isRetryable: boolean
  /** When and how to try again, or why not. */
  readonly retry: string
}

/** A new code in the table of codes does not compile without a page here. */
export const explanations: Readonly<Record<ErrorCode, Explanation>> = {
  BAD_REQUEST: {
    meaning: meaningOf.BAD_REQUEST,
    causes: [
      'A request line, header or chunk that breaks HTTP/1.1, two `Host` headers, or one that names no host. Requests that you sent before it on the same connection are answered first. The status can then also be 408 (the request was not complete in time), 417 (an `Expect` other than `100-continue`) or 431 (more than 16 KiB of headers), and the connection is closed.',
      'The backend of a product operation answered 400. The message is its text.',
    ],
    remedies: [
      'Use an HTTP library instead of writing to the socket.',
      'Send fewer or shorter headers. The usual reason for 431 are cookies of another site.',
      'Read `error.message`: a product says there what is wrong.',
    ],
    isRetryable: false,
    retry: 'No: the same request is refused again. After 408 a faster connection may succeed.',
  },
  AUTHENTICATION_REQUIRED: {
    meaning: meaningOf.AUTHENTICATION_REQUIRED,
    causes: [
      'There is no `Authorization` header.',
      'The header has another scheme, such as `Basic`, or the key is there without `Bearer`.',
      'A proxy or a redirect to another host has removed the header.',
    ],
    remedies: [
      'Send `Authorization: Bearer <API_KEY>` with every request; see [authentication](/docs/authentication).',
      'Check that the variable with your key is set where your code runs.',
    ],
    isRetryable: false,
    retry: 'Not without the header.',
  },
  INVALID_API_KEY: {
    meaning: meaningOf.INVALID_API_KEY,
    causes: [
      'The key has a typo or was cut off when it was copied. Its last six characters are a checksum.',
      'The key was revoked, has expired, or was replaced by rotation.',
      'The key is from the other environment: `{{key_prefix}}_live_…` works at `{{base_url}}`, `{{key_prefix}}_test_…` at `{{sandbox_url}}`.',
      'The account is closed.',
      'You sent an OAuth access token to an operation that accepts only API keys: keys, apps, consents, sessions, sandbox.',
    ],
    remedies: [
      'Send `GET /v1/account/keys` with another key, and compare prefix and last four characters.',
      'Check that the key and the address belong to the same environment.',
      'Issue a new key if this one is revoked or expired. A key cannot be shown again.',
    ],
    isRetryable: false,
    retry: 'Not with this key: it does not become valid.',
  },
  INSUFFICIENT_CREDITS: {
    meaning: meaningOf.INSUFFICIENT_CREDITS,
    causes: [
      'The balance is used up.',
      'Calls that are running hold the credits. Credits that they do not use are released when they end.',
      'The request asks for many units: the gateway holds the maximum, not the expected price.',
    ],
    remedies: [
      'Read `GET /v1/account/credits`: `available` is the amount that you can spend now, `held` is the amount that running calls may cost.',
      'Buy a package with `POST /v1/billing/checkout`, or let that happen automatically with `PATCH /v1/account/auto-recharge`.',
      'Ask for fewer units, for example with a smaller `limit`; see [credits and prices](/docs/credits).',
    ],
    isRetryable: false,
    retry: 'Only when you have credits again. If `held` is large, wait for the running calls.',
  },
  BUDGET_EXCEEDED: {
    meaning: meaningOf.BUDGET_EXCEEDED,
    causes: [
      'The key, the consent, the external id of the key or the account has spent its budget for the period.',
      'Calls that are running hold a part of the budget. They release the unused part when they end.',
      'The limit was lowered below what is used.',
    ],
    remedies: [
      'Read `error.details`: each entry is a budget that refuses, with `remaining_credits`, `needed_credits` and `resets_at`.',
      'Wait until `resets_at`, or ask for fewer units.',
      'Ask the holder of the account for a higher limit; see [budgets](/docs/budgets). A key with a budget cannot change it.',
    ],
    isRetryable: false,
    retry: 'After `resets_at`, when the next window begins, or with a higher limit.',
  },
  ACCOUNT_SUSPENDED: {
    meaning: meaningOf.ACCOUNT_SUSPENDED,
    causes: [
      'The provider has suspended the account. All its keys, the access tokens that it has granted and its sessions are refused, in live and in the sandbox. Nothing of it is deleted.',
    ],
    remedies: [
      'Ask at `error.details.contact`. The message names it too.',
      'Keep your keys: they work again when the account is active again.',
    ],
    isRetryable: false,
    retry: 'When the account is active again.',
  },
  STEP_UP_REQUIRED: {
    meaning: meaningOf.STEP_UP_REQUIRED,
    causes: [
      'A browser that is signed in asks for a change that could hand on access or spend money, and the last proof of who is there is too old.',
      'The session came from the other environment, so it has no proof of its own here.',
    ],
    remedies: [
      'Read `error.details`: `methods` says what counts as a proof.',
      'With `api_key`: sign in again with the same key. The session and what you were doing stay.',
      'With `portal_link`: follow a new link of the application that you came from; `return_url` is its address.',
      'With `mail_code`: ask for a mail (`POST /v1/account/sessions/mail/request`) and send its code (`POST /v1/account/sessions/mail`), in the browser of the session.',
    ],
    isRetryable: false,
    retry: 'After a proof, with the new cookie.',
  },
  PAYMENT_DECLINED: {
    meaning: meaningOf.PAYMENT_DECLINED,
    causes: [
      'The bank declined the card, or the card has expired.',
      'No payment method is stored, or a dispute has barred it.',
      'The payer did not confirm the payment in time.',
    ],
    remedies: [
      'Read `error.message`: it has the reason of the payment provider.',
      'Store another card with a purchase, or choose another one with `POST /v1/billing/payment-methods/{payment_method_id}/default`.',
      'Ask for a new preview with `POST /v1/account/subscription/preview`, and change the plan again.',
    ],
    isRetryable: false,
    retry:
      'With another payment method, a new `quote_id` and a new idempotency key. The same key gives the same answer.',
  },
  IP_NOT_ALLOWED: {
    meaning: meaningOf.IP_NOT_ALLOWED,
    causes: [
      'The key has an IP allowlist and your address is not on it.',
      'Your network uses another address than before: a new NAT gateway, a VPN, IPv6 instead of IPv4.',
    ],
    remedies: [
      'Find the public address of your requests, and add it or its CIDR block with `PATCH /v1/account/keys/{key_id}`.',
      'List both the IPv4 and the IPv6 network if you have both.',
    ],
    isRetryable: false,
    retry: 'Not from this address.',
  },
  FORBIDDEN: {
    meaning: meaningOf.FORBIDDEN,
    causes: [
      'The key or token lacks a scope; the message names it.',
      'A key tried to issue, change, rotate or revoke a key with scopes that it does not have itself.',
      'A key with an allowlist or an expiry tried to issue, change or rotate a key with looser limits than its own.',
      'The signed link to the result of an export has expired or was changed.',
      'A page of another origin tried to use or end the session of a browser.',
    ],
    remedies: [
      'Use a key that has the scope, or add the scope with `PATCH /v1/account/keys/{key_id}`. [Endpoints](/docs/endpoints) lists every operation with its scope.',
      'In an OAuth app, ask for the scope when you request the consent of the account holder.',
      'Send `GET /v1/account/audit/export/{job_id}` again: its answer has a new link. Use the link unchanged, with its whole query.',
      'Send requests with a session cookie only from pages of the gateway itself, or ask the operator to list your origin.',
    ],
    isRetryable: false,
    retry: 'Not with the same key, link or origin.',
  },
  NOT_FOUND: {
    meaning: meaningOf.NOT_FOUND,
    causes: [
      'The path has a typo, lacks `/v1`, or has a slash at its end.',
      'The object belongs to another account or to the other environment: both look like an object that never existed.',
      'The id is malformed, for example without its prefix.',
    ],
    remedies: [
      'Compare the path with the [reference](/docs/reference).',
      'Check that the id came from the same account and environment as the key.',
    ],
    isRetryable: false,
    retry: 'No: an object that is created later has another id.',
  },
  METHOD_NOT_ALLOWED: {
    meaning: meaningOf.METHOD_NOT_ALLOWED,
    causes: [
      'You sent a `GET` where a `POST` is needed, or the reverse. A redirect may have turned `POST` into `GET`.',
      'You sent `HEAD` to an operation that costs credits. You would pay for an answer that you do not get.',
    ],
    remedies: ['Use one of the methods in the `Allow` header.'],
    isRetryable: false,
    retry: 'Not with this method.',
  },
  CONFLICT: {
    meaning: meaningOf.CONFLICT,
    causes: [
      'You cancelled a subscription twice, or resumed one without a scheduled cancellation.',
      'You cancelled an add-on that is not active, or used one that is not booked.',
      'You changed or rotated a key that is already revoked or expired.',
      'You reached the maximum number of something, such as tracked keywords or running exports.',
    ],
    remedies: [
      'Read the object: it may already have the state that you want.',
      'Read the message: it names the obstacle. Remove it first.',
    ],
    isRetryable: false,
    retry: 'Only when the state has changed.',
  },
  IDEMPOTENCY_CONFLICT: {
    meaning: meaningOf.IDEMPOTENCY_CONFLICT,
    causes: [
      'The first request is still running. `Retry-After` says when you can ask again.',
      'The first request came with another API key, and its answer has a secret that only that key may see again.',
      'The first request was carried out, but its stored answer can no longer be read: the provider has replaced the secret that encrypts stored answers.',
    ],
    remedies: [
      'Wait for `Retry-After`, then send the same request with the same key: you get the stored answer.',
      'Do not make a new idempotency key for a retry: that would be a second request. See [idempotency and retries](/docs/idempotency).',
    ],
    isRetryable: true,
    retry: 'After `Retry-After` seconds, with the same idempotency key.',
  },
  PAYLOAD_TOO_LARGE: {
    meaning: meaningOf.PAYLOAD_TOO_LARGE,
    causes: [
      'The request has too many items.',
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
      'You sent JSON to token, revoke or introspect, which take forms, or a form to an endpoint that takes JSON.',
      'The `Content-Encoding` of the body is not `gzip`, `deflate`, `br` or `zstd`. The header `Accept-Encoding` of the answer lists what the endpoint reads.',
      'The `charset` of the `Content-Type` is not UTF-8.',
    ],
    remedies: [
      'Send `Content-Type: application/json`, or `application/x-www-form-urlencoded` at these three OAuth endpoints.',
    ],
    isRetryable: false,
    retry: 'Not with this content type.',
  },
  INVALID_REQUEST: {
    meaning: meaningOf.INVALID_REQUEST,
    causes: [
      'A field is missing, has another type, or is out of bounds.',
      'A field or query parameter is unknown. The API refuses misspelt ones and does not ignore them.',
      'The body is not valid JSON.',
      'The body, the query or a form has bytes that are not UTF-8, or a JSON escape is half of a surrogate pair. The message names the byte (counted from 0), the parameter or the member.',
      'The cursor was changed, or belongs to another list or account.',
      'You used the idempotency key before for another request.',
    ],
    remedies: [
      'Correct every field in `error.details`: `in` names the part of the request, and `message` says what is wrong.',
      'If the cursor is refused, start the list again without `cursor`.',
    ],
    isRetryable: false,
    retry: 'Not unchanged.',
  },
  RATE_LIMIT_EXCEEDED: {
    meaning: meaningOf.RATE_LIMIT_EXCEEDED,
    causes: [
      'You sent a burst. The limit applies to each clock second, not to an average.',
      'Several processes or keys of one account share its limit.',
      'The account has too many requests at once that are no product calls, or they took too much time: the message names this limit.',
      'The key is not valid. The limit is then that of the client address.',
      'Five cards were declined within an hour for `POST /v1/billing/checkout`: the message names this limit.',
      'An account added more than five addresses for notifications within a day, or an address was asked to confirm twice within a day: the message names this limit.',
    ],
    remedies: [
      'Wait `Retry-After` seconds, then try again; back off exponentially if it happens again. See [rate limits](/docs/rate-limits).',
      'Spread your requests with a queue. `X-RateLimit-Remaining` says how many more you can send in this second.',
      'Some clients call this condition `RATE_LIMITED`; treat both codes alike.',
      'After declined payments, ask the account holder for another card. Do not retry automatically.',
    ],
    isRetryable: true,
    retry:
      'After `Retry-After` seconds. After declined payments that is up to an hour, after new addresses for notifications up to a day.',
  },
  INTERNAL_ERROR: {
    meaning: meaningOf.INTERNAL_ERROR,
    causes: ['The gateway has a fault. We log it with the request id and examine it.'],
    remedies: [
      'Try again with the same idempotency key.',
      'Give support the `request_id` if it happens again.',
    ],
    isRetryable: true,
    retry:
      'With backoff, a few times. Writes, and reads that cost credits, only with an idempotency key.',
  },
  BACKEND_ERROR: {
    meaning: meaningOf.BACKEND_ERROR,
    causes: ['The product has a fault or is restarting.', 'The product closed the connection.'],
    remedies: [
      'Try again with the same idempotency key.',
      'Send `GET /v1/health?backends=1` to see the state of the products.',
    ],
    isRetryable: true,
    retry: 'With backoff. Writes, and reads that cost credits, only with an idempotency key.',
  },
  SERVICE_UNAVAILABLE: {
    meaning: meaningOf.SERVICE_UNAVAILABLE,
    causes: [
      'There are more requests than the gateway can serve. It refuses some at once, so that the others are not slow.',
      'Too many calls of your account wait for one slow product. An account has at most a quarter of the places of a product.',
      'A service that the operation needs is unavailable for a moment, or a product has failed often and gets no calls for a second.',
      'A process is starting or stopping.',
    ],
    remedies: [
      'Wait `Retry-After` seconds, then try again.',
      'If the message of a write says that the charge is unknown, retry with the same idempotency key: you then learn the outcome. A charge without an idempotency key is refunded.',
    ],
    isRetryable: true,
    retry:
      'After `Retry-After` seconds, then with backoff. Writes, and reads that cost credits, only with an idempotency key.',
  },
  BACKEND_TIMEOUT: {
    meaning: meaningOf.BACKEND_TIMEOUT,
    causes: [
      'The product is slow at the moment.',
      'The request is large, for example it asks for many units.',
    ],
    remedies: [
      'Try again with the same idempotency key.',
      'Ask for fewer units, and give your own client more time than the gateway takes: {{backend_timeout}}.',
    ],
    isRetryable: true,
    retry: 'With backoff. Writes, and reads that cost credits, only with an idempotency key.',
  },
}

/**
 * Codes after which the same request can succeed. Samples and the TypeScript client use this list.
 */
export function codesWorthARetry(): readonly ErrorCode[] {
  return Object.keys(explanations)
    .filter(isErrorCode)
    .filter((code) => explanations[code].isRetryable)
}

/** Errors of the token, revoke and introspect endpoints. */
export const oauthExplanations: Readonly<Record<OAuthErrorCode, Explanation>> = {
  invalid_client: {
    meaning: 'The app could not prove who it is.',
    causes: [
      'The secret is wrong or missing, or was sent by a public app, which has none.',
      'The `client_id` is unknown, or belongs to the other environment.',
      'The app is suspended.',
    ],
    remedies: [
      'Send the secret with HTTP Basic or as `client_secret` in the form, not both.',
      'Check with `GET /v1/oauth/apps` that the app is active, and that you use its `token_endpoint_auth_method`.',
      'Register the app again if the secret is lost: it is shown once.',
    ],
    isRetryable: false,
    retry: 'No. Failures are counted, and too many end in 429.',
  },
  invalid_grant: {
    meaning: 'This app cannot use this code or refresh token now.',
    causes: [
      'The code is older than {{code_lifetime}}, or was used before. A second use also ends all tokens from the first use.',
      'The refresh token was used before; each use returns a new one. A second use ends the whole grant.',
      'The `redirect_uri` differs from that of the authorization request. It must be equal, character by character.',
      'The `code_verifier` does not match the `code_challenge`.',
      'The account holder withdrew the consent, or the account is suspended.',
    ],
    remedies: [
      'Send the account holder through the authorization again.',
      'Store the new refresh token of every answer before you use the new access token. Let only one process refresh at a time.',
    ],
    isRetryable: false,
    retry: 'No: a refused code or token stays refused.',
  },
  invalid_scope: {
    meaning: 'The request asks for more than was granted.',
    causes: ['`scope` at refresh names a scope that the account holder did not allow.'],
    remedies: [
      'Leave `scope` out to keep all granted scopes, or name fewer.',
      'To get more, send the account holder through the authorization again.',
    ],
    isRetryable: false,
    retry: 'Not with this scope.',
  },
  invalid_target: {
    meaning: '`resource` names something else than the code or refresh token is for (RFC 8707).',
    causes: [
      'The client was written for several APIs and sends the address of another one.',
      'The code was approved for `{{base_url}}/v1`, and the request names `{{base_url}}/mcp`, or the other way round.',
    ],
    remedies: ['Leave `resource` out, or send the one of the authorization request.'],
    isRetryable: false,
    retry: 'Not with this resource.',
  },
  invalid_redirect_uri: {
    meaning: 'The app that registers itself names a redirect URI that is not accepted (RFC 7591).',
    causes: [
      'It is neither https, nor http on a loopback host, nor a private-use scheme with a dot or of a known agent.',
      'It has a fragment, a user name or a wildcard, or leads to this gateway.',
    ],
    remedies: ['Read `error_description`, and register again with other `redirect_uris`.'],
    isRetryable: false,
    retry: 'Not with these redirect URIs.',
  },
  invalid_client_metadata: {
    meaning:
      'The app that registers itself says something about itself that is not accepted (RFC 7591).',
    causes: [
      'A member has the wrong type or is too long.',
      '`grant_types` lacks `authorization_code`, or `scope` has nothing that agents may have.',
    ],
    remedies: ['Read `error_description`, and register again with other members.'],
    isRetryable: false,
    retry: 'Not with this body.',
  },
  unauthorized_client: {
    meaning: 'The app is known, but may not use this grant type.',
    causes: ['The app was registered without `refresh_token` in its `grant_types`.'],
    remedies: ['Register an app with the grant types that it needs.'],
    isRetryable: false,
    retry: 'Not by this app.',
  },
  unsupported_grant_type: {
    meaning: 'The gateway does not support this grant type.',
    causes: ['You used `password`, `implicit`, `client_credentials`, or a typo.'],
    remedies: [
      'Use `authorization_code` or `refresh_token`.',
      'For calls of your own account, use an [API key](/docs/authentication), not OAuth.',
    ],
    isRetryable: false,
    retry: 'Not with this grant type.',
  },
}
