import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import type { AuthorizationRequest } from './checks/authorization-request.ts'
import { promptsOf } from './checks/check-prompt.ts'
import { isContinueTokenOf } from './continue-token.ts'

/** `select_account` asks for a sign-in too: a browser is signed in as one account only. */
const promptsForSignIn = ['login', 'select_account']

/**
 * Whether the request needs a sign-in of its own: then no earlier one counts. Every sign-in is
 * older than 0 seconds, so `max_age=0` means the same as `prompt=login`.
 */
export function asksForSignIn({ prompt, maxAge }: AuthorizationRequest): boolean {
  const prompts = promptsOf(prompt)
  return promptsForSignIn.some((name) => prompts.includes(name)) || isZero(maxAge)
}

/** When a request is shown: whether the browser must sign in first, or again. */
export function mustSignIn(
  context: GraphContext,
  { session }: AccountCaller,
  request: AuthorizationRequest,
  continueToken: string | null,
): boolean {
  // An API key proves its holder with every call.
  if (!session) return false
  if (isTooOld(session, request)) return true
  if (!asksForSignIn(request)) return false
  const isForThis =
    continueToken !== null &&
    session.signedInFor === sha256(continueToken) &&
    isContinueTokenOf(context, request, continueToken)
  return !(isForThis && session.isFresh)
}

/**
 * At the decision: whether the sign-in has become too old, because `max_age` goes on while the
 * owner reads. The consent token proves that the sign-in was for this request, but not that it
 * serves one decision only.
 */
export function isSignInOver({ session }: AccountCaller, request: AuthorizationRequest): boolean {
  if (!session) return false
  return isTooOld(session, request) || (asksForSignIn(request) && !session.isFresh)
}

function isTooOld(
  { authTime }: NonNullable<AccountCaller['session']>,
  { maxAge }: AuthorizationRequest,
): boolean {
  if (maxAge === null || isZero(maxAge)) return false
  return Date.now() - Date.parse(authTime) > Number(maxAge) * 1000
}

function isZero(maxAge: string | null): boolean {
  return maxAge !== null && Number(maxAge) === 0
}
