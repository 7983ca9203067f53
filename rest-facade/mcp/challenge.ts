import { resourceMetadataPath } from '../../schema/vocabulary/audiences.ts'
import { mcpScopes } from '../../schema/vocabulary/scopes.ts'

/** Why a request is refused, in the words of RFC 6750 §3.1; null: it had no credential. */
export type ChallengeError = 'invalid_token' | 'insufficient_scope' | null

/** What is said to a client that has sent no credential. */
export const askForCredential =
  'Sign in by OAuth, as the header WWW-Authenticate says, or send an API key in the header "Authorization: Bearer <API_KEY>".'

/** What a client needs to get a token that suffices. */
export interface Challenge {
  /** The base URL of the environment. */
  readonly baseUrl: string
  readonly error: ChallengeError
  /** Without any: all that are of use here. */
  readonly scopes?: readonly string[]
}

/** The `WWW-Authenticate` of every 401 of `/mcp`, and of its 403 for a scope (RFC 9728 §5.1, RFC 6750 §3). */
export function challengeOf({ baseUrl, error, scopes = mcpScopes }: Challenge): string {
  const metadata = `resource_metadata="${baseUrl}${resourceMetadataPath}"`
  const scope = `scope="${scopes.join(' ')}"`
  if (error === 'insufficient_scope') return `Bearer error="${error}", ${scope}, ${metadata}`
  const why = error === null ? '' : `, error="${error}"`
  return `Bearer ${metadata}, ${scope}${why}`
}
