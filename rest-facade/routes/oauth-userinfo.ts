import type { Route } from '../route.ts'

const userinfo = {
  path: '/oauth/userinfo',
  summary: 'Claims about the account holder',
  operation: 'GetUserinfo',
  subgraph: 'oauth',
  scope: 'openid',
  leavesOutNull: true,
  cors: 'any-client',
} as const

/** OpenID Connect Core §5.3 asks for both methods. */
export const oauthUserinfoRoutes: readonly Route[] = [
  { ...userinfo, method: 'get' },
  { ...userinfo, method: 'post', takesTokenForm: true },
]
