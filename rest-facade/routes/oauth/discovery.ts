import { z } from 'zod'
import { publicRoute } from '../kinds/public-route.ts'

/** Clients add parameters to a well-known address, to tell their copies of it apart. */
const anything = z.object({})

export const oauthRoutes = [
  publicRoute({
    method: 'get',
    path: '/.well-known/jwks.json',
    summary: 'OAuth signing keys',
    operation: 'GetJwks',
    query: anything,
    headers: { 'Cache-Control': 'public, max-age=300' },
  }),
  publicRoute({
    method: 'get',
    path: '/.well-known/openid-configuration',
    summary: 'OpenID Connect discovery document',
    operation: 'GetOpenidConfiguration',
    query: anything,
    leavesOutNull: true,
    headers: { 'Cache-Control': 'public, max-age=3600' },
  }),
  publicRoute({
    method: 'get',
    // RFC 8414 §3.1 appends the issuer's path to the well-known path.
    path: '/.well-known/oauth-authorization-server/v1',
    isRooted: true,
    summary: 'The discovery document, where OAuth clients look for it',
    operation: 'GetOpenidConfiguration',
    operationId: 'getOauthAuthorizationServer',
    isExtension: true,
    query: anything,
    leavesOutNull: true,
    headers: { 'Cache-Control': 'public, max-age=3600' },
  }),
]
