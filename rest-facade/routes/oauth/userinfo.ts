import { z } from 'zod'
import { shown } from '../../http/input.ts'
import { userinfoRoute } from '../kinds/userinfo-route.ts'

const userinfo = {
  path: '/oauth/userinfo',
  summary: 'Claims about the account holder',
  operation: 'GetUserinfo',
  scope: 'openid',
  // Some clients send parameters such as `schema=openid`. A token must not be in the query
  // (RFC 6750 §2.3).
  query: z.object({
    access_token: z
      .undefined('must not be in the query')
      .optional()
      .register(shown, { isForbidden: true }),
  }),
} as const

/** OpenID Connect Core §5.3 asks for both methods. */
export const oauthUserinfoRoutes = [
  userinfoRoute({ ...userinfo, method: 'get' }),
  userinfoRoute({
    ...userinfo,
    method: 'post',
    operationId: 'postUserinfo',
    isExtension: true,
  }),
]
