import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import type { AuthorizationRequest } from './checks/authorization-request.ts'
import { promptsOf } from './checks/check-prompt.ts'
import { isContinueTokenOf } from './continue-token.ts'

/** Whoever is to choose an account does so by signing in: a browser is signed in as one alone. */
const promptsForSignIn = ['login', 'select_account']

/**
 * Whether no sign-in before counts, however late it was. Nothing is 0 seconds old: `max_age=0` asks for
 * the same as `prompt=login`.
 */
export function asksForSignIn({ prompt, maxAge }: AuthorizationRequest): boolean {
  const prompts = promptsOf(prompt)
  return promptsForSignIn.some((name) => prompts.includes(name)) || isZero(maxAge)
}

/** Before a request is shown to be decided: whether a browser must sign in first, or again. */
export function mustSignIn(
  context: GraphContext,
  { session }: AccountCaller,
  request: AuthorizationRequest,
  continueToken: string | null,
): boolean {
  // A key is proof of this moment.
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
 * At the decision: whether the sign-in does not count any more. `max_age` runs on while the owner reads.
 * That the sign-in was for this request, the consent token proves; that it was for one decision only, not.
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
