import { z } from 'zod'
import type { Route } from '../route-kinds/route.ts'

/** Clients add to a well-known address what they need to tell their copies apart. */
const anything = z.object({})

export const oauthRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/.well-known/jwks.json',
    summary: 'OAuth signing keys',
    operation: 'GetJwks',
    subgraph: 'oauth',
    query: anything,
    headers: { 'Cache-Control': 'public, max-age=300' },
  },
  {
    method: 'get',
    path: '/.well-known/openid-configuration',
    summary: 'OpenID Connect discovery document',
    operation: 'GetOpenidConfiguration',
    subgraph: 'oauth',
    query: anything,
    headers: { 'Cache-Control': 'public, max-age=3600' },
  },
  {
    method: 'get',
    // RFC 8414 §3.1 puts the issuer's path behind the well-known one.
    path: '/.well-known/oauth-authorization-server/v1',
    isRooted: true,
    summary: 'The discovery document, where OAuth clients look for it',
    operation: 'GetOpenidConfiguration',
    operationId: 'getOauthAuthorizationServer',
    isExtension: true,
    subgraph: 'oauth',
    query: anything,
    headers: { 'Cache-Control': 'public, max-age=3600' },
  },
]
