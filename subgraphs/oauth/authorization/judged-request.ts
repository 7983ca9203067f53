import type { Client } from '../apps/client.service.ts'
import type { AuthorizationRequest } from './checks/authorization-request.ts'

/** A request that may be asked of an owner. */
export interface JudgedRequest {
  readonly client: Client
  readonly request: AuthorizationRequest
  /** Of the app's, in the order of the request. */
  readonly scopes: readonly string[]
  /** Nobody knows them. */
  readonly ignoredScopes: readonly string[]
}
