import type { FieldError } from '../../../../schema/vocabulary/error-codes.ts'
import type { Client } from '../../apps/client.service.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

/** What an app is told of a request that cannot be granted (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6). */
export type AuthorizationErrorCode =
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unauthorized_client'
  | 'unsupported_response_type'
  | 'unsupported_response_mode'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'registration_not_supported'

export interface Problem extends FieldError {
  readonly oauthError: AuthorizationErrorCode
}

/** One rule: what is wrong with the request, or nothing. `client` is null where nobody is known. */
export type Check = (request: AuthorizationRequest, client: Client | null) => readonly Problem[]

/** One parameter that is wrong. */
export function problem(
  field: string,
  message: string,
  oauthError: AuthorizationErrorCode = 'invalid_request',
): Problem[] {
  return [{ field, in: 'query', message, oauthError }]
}

/** As the error envelope names it. */
export function toField({ field, in: where, message }: Problem): FieldError {
  return { field, in: where, message }
}
