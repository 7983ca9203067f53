import type { Environment } from '../../schema/credentials/caller.ts'
import { ApiError } from '../http/errors.ts'

/** The errors for unknown callers. They hold nothing of the request. */
export interface BearerRefusals {
  readonly noKey: ApiError
  /** The refusal of a cookie that is not accepted. */
  readonly noSession: ApiError
  /** The refusal of a key. The answer is one for all reasons, and only the log learns the reason. */
  readonly badKey: (reason: string) => ApiError
  /** The refusal of an access token that is for another audience (RFC 8707). */
  readonly otherAudience: ApiError
  /** For a text with the form of a key of the other environment. Whether it is such a key is
   * not looked up.
   */
  readonly otherKey: ApiError
}

/** The listener that answers. */
interface Listener {
  /** `{base_url}/v1` */
  readonly issuer: string
  readonly environment: Environment
  /** The base URL of the other environment. */
  readonly otherBaseUrl: string
}

/**
 * Chooses by path: OAuth clients read the reason in the header (RFC 6750 §3; docs/oauth-rules.md 84
 * and 85), all other callers see only the scheme (docs/contract.md §2).
 */
export function bearerRefusals(listener: Listener): (endpoint: string) => BearerRefusals {
  const plain = refusals('Bearer', 'Bearer', listener)
  const realm = `Bearer realm="${listener.issuer}"`
  const ofOAuth = refusals(realm, `${realm}, error="invalid_token"`, listener)
  return (endpoint) => (endpoint.startsWith('/v1/oauth/') ? ofOAuth : plain)
}

function refusals(
  unknown: string,
  invalid: string,
  { environment, otherBaseUrl, issuer }: Listener,
): BearerRefusals {
  const otherKey =
    environment === 'live'
      ? `This is a sandbox key. Use ${otherBaseUrl}.`
      : `This is a live key. Use ${otherBaseUrl}.`
  return {
    noKey: new ApiError(
      'AUTHENTICATION_REQUIRED',
      'Send an API key in the header "Authorization: Bearer <API_KEY>".',
      { headers: { 'WWW-Authenticate': unknown } },
    ),
    noSession: new ApiError(
      'AUTHENTICATION_REQUIRED',
      'The session of this browser is over, or not accepted from here. Sign in again.',
      { headers: { 'WWW-Authenticate': unknown } },
    ),
    badKey: (internal) =>
      new ApiError('INVALID_API_KEY', 'This API key is not valid here.', {
        headers: { 'WWW-Authenticate': invalid },
        internal,
      }),
    otherAudience: new ApiError(
      'INVALID_API_KEY',
      'This access token is for another resource of this gateway.',
      { headers: { 'WWW-Authenticate': `Bearer realm="${issuer}", error="invalid_token"` } },
    ),
    otherKey: new ApiError('INVALID_API_KEY', otherKey, {
      headers: { 'WWW-Authenticate': invalid },
      internal: 'It has the form of a key of the other environment.',
    }),
  }
}
