import type { ErrorCode } from '../error-codes.ts'

/** What each code says of a request, in a sentence. */
export const meaningOf: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'It is no valid HTTP request, or the backend module cannot read it.',
  AUTHENTICATION_REQUIRED: 'The header Authorization is missing or malformed.',
  INVALID_API_KEY: 'The key is not found, revoked, expired or of the other environment.',
  INSUFFICIENT_CREDITS: 'The available credits do not cover what it can cost; nothing was done.',
  IP_NOT_ALLOWED: 'The allowlist of the key excludes the address of the caller.',
  FORBIDDEN: 'The key or token lacks the scope, or the link or page is not entitled.',
  NOT_FOUND: 'There is no such object in this account; an ill-formed id names nothing.',
  METHOD_NOT_ALLOWED: 'The path has other methods.',
  CONFLICT: 'The resource is not in a state that permits it.',
  IDEMPOTENCY_CONFLICT: 'The first request with the idempotency key still runs.',
  PAYLOAD_TOO_LARGE: 'The body is too large.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not of the media type of the endpoint.',
  INVALID_REQUEST: 'The input is not valid; the message names every offending field.',
  RATE_LIMIT_EXCEEDED: 'More requests than the limit allows. Wait for `Retry-After` seconds.',
  INTERNAL_ERROR: 'Something went wrong on our side; the cause is in our log.',
  BACKEND_ERROR: 'The backend module failed; nothing is charged.',
  SERVICE_UNAVAILABLE: 'Something that is needed is away; try again.',
  BACKEND_TIMEOUT: 'No answer came in time; nothing is charged.',
}
