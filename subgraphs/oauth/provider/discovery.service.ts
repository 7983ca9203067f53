import { tokenScopes } from '../../../schema/vocabulary/scopes.ts'
import type { ProviderSettings } from '../settings/oauth-settings.ts'
import type { OpenidConfiguration } from './discovery.type.ts'
import { issuerOf } from './issuer.ts'

const secretMethods = ['client_secret_basic', 'client_secret_post']

/** The discovery document. */
export function openidConfiguration(
  baseUrl: string,
  docsUrl: string,
  agents: ProviderSettings['agents'],
): OpenidConfiguration {
  const issuer = issuerOf(baseUrl)
  return {
    issuer,
    authorizationEndpoint: `${issuer}/oauth/authorize`,
    tokenEndpoint: `${issuer}/oauth/token`,
    userinfoEndpoint: `${issuer}/oauth/userinfo`,
    revocationEndpoint: `${issuer}/oauth/revoke`,
    introspectionEndpoint: `${issuer}/oauth/introspect`,
    registrationEndpoint: agents?.mayRegister ? `${issuer}/oauth/register` : null,
    clientIdMetadataDocumentSupported: agents ? true : null,
    jwksUri: `${issuer}/.well-known/jwks.json`,
    serviceDocumentation: docsUrl,
    scopesSupported: [...tokenScopes],
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
