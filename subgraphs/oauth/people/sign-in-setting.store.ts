import type { PersonRole } from '../../../schema/vocabulary/roles.ts'
import type { Statement } from '../../shared/database/database.ts'
import type { Queryable } from '../../shared/database/statement.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { rpIdOf } from '../passkeys/relying-party.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'

const read: Statement = {
  name: 'sign-in-setting',
  text: 'SELECT passkey_only AS "passkeyOnly" FROM oauth.sign_in_setting WHERE account_id = $1',
}

export async function readPasskeyOnly(view: Queryable, accountId: string): Promise<boolean> {
  const [found] = await view.query<{ passkeyOnly: boolean }>(read, [accountId])
  return found?.passkeyOnly ?? false
}

const write: Statement = {
  name: 'set-sign-in-setting',
  text: `
    INSERT INTO oauth.sign_in_setting (account_id, passkey_only) VALUES ($1, $2)
    ON CONFLICT (account_id) DO UPDATE
      SET passkey_only = excluded.passkey_only, changed_at = excluded.changed_at
      WHERE sign_in_setting.passkey_only <> excluded.passkey_only`,
}

export async function setPasskeyOnly(
  tx: Queryable,
  accountId: string,
  passkeyOnly: boolean,
): Promise<void> {
  await tx.query(write, [accountId, passkeyOnly])
}

/**
 * Whether an account takes a passkey `p` from its member `m`, by its setting `s`. Whoever has the mailbox of a person
 * without passkeys can add one in another account. So an account that takes passkeys alone takes none for which a mail
 * has vouched elsewhere, unless its own mails could have vouched for that one too: it stood before the account stopped
 * taking mails, or before the member accepted the invitation.
 */
export const takesPasskey = `(s.passkey_only IS NOT TRUE OR p.vouched_in = m.account_id
  OR p.vouched_at <= greatest(m.joined_at, s.changed_at))`

/** Two OWNERs with a passkey, or one with two: the loss of one passkey locks nobody out. */
const withoutOwners: Statement = {
  name: 'passkey-only-accounts-without-owners',
  text: `
    SELECT s.account_id AS "accountId" FROM oauth.sign_in_setting s
    WHERE s.account_id = ANY ($1::text[]) AND s.passkey_only AND NOT coalesce((
      SELECT count(*) FILTER (WHERE owner.usable > 0) > 1 OR max(owner.usable) > 1 FROM (
        SELECT count(p.id) AS usable FROM oauth.membership m
        LEFT JOIN LATERAL oauth.passkeys_of(ARRAY[m.person_id]) p
          ON p.disabled_at IS NULL AND p.rp_id = $2 AND ${takesPasskey}
        WHERE m.account_id = s.account_id AND m.role = 'OWNER' AND m.joined_at IS NOT NULL
          AND m.removed_at IS NULL
        GROUP BY m.id
      ) owner
    ), false)`,
}

/** Those of the accounts that take passkeys alone, and have too few OWNERs who have some. */
export async function accountsWithoutOwners(
  tx: Queryable,
  context: Pick<OAuthContext, 'oauth'>,
  accountIds: readonly string[],
): Promise<string[]> {
  const values = [accountIds, rpIdOf(context) ?? '']
  const rows = await tx.query<{ accountId: string }>(withoutOwners, values)
  return rows.map(({ accountId }) => accountId)
}

/** Throws CONFLICT if a change has left too few OWNERs with passkeys to an account that takes nothing else. */
export async function requireOwnersWithPasskeys(
  tx: Queryable,
  context: Pick<OAuthContext, 'oauth'>,
  accountIds: readonly string[],
): Promise<void> {
  if ((await accountsWithoutOwners(tx, context, accountIds)).length === 0) return
  const message =
    'Sign-in by passkey alone needs two OWNERs with a passkey, or one OWNER with two. Add one, or turn it off first.'
  throw new DomainError('CONFLICT', message)
}

/**
 * Throws CONFLICT if a change of this member has taken an OWNER with passkeys from an account that has too few now. What
 * takes none goes on also where there are too few already, because a passkey was disabled.
 */
export async function requirePasskeysWithout(
  tx: Queryable,
  context: Pick<OAuthContext, 'oauth'>,
  { accountId, role, joinedAt, passkeys }: MemberBefore,
): Promise<void> {
  if (role !== 'OWNER' || !joinedAt || passkeys === 0) return
  await requireOwnersWithPasskeys(tx, context, [accountId])
}

/** A member as before a change. */
interface MemberBefore {
  readonly accountId: string
  readonly role: PersonRole
  readonly joinedAt: Date | null
  readonly passkeys: number
}
