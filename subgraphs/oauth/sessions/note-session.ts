import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import type { PersonRole } from '../../../schema/vocabulary/roles.ts'
import { recordChange } from '../../shared/changes/change.ts'
import type { Transaction } from '../../shared/database/database.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import type { OpenedSession } from './open-session.service.ts'

/** Who is signed in by a request that was anonymous until then. */
export interface SignedIn {
  readonly accountId: string
  readonly keyId: string | null
  readonly memberId: string | null
  readonly role: PersonRole | null
  readonly actor: string | null
  readonly returnUrl: string | null
}

/** The new session as the caller, for lines of the audit trail. */
export function callerOfSession(
  { caller }: Pick<OAuthContext, 'caller'>,
  { accountId, keyId, memberId, role, actor, returnUrl }: SignedIn,
  sessionId: string,
): AccountCaller {
  const { environment, requestId, traceId, address = null } = caller
  const times = { authTime: '', provenAt: null, isProofFresh: false, isFresh: false }
  return {
    ...{ kind: 'account', accountId, keyId, scopes: [], environment, requestId, traceId, address },
    session: { id: sessionId, memberId, role, actor, returnUrl, ...times, signedInFor: null },
  }
}

/** A session with the outcome `kept` has not changed. */
const actions = { opened: 'session.open', proven: 'session.step_up', kept: null } as const

/** Writes the line of a session that was opened or proven. */
export async function noteSession(
  tx: Transaction,
  owner: AccountCaller,
  { id, outcome }: OpenedSession,
  details: object = {},
): Promise<void> {
  const action = actions[outcome]
  if (action === null) return
  await recordChange(tx, { caller: owner }, { owner, action, resourceId: id }, { details })
}
