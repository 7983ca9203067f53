import { raw } from '@mikro-orm/core'
import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import { unreadable } from '../../shared/changes/sealed-result.ts'
import type { Queryable, Statement } from '../../shared/database/statement.ts'

/** The columns by which a process of the release before finds an earlier attempt. */
export interface IssueRef {
  readonly issueRef: string
  readonly issuedBy: string
  readonly issueRefUntil: ReturnType<typeof raw<Date>>
}

const freeRef: Statement = {
  name: 'free-issue-ref',
  text: `UPDATE keys.api_key k
    SET issue_ref = CASE WHEN k.issue_ref_until > now() THEN k.issue_ref END
    WHERE account_id = $1 AND environment = $2 AND issue_ref = $3
    RETURNING k.issue_ref IS NULL AS "isOver"`,
}

/**
 * A process of the release before looks for an earlier attempt in these columns and not in `done_change`.
 * So they are still written, and no process issues a second key while both releases run. Nobody has kept
 * the secret of a key that such a process has issued: a repetition is refused with IDEMPOTENCY_CONFLICT.
 * Once no process of that release is left, this file goes, and then the columns.
 */
export async function claimIssueRef(
  tx: Queryable,
  { accountId, environment, requestId }: AccountCaller,
  once: OnceInput | null | undefined,
): Promise<IssueRef | null> {
  if (!once) return null
  const freed = await tx.query<{ readonly isOver: boolean }>(freeRef, [
    accountId,
    environment,
    once.reference,
  ])
  if (freed.some(({ isOver }) => !isOver)) throw unreadable()
  return {
    issueRef: once.reference,
    issuedBy: requestId,
    issueRefUntil: raw('now() + make_interval(secs => ?)', [once.seconds]),
  }
}
