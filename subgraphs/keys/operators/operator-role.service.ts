import type { InternalRole } from '../../../schema/credentials/caller.ts'
import { operatorAnswerSeconds, operatorRoleSeconds } from '../../../schema/vocabulary/operators.ts'
import { type Change, recordChange } from '../../shared/changes/change.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { OperatorRoleInput } from './operator.type.ts'
import { isInternalRole } from './operator-link.service.ts'
import { isOpen, operatorOf } from './operator-session.service.ts'

const takeQuestion: Statement = {
  name: 'take-operator-role-question',
  text: `
    UPDATE keys.operator_session SET role_asking_until = now() + make_interval(secs => ${operatorAnswerSeconds})
    WHERE id = $1 AND ${isOpen} AND role_asked_at <= now() - make_interval(secs => ${operatorRoleSeconds})
      AND (role_asking_until IS NULL OR role_asking_until <= now())
    RETURNING 1`,
}

/**
 * Returns true for the one caller who shall ask the issuer for the role of this session, and false for all others
 * until it has answered: an issuer may take a second use of a refresh token for a theft. A caller that never answers
 * is followed by another one.
 */
export async function takeOperatorRoleQuestion(database: Database, id: string): Promise<boolean> {
  return (await database.query(takeQuestion, [id])).length > 0
}

interface Asked {
  readonly id: string
  readonly name: string
  readonly previousRole: InternalRole
}

const askedSession: Statement = {
  name: 'asked-operator-session',
  text: `
    SELECT id, name, role AS "previousRole" FROM keys.operator_session
    WHERE id = $1 AND ${isOpen} FOR UPDATE`,
}

const keepRole: Statement = {
  name: 'keep-operator-role',
  text: `
    UPDATE keys.operator_session SET role = $2, refresh_token = $3, role_asked_at = now(),
      role_asking_until = NULL
    WHERE id = $1`,
}

const loseRole: Statement = {
  name: 'lose-operator-role',
  text: 'UPDATE keys.operator_session SET ended_at = now(), refresh_token = NULL WHERE id = $1',
}

const leaveQuestion: Statement = {
  name: 'leave-operator-role-question',
  text: 'UPDATE keys.operator_session SET role_asking_until = NULL WHERE id = $1',
}

/**
 * Notes what the issuer has said: a role, which the session has from now on; none, which ends it; or nothing, so that
 * the next request asks again. Returns whether the session is still open. Only a change leaves a line in the audit
 * trail.
 */
export function recordOperatorRole(
  context: GraphContext,
  { id, role = null, refreshToken = null, isAnswered }: OperatorRoleInput,
): Promise<boolean> {
  return context.database.transaction(async (tx) => {
    const [asked] = await tx.query<Asked>(askedSession, [id])
    if (!asked) return false
    if (!isAnswered) {
      await tx.query(leaveQuestion, [id])
      return true
    }
    if (role !== null && !isInternalRole(role)) {
      throw new DomainError('INVALID_REQUEST', 'The role is none of the internal listener.')
    }
    const { name, previousRole } = asked
    if (role === null) await tx.query(loseRole, [id])
    else await tx.query(keepRole, [id, role, refreshToken])
    if (role === previousRole) return true
    const action = role === null ? 'operator.lose_role' : 'operator.update'
    const change: Change<unknown> = { owner: null, action, resourceId: id }
    const caller = operatorOf(context, { id, name, role: role ?? previousRole })
    await recordChange(tx, { caller }, change, { details: { role, previous_role: previousRole } })
    return role !== null
  })
}
