import type { FieldError } from '../../../../schema/vocabulary/error-codes.ts'
import type { Client } from '../../apps/client.service.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

/**
 * The error codes that an app gets for a refused request (RFC 6749 §4.1.2.1, OpenID Connect Core
 * §3.1.2.6).
 */
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

/** One rule: it returns the problems of the request. `client` is null when the app is unknown. */
export type Check = (request: AuthorizationRequest, client: Client | null) => readonly Problem[]

/** One parameter that is wrong. */
export function problem(
  field: string,
  message: string,
  oauthError: AuthorizationErrorCode = 'invalid_request',
): Problem[] {
  return [{ field, in: 'query', message, oauthError }]
}

/** The problem in the form of the error envelope. */
export function toField({ field, in: where, message }: Problem): FieldError {
  return { field, in: where, message }
}
