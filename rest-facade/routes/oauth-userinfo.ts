import { z } from 'zod'
import { shown } from '../http/input.ts'
import type { Route } from '../route-kinds/route.ts'

const userinfo = {
  path: '/oauth/userinfo',
  summary: 'Claims about the account holder',
  operation: 'GetUserinfo',
  subgraph: 'oauth',
  scope: 'openid',
  leavesOutNull: true,
  cors: 'any-client',
  // Some clients send more, such as `schema=openid`; a token has no place there (RFC 6750 §2.3).
  query: z.object({
    access_token: z
      .undefined('must not be in the query')
      .optional()
      .register(shown, { isForbidden: true }),
  }),
} as const

/** OpenID Connect Core §5.3 asks for both methods. */
export const oauthUserinfoRoutes: readonly Route[] = [
  { ...userinfo, method: 'get' },
  {
    ...userinfo,
    method: 'post',
    operationId: 'postUserinfo',
    isExtension: true,
    takesTokenForm: true,
  },
]
