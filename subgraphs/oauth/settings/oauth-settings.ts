import type { GraphContext } from '../../shared/graph/context.ts'

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
  /** The origins, beside those of the gateway, that a portal link may lead back to. */
  readonly returnOrigins?: readonly string[]
}
