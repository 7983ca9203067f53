import type { TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client'
import type { InternalRole } from '../../../schema/credentials/caller.ts'
import type { KnownIssuer } from './issuer.ts'
import { IssuerFailure } from './issuer-failure.ts'
import { hasName, operatorNameOf } from './operator-name.ts'
import { hasClaim, type OperatorRoles, roleOfClaims } from './operator-roles.ts'

/** Who signs in, as the issuer says. */
export interface Identity {
  readonly subject: string
  readonly name: string
  /** Null: nobody here. */
  readonly role: InternalRole | null
  /** When the person proved to the issuer who they are; null: it does not say. */
  readonly authTime: Date | null
}

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers

/**
 * Reads who the tokens are about. Claims stand in the id token; those that are missing there are asked of the userinfo
 * endpoint, of the same subject. Throws what openid-client throws.
 */
export async function identityOf(
  issuer: KnownIssuer,
  roles: OperatorRoles,
  tokens: Tokens,
): Promise<Identity> {
  const claims = tokens.claims()
  if (!claims) throw new IssuerFailure('refused', 'the issuer gave no id token')
  const { sub: subject, auth_time: authTime } = claims
  const isComplete = hasClaim(claims, roles.claim) && hasName(claims)
  const others = isComplete ? {} : await userInfo(issuer, tokens.access_token, subject)
  const all = { ...others, ...claims }
  const name = operatorNameOf(all, subject)
  const provenAt = typeof authTime === 'number' ? new Date(authTime * 1000) : null
  return { subject, name, role: roleOfClaims(roles, all), authTime: provenAt }
}

/** The role at the moment, of the answer to a refresh token. Throws a failure if it is about somebody else. */
export async function roleNow(
  issuer: KnownIssuer,
  roles: OperatorRoles,
  tokens: Tokens,
  subject: string,
): Promise<InternalRole | null> {
  // OpenID Connect Core §12.2: an id token may be missing; one that comes has the same subject.
  const claims = tokens.claims()
  if (claims && claims.sub !== subject) {
    throw new IssuerFailure('refused', 'the answer is about another subject')
  }
  if (roles.claim === 'sub' || (claims && hasClaim(claims, roles.claim))) {
    return roleOfClaims(roles, { ...claims, sub: subject })
  }
  return roleOfClaims(roles, await userInfo(issuer, tokens.access_token, subject))
}

async function userInfo(
  { client, configuration, metadata }: KnownIssuer,
  accessToken: string,
  subject: string,
) {
  if (metadata.userinfo_endpoint === undefined) return {}
  return client.fetchUserInfo(configuration, accessToken, subject)
}
