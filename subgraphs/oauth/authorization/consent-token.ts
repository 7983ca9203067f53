import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { CallerSession } from '../../../schema/credentials/caller.ts'
import { macKey } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import type { AuthorizationRequest } from './checks/authorization-request.ts'
import type { JudgedRequest } from './judged-request.ts'

/**
 * Seals the request that a browser was shown, so that its decision is about that request
 * (docs/oauth-rules.md §4).
 */
const content = z.object({ jti: z.string(), exp: z.number(), scope: z.array(z.string()) })

type Signer = Pick<GraphContext, 'gatewaySecret'>

export function newConsentToken(
  context: Signer,
  session: CallerSession,
  { request, scopes }: Pick<JudgedRequest, 'request' | 'scopes'>,
  expiresAt: Date,
): string {
  const exp = expiresAt.getTime() / 1000
  const shown = { jti: newId('ses'), exp, scope: [...scopes] }
  const body = Buffer.from(JSON.stringify(shown)).toString('base64url')
  return `${body}.${sign(context, session, request, body)}`
}

/**
 * The content of the token, or null when it belongs to another session or request. The only
 * permitted difference is a narrower scope (docs/oauth-rules.md §5).
 */
export function readConsentToken(
  context: Signer,
  session: CallerSession,
  { request, scopes }: Pick<JudgedRequest, 'request' | 'scopes'>,
  text: string,
): { readonly jti: string; readonly expiresAt: Date } | null {
  const [body = '', signature = '', ...rest] = text.split('.')
  const expected = Buffer.from(sign(context, session, request, body))
  const given = Buffer.from(signature)
  if (rest.length > 0 || expected.length !== given.length) return null
  if (!timingSafeEqual(expected, given)) return null
  const { jti, exp, scope } = content.parse(JSON.parse(Buffer.from(body, 'base64url').toString()))
  const isCurrent = Date.now() < exp * 1000
  const isNoWider = scopes.every((name) => scope.includes(name))
  return isCurrent && isNoWider ? { jti, expiresAt: new Date(exp * 1000) } : null
}

function sign(
  { gatewaySecret }: Signer,
  { id }: CallerSession,
  request: AuthorizationRequest,
  body: string,
): string {
  const { clientId, redirectUri, state, nonce, codeChallenge, codeChallengeMethod } = request
  const bound = [id, clientId, redirectUri, state, nonce, codeChallenge, codeChallengeMethod]
  const asked = [request.maxAge, request.prompt, body]
  return createHmac('sha256', macKey(gatewaySecret, 'consent-token'))
    .update(JSON.stringify([...bound, ...asked]))
    .digest('base64url')
}
