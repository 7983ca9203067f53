import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { CallerSession } from '../../../schema/credentials/caller.ts'
import { macKey } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import type { Client } from '../apps/client.service.ts'
import type { JudgedRequest } from './judged-request.ts'

/**
 * Seals the request that a browser was shown, so that its decision is about that request
 * (docs/oauth-rules.md §4).
 */
const content = z.object({ jti: z.string(), exp: z.number(), scope: z.array(z.string()) })

/** What the browser was shown: the app too, which may change meanwhile. */
type ShownRequest = Pick<JudgedRequest, 'request' | 'scopes' | 'client'>

type Signer = Pick<GraphContext, 'gatewaySecret'>

export function newConsentToken(
  context: Signer,
  session: CallerSession,
  judged: ShownRequest,
  expiresAt: Date,
): string {
  const exp = expiresAt.getTime() / 1000
  const shown = { jti: newId('ses'), exp, scope: [...judged.scopes] }
  const body = Buffer.from(JSON.stringify(shown)).toString('base64url')
  return `${body}.${sign(context, session, judged, body)}`
}

/**
 * The content of the token, or null when it belongs to another session or request. The only
 * permitted difference is a narrower scope (docs/oauth-rules.md §5).
 */
export function readConsentToken(
  context: Signer,
  session: CallerSession,
  judged: ShownRequest,
  text: string,
): { readonly jti: string; readonly expiresAt: Date } | null {
  const [body = '', signature = '', ...rest] = text.split('.')
  const expected = Buffer.from(sign(context, session, judged, body))
  const given = Buffer.from(signature)
  if (rest.length > 0 || expected.length !== given.length) return null
  if (!timingSafeEqual(expected, given)) return null
  const { jti, exp, scope } = content.parse(JSON.parse(Buffer.from(body, 'base64url').toString()))
  const isCurrent = Date.now() < exp * 1000
  const isNoWider = judged.scopes.every((name) => scope.includes(name))
  return isCurrent && isNoWider ? { jti, expiresAt: new Date(exp * 1000) } : null
}

function sign(
  { gatewaySecret }: Signer,
  { id }: CallerSession,
  { request, client }: ShownRequest,
  body: string,
): string {
  const { clientId, redirectUri, state, nonce, codeChallenge, codeChallengeMethod } = request
  const bound = [id, clientId, redirectUri, state, nonce, codeChallenge, codeChallengeMethod]
  // Not the hash of a document: each process has its own copy, whose other members may differ.
  const asked = [request.maxAge, request.prompt, request.resource, appearanceOf(client)]
  return createHmac('sha256', macKey(gatewaySecret, 'consent-token'))
    .update(JSON.stringify([...bound, ...asked, body]))
    .digest('base64url')
}

/** All of an app that its account, or its document, can change. */
function appearanceOf(client: Client): readonly unknown[] {
  const { clientName, redirectUris, scopes, logoUri, clientUri, policyUri, tosUri } = client
  return [clientName, redirectUris, scopes, logoUri, clientUri, policyUri, tosUri]
}
