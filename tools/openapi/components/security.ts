import { sessionCookieNames } from '../../../rest-facade/callers/session-cookie.ts'
import { describeScope } from '../../../schema/vocabulary/scope-descriptions.ts'
import { tokenScopes } from '../../../schema/vocabulary/scopes.ts'
import type { Components } from './components.ts'

/** Every way to authenticate; rest-facade/routes/kinds/openapi/security.ts uses the names. */
export function addSecuritySchemes(components: Components): void {
  components.add('securitySchemes', 'ApiKeyBearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'API key',
    description:
      'An API key in the header `Authorization: Bearer <API_KEY>`. Live keys begin with `svc_live_` and work on the live address, sandbox keys with `svc_test_` and work on that of the sandbox. Its scopes decide what it may do.',
  })
  components.add('securitySchemes', 'OAuth2', {
    type: 'oauth2',
    description:
      'An access token that an account holder has granted to an app, in the same header. It is accepted where the scopes below say so.',
    flows: {
      authorizationCode: {
        authorizationUrl: '/v1/oauth/authorize',
        tokenUrl: '/v1/oauth/token',
        refreshUrl: '/v1/oauth/token',
        scopes: Object.fromEntries(tokenScopes.map((scope) => [scope, describeScope(scope)])),
      },
    },
  })
  components.add('securitySchemes', 'ClientSecretBasic', {
    type: 'http',
    scheme: 'basic',
    description:
      'The `client_id` and `client_secret` of a confidential app (RFC 6749 §2.3.1). They may be members of the form instead; a public app sends `client_id` there and nothing else.',
  })
  components.add('securitySchemes', 'SessionCookie', {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookieNames.live,
    description: `A browser that was signed in at \`/v1/oauth/session\`. The sandbox calls it \`${sessionCookieNames.sandbox}\`.`,
  })
}
