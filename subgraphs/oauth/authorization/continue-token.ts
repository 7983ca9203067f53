import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { macKey } from '../../../schema/credentials/secrets.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import type { AuthorizationRequest } from './checks/authorization-request.ts'

type Signer = Pick<GraphContext, 'gatewaySecret'>

/**
 * Identifies one showing of a request that asks for a sign-in of its own. The browser returns with
 * it after the sign-in. A sign-in for another request, however recent, does not count.
 */
export function newContinueToken(
  context: Signer,
  request: AuthorizationRequest,
  expiresAt: Date,
): string {
  const body = `${expiresAt.getTime()}.${randomBytes(16).toString('base64url')}`
  return `${body}.${sign(context, request, body)}`
}

/** Whether the token belongs to exactly this request and has not expired. */
export function isContinueTokenOf(
  context: Signer,
  request: AuthorizationRequest,
  text: string,
): boolean {
  const body = text.slice(0, Math.max(0, text.lastIndexOf('.')))
  const given = Buffer.from(text.slice(body.length + 1))
  const expected = Buffer.from(sign(context, request, body))
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) return false
  return Date.now() < Number(body.split('.')[0])
}

function sign({ gatewaySecret }: Signer, request: AuthorizationRequest, body: string): string {
  const { clientId, redirectUri, state, nonce, codeChallenge, codeChallengeMethod } = request
  const bound = [clientId, redirectUri, state, nonce, codeChallenge, codeChallengeMethod]
  const asked = [request.scope, request.maxAge, request.prompt, request.resource, body]
  return createHmac('sha256', macKey(gatewaySecret, 'continue-token'))
    .update(JSON.stringify([...bound, ...asked]))
    .digest('base64url')
}
