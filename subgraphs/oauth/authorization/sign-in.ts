import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { approvalProofSeconds } from '../../../schema/vocabulary/oauth-lifetimes.ts'
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
 * At the decision: whether the proof has become too old, because time goes on while the owner
 * reads. The consent token proves that the sign-in was for this request, but not that it
 * serves one decision only.
 */
export function isSignInOver({ session }: AccountCaller, request: AuthorizationRequest): boolean {
  if (!session) return false
  return isTooOld(session, request) || (asksForSignIn(request) && !session.isFresh)
}

/**
 * Whether the newest proof of who is at the browser does not count any more: for any approval, or for an
 * app that wants a newer one. A session that was handed over has none.
 */
function isTooOld(
  { provenAt }: NonNullable<AccountCaller['session']>,
  { maxAge }: AuthorizationRequest,
): boolean {
  if (provenAt === null) return true
  const wanted = maxAge === null || isZero(maxAge) ? approvalProofSeconds : Number(maxAge)
  return Date.now() - Date.parse(provenAt) > Math.min(wanted, approvalProofSeconds) * 1000
}

function isZero(maxAge: string | null): boolean {
  return maxAge !== null && Number(maxAge) === 0
}
