import { type InternalRole, internalRoles } from '../../../schema/credentials/caller.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { operatorLinkSeconds } from '../../../schema/vocabulary/operators.ts'
import { makeChange } from '../../shared/changes/change.ts'
import type { Queryable, Statement } from '../../shared/database/statement.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { CreatedOperatorLink } from './operator.type.ts'

/**
 * Makes a link that signs an operator in, once. Throws FORBIDDEN unless the command line asks: a token of a
 * program would otherwise live on as a person.
 */
export function createOperatorLink(
  context: GraphContext,
  { name, role }: { readonly name: string; readonly role: string },
): Promise<CreatedOperatorLink> {
  const id = newId('olk')
  const token = newOAuthSecret(context.keyPrefix, 'olk')
  const note = ({ expiresAt }: CreatedOperatorLink) => ({
    details: { name, role, expires_at: expiresAt },
  })
  const change = { owner: null, action: 'operator_link.create', resourceId: id, note }
  return makeChange(context, change, async (tx) => {
    requireCommandLine(context)
    requireAll([
      ['name', isOperatorName(name), 'must have 1 to 100 visible characters'],
      ['role', isInternalRole(role), 'must be a role'],
    ])
    const [stored] = await tx.query<{ expiresAt: Date }>(insertLink, [
      ...[id, sha256(token), name, role, operatorLinkSeconds],
    ])
    if (!stored) throw new Error('A link was not stored.')
    return { id, token, ...stored }
  })
}

/** Throws FORBIDDEN for a token of the internal listener, whatever its role. */
export function requireCommandLine({ caller }: GraphContext): void {
  if (caller.kind === 'internal' && caller.tokenId === 'cli') return
  throw new DomainError('FORBIDDEN', 'Only the command line of the gateway may do this.')
}

/**
 * Readers of the audit trail must see the name: it has no control characters, nothing invisible,
 * and no blank of Braille. It does not look like a token's id or the command line, which stand in the same place.
 */
export function isOperatorName(text: string): boolean {
  return (
    /^[^\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]{1,100}$/u.test(text) &&
    text.trim() === text &&
    text !== 'cli' &&
    !/^(?:tok|ops)_/.test(text)
  )
}

export function isInternalRole(text: string): text is InternalRole {
  return internalRoles.some((role) => role === text)
}

const insertLink: Statement = {
  name: 'insert-operator-link',
  text: `
    INSERT INTO keys.operator_link (id, token_hash, name, role, expires_at)
    VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))
    RETURNING expires_at AS "expiresAt"`,
}

export interface OperatorLinkRow {
  readonly id: string
  readonly name: string
  readonly role: InternalRole
  readonly expiresAt: Date
  /** Whether it was neither used nor expired. */
  readonly isUsable: boolean
}

const columns = 'id, name, role, expires_at AS "expiresAt"'
const isUsable = 'used_at IS NULL AND expires_at > now()'

const linkOfToken: Statement = {
  name: 'operator-link',
  text: `SELECT ${columns}, ${isUsable} AS "isUsable" FROM keys.operator_link WHERE token_hash = $1`,
}

/** Null for a token that belongs to no link. */
export async function findOperatorLink(
  view: Queryable,
  tokenHash: string,
): Promise<OperatorLinkRow | null> {
  const [row] = await view.query<OperatorLinkRow>(linkOfToken, [tokenHash])
  return row ?? null
}

const useUsableLink: Statement = {
  name: 'use-operator-link',
  text: `
    UPDATE keys.operator_link SET used_at = now() WHERE token_hash = $1 AND ${isUsable}
    RETURNING ${columns}, true AS "isUsable"`,
}

/**
 * Uses the link; null if it is not usable. Of several requests at the same time, one gets it: the others wait
 * for its row and find it used.
 */
export async function useOperatorLink(
  tx: Queryable,
  tokenHash: string,
): Promise<OperatorLinkRow | null> {
  const [row] = await tx.query<OperatorLinkRow>(useUsableLink, [tokenHash])
  return row ?? null
}
