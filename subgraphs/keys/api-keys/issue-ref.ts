import { raw } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import { unreadable } from '../../shared/changes/sealed-result.ts'

/** The columns by which a process of the release before finds an earlier attempt. */
export interface IssueRef {
  readonly issueRef: string
  readonly issuedBy: string
  readonly issueRefUntil: ReturnType<typeof raw<Date>>
}

/**
 * A process of the release before looks for an earlier attempt in these columns and not in `done_change`.
 * So they are still written, and no process issues a second key while both releases run. Nobody has kept
 * the secret of a key that such a process has issued: a repetition is refused with IDEMPOTENCY_CONFLICT.
 * Once no process of that release is left, this file goes, and then the columns.
 */
export async function claimIssueRef(
  tx: SqlEntityManager,
  { accountId, environment, requestId }: AccountCaller,
  once: OnceInput | null | undefined,
): Promise<IssueRef | null> {
  if (!once) return null
  const freed = await tx.execute<{ is_over: boolean }[]>(
    `UPDATE keys.api_key k
     SET issue_ref = CASE WHEN k.issue_ref_until > now() THEN k.issue_ref END
     WHERE account_id = ? AND environment = ? AND issue_ref = ?
     RETURNING k.issue_ref IS NULL AS is_over`,
    [accountId, environment, once.reference],
  )
  if (freed.some(({ is_over }) => !is_over)) throw unreadable()
  return {
    issueRef: once.reference,
    issuedBy: requestId,
    issueRefUntil: raw('now() + make_interval(secs => ?)', [once.seconds]),
  }
}
