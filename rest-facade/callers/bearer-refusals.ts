import { ApiError } from '../http/errors.ts'

/** What is answered to whoever is not known. They may be many, and hold nothing of their request: each is made once. */
export interface BearerRefusals {
  readonly noKey: ApiError
  /** One answer for every reason, so that nobody learns which it was. */
  readonly badKey: ApiError
}

/**
 * By path: OAuth clients read in the header what went wrong (RFC 6750 §3; docs/oauth-rules.md 84 and 85),
 * everybody else sees the bare scheme (docs/contract.md §2).
 */
export function bearerRefusals(issuer: string): (endpoint: string) => BearerRefusals {
  const plain = refusals('Bearer', 'Bearer')
  const realm = `Bearer realm="${issuer}"`
  const ofOAuth = refusals(realm, `${realm}, error="invalid_token"`)
  return (endpoint) => (endpoint.startsWith('/v1/oauth/') ? ofOAuth : plain)
}

function refusals(unknown: string, invalid: string): BearerRefusals {
  return {
    noKey: new ApiError(
      'AUTHENTICATION_REQUIRED',
      'Send an API key in the header "Authorization: Bearer <API_KEY>".',
      { headers: { 'WWW-Authenticate': unknown } },
    ),
    badKey: new ApiError('INVALID_API_KEY', 'This API key is not valid here.', {
      headers: { 'WWW-Authenticate': invalid },
    }),
  }
}
