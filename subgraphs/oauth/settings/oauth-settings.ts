import type { GraphContext } from '../../shared/graph/context.ts'
import type { ClientDocuments } from '../documents/client-documents.ts'

/** The settings of the oauth subgraph. */
export interface OAuthSettings {
  readonly oauth: ProviderSettings
}

/** The context of the resolvers of the oauth subgraph. */
export interface OAuthContext extends GraphContext, OAuthSettings {}

/** Settings of the operator for the OpenID provider. */
export interface ProviderSettings {
  /** A used refresh token may be used once more for this long, for clients with many tabs. */
  readonly refreshGraceSeconds: number
  /** A session of a browser ends so long after its sign-in. */
  readonly sessionHours: number
  /** A proof in a session permits what needs a fresh one for so long. */
  readonly stepUpMinutes: number
  /** Agents that call the tools at `{base_url}/mcp`; absent: there are no tools. */
  readonly agents?: AgentSettings
  /** Whether mails can be sent; without them, the link of an invitation is shown to the inviter. */
  readonly sendsMails?: boolean
  /** Absent: passkeys are off. */
  readonly passkeys?: PasskeySettings
  /** The origins, beside those of the gateway, that a portal link may lead back to. */
  readonly returnOrigins?: readonly string[]
}

/** The id by which browsers keep passkeys for this gateway; or why it has none. */
export type PasskeySettings =
  | { readonly rpId: string }
  | { readonly rpId: null; readonly because: string }

/** Settings of the operator for agents. */
export interface AgentSettings {
  /** Whether an app may register itself (RFC 7591). */
  readonly mayRegister: boolean
  /** Reads the documents by which apps describe themselves. */
  readonly documents: ClientDocuments
}
