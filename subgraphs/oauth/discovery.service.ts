import { serviceSlugs } from '../../schema/scopes.ts'
import type { OpenidConfiguration } from './discovery.type.ts'

/** Scopes of access tokens: reading, and the product services; never keys, OAuth or the sandbox (contract §4). */
const oauthScopes: readonly string[] = [
  'openid',
  'profile',
  'email',
  'offline_access',
  'account:read',
  'billing:read',
  'usage:read',
  'audit:read',
  'webhooks:read',
  ...serviceSlugs.flatMap((slug) => [`${slug}:read`, `${slug}:write`]),
]

const secretMethods = ['client_secret_basic', 'client_secret_post']

/** The discovery document; `issuer` is `{base_url}/v1` and never ends in a slash (design, oauth §1.1). */
export function openidConfiguration(baseUrl: string, docsUrl: string): OpenidConfiguration {
  const issuer = `${baseUrl}/v1`
  return {
    issuer,
    authorizationEndpoint: `${issuer}/oauth/authorize`,
    tokenEndpoint: `${issuer}/oauth/token`,
    userinfoEndpoint: `${issuer}/oauth/userinfo`,
    revocationEndpoint: `${issuer}/oauth/revoke`,
    introspectionEndpoint: `${issuer}/oauth/introspect`,
    jwksUri: `${issuer}/.well-known/jwks.json`,
    serviceDocumentation: docsUrl,
    scopesSupported: [...oauthScopes],
    responseTypesSupported: ['code'],
    responseModesSupported: ['query'],
    grantTypesSupported: ['authorization_code', 'refresh_token'],
    subjectTypesSupported: ['public'],
    idTokenSigningAlgValuesSupported: ['RS256'],
    tokenEndpointAuthMethodsSupported: [...secretMethods, 'none'],
    revocationEndpointAuthMethodsSupported: [...secretMethods, 'none'],
    introspectionEndpointAuthMethodsSupported: secretMethods,
    codeChallengeMethodsSupported: ['S256'],
    claimsSupported: [
      'sub',
      'iss',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'acr',
      'at_hash',
      'name',
      'updated_at',
      'website',
      'email',
      'email_verified',
      'account_id',
      'tier',
      'subscription_tier',
    ],
    acrValuesSupported: ['0'],
    authorizationResponseIssParameterSupported: true,
    requestUriParameterSupported: false,
    requestParameterSupported: false,
    claimsParameterSupported: false,
  }
}
