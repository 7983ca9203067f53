import type { Audience } from '../../../schema/vocabulary/audiences.ts'
import type { Client } from '../apps/client.service.ts'
import type { AuthorizationRequest } from './checks/authorization-request.ts'

/** A request that has passed all checks and may be shown to an owner. */
export interface JudgedRequest {
  readonly client: Client
  readonly request: AuthorizationRequest
  /** What the tokens are for. */
  readonly audience: Audience
  /** The requested scopes that the app may ask for, in the order of the request. */
  readonly scopes: readonly string[]
  /** Requested scopes that the gateway does not know. */
  readonly ignoredScopes: readonly string[]
}
