import type { Statement } from '../../shared/database/database.ts'
import type { Queryable } from '../../shared/database/statement.ts'

/** The hours in which the link of a mail confirms an address. */
const changeHours = 24

const keep: Statement = {
  name: 'address-change-keep',
  text: `
    INSERT INTO oauth.address_change (id, account_id, member_id, email, expires_at)
    VALUES ($1, $2, $3, $4, now() + interval '${changeHours} h')
    ON CONFLICT (account_id, member_id) DO UPDATE SET
      id = excluded.id, email = excluded.email, expires_at = excluded.expires_at`,
}

interface NewChange {
  readonly id: string
  readonly accountId: string
  readonly memberId: string
  readonly email: string
}

/** The link of before is void. */
export async function keepChange(
  tx: Queryable,
  { id, accountId, memberId, email }: NewChange,
): Promise<void> {
  await tx.query(keep, [id, accountId, memberId, email])
}

const openChange: Statement = {
  name: 'address-change',
  text: `
    SELECT c.account_id AS "accountId", c.member_id AS "memberId", c.email, m.email AS "oldEmail",
      m.person_id AS "personId", m.confirmed_at IS NOT NULL AS "isConfirmed",
      oauth.person_with(c.email) AS "holderId"
    FROM oauth.address_change c JOIN oauth.membership m ON m.id = c.member_id
    WHERE c.id = $1 AND c.expires_at > now() AND m.removed_at IS NULL AND m.person_id IS NOT NULL`,
}

export interface AddressChange {
  readonly accountId: string
  readonly memberId: string
  /** The address to confirm. */
  readonly email: string
  readonly oldEmail: string
  readonly personId: string
  /** Whether a mail has reached the old address. */
  readonly isConfirmed: boolean
  /** Whose the address to confirm is now; null: nobody's. */
  readonly holderId: string | null
}

/** Null for a change that was used, replaced or has expired. The view sees all accounts. */
export async function findChange(view: Queryable, id: string): Promise<AddressChange | null> {
  const [found] = await view.query<AddressChange>(openChange, [id])
  return found ?? null
}

const dropChange: Statement = {
  name: 'address-change-drop',
  text: 'DELETE FROM oauth.address_change WHERE id = $1',
}

export async function dropChangeOf(tx: Queryable, id: string): Promise<void> {
  await tx.query(dropChange, [id])
}

const readdressOne: Statement = {
  name: 'readdress-person',
  text: 'SELECT oauth.readdress_person($1, $2) AS "isDone"',
}

/** Gives a person the address. False: somebody else has got it meanwhile. */
export async function readdressPerson(
  tx: Queryable,
  personId: string,
  email: string,
): Promise<boolean> {
  const [row] = await tx.query<{ isDone: boolean }>(readdressOne, [personId, email])
  return row?.isDone ?? false
}

export interface MovedMember {
  readonly id: string
  readonly accountId: string
}

const invitations: Statement = {
  name: 'invitations-of-address',
  text: `
    SELECT id, account_id AS "accountId" FROM oauth.membership
    WHERE email = $1 AND account_id = ANY ($2::text[]) AND joined_at IS NULL AND removed_at IS NULL`,
}

/** The invitations of an address to these accounts, also such that have expired. */
export function invitationsTo(
  tx: Queryable,
  email: string,
  accountIds: readonly string[],
): Promise<MovedMember[]> {
  return tx.query<MovedMember>(invitations, [email, accountIds])
}

const readdress: Statement = {
  name: 'readdress-members',
  text: `
    UPDATE oauth.membership m SET email = $1, confirmed_at = coalesce(confirmed_at, now()), person_id = $2
    WHERE id = ANY ($3::text[]) AND removed_at IS NULL AND NOT EXISTS (
      SELECT FROM oauth.membership o
      WHERE o.account_id = m.account_id AND o.email = $1 AND o.removed_at IS NULL AND o.id <> m.id)
    RETURNING id, account_id AS "accountId"`,
}

const readdressSessions: Statement = {
  name: 'readdress-sessions',
  text: `UPDATE oauth.session SET actor = $1 WHERE member_id = ANY ($2::text[]) AND ended_at IS NULL`,
}

/**
 * The members are this person's and have the address from now on, as their sessions do. Returns them; where the account
 * has another member of this address, nothing changes.
 */
export async function readdressMembers(
  tx: Queryable,
  { email, personId }: { readonly email: string; readonly personId: string },
  memberIds: readonly string[],
): Promise<MovedMember[]> {
  const moved = await tx.query<MovedMember>(readdress, [email, personId, memberIds])
  await tx.query(readdressSessions, [email, moved.map(({ id }) => id)])
  return moved
}

const endProofs: Statement = {
  name: 'end-proofs-of-member',
  text: `
    UPDATE oauth.session SET proven_at = auth_time - interval '1 ms'
    WHERE member_id = $1 AND ended_at IS NULL`,
}

/** The sessions of the member are no proof any more, until something proves them anew. */
export async function endProofsOf(tx: Queryable, memberId: string): Promise<void> {
  await tx.query(endProofs, [memberId])
}

const endSignIns: Statement = {
  name: 'mail-sign-ins-end',
  text: `
    UPDATE oauth.mail_sign_in SET expires_at = now()
    WHERE person_id = $1 AND used_at IS NULL AND expires_at > now()`,
}

/** Mails that the old address has got sign nobody in any more. */
export async function endSignInsOf(tx: Queryable, personId: string): Promise<void> {
  await tx.query(endSignIns, [personId])
}
