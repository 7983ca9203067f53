import type { PersonRole } from '../../../schema/vocabulary/roles.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import type { Queryable } from '../../shared/database/statement.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import { takesPasskey } from './sign-in-setting.store.ts'

/** A row of members that was not removed. */
export interface Membership {
  readonly id: string
  readonly accountId: string
  /** Null until somebody has accepted the invitation. */
  readonly personId: string | null
  readonly email: string
  readonly name: string | null
  readonly role: PersonRole
  readonly invitedBy: string | null
  /** The member who invited this one; null: a person of a portal, or an operator. */
  readonly inviterId: string | null
  readonly isMailed: boolean
  readonly isConfirmed: boolean
  readonly expiresAt: Date
  readonly joinedAt: Date | null
  readonly createdAt: Date
  /** Whether nobody has accepted the invitation, and somebody still can. */
  readonly isOpen: boolean
  /** The passkeys with which the member can sign in. */
  readonly passkeys: number
}

const columns = `id, account_id AS "accountId", person_id AS "personId", email, name, role, invited_by AS "invitedBy",
  inviter_id AS "inviterId", is_mailed AS "isMailed", confirmed_at IS NOT NULL AS "isConfirmed",
  expires_at AS "expiresAt", joined_at AS "joinedAt", created_at AS "createdAt",
  joined_at IS NULL AND expires_at > now() AS "isOpen",
  CASE WHEN person_id IS NULL THEN 0 ELSE (
    SELECT count(*)::int FROM oauth.passkeys_of(ARRAY[membership.person_id]) p
    CROSS JOIN (SELECT membership.account_id, membership.joined_at) m
    LEFT JOIN oauth.sign_in_setting s ON s.account_id = m.account_id
    WHERE p.disabled_at IS NULL AND ${takesPasskey}
  ) END AS passkeys`

/** The days in which the link of an invitation can be used. */
const invitationDays = 7

const lockMembers: Statement = {
  name: 'lock-members',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('members/' || $1, 0))`,
}

/** All changes of the members of an account take this lock, so that each sees what the one before has done. */
export async function lockMembersOf(tx: Queryable, accountId: string): Promise<void> {
  await tx.query(lockMembers, [accountId])
}

const membersNewestFirst: Statement = {
  name: 'members-newest-first',
  text: `
    SELECT ${columns} FROM oauth.membership
    WHERE account_id = $1 AND removed_at IS NULL AND ($2::text IS NULL OR id < $2)
    ORDER BY id DESC LIMIT $3`,
}

export function listMemberships(
  database: Queryable,
  accountId: string,
  { limit, before }: { readonly limit: number; readonly before: string | null },
): Promise<Membership[]> {
  return database.query<Membership>(membersNewestFirst, [accountId, before, limit])
}

const accountsByAddress: Statement = {
  name: 'accounts-of-member-address',
  text: `
    SELECT account_id AS id FROM oauth.membership WHERE email = $1 AND removed_at IS NULL
    ORDER BY account_id DESC LIMIT 50`,
}

/** The newest accounts with a member or an invitation of this address. */
export function accountsOfAddress(database: Queryable, email: string): Promise<{ id: string }[]> {
  return database.query<{ id: string }>(accountsByAddress, [email])
}

const membershipById: Statement = {
  name: 'membership',
  text: `SELECT ${columns} FROM oauth.membership WHERE id = $1 AND account_id = $2 AND removed_at IS NULL`,
}

export async function findMembership(
  view: Queryable,
  accountId: string,
  id: string,
): Promise<Membership | null> {
  const [found] = await view.query<Membership>(membershipById, [id, accountId])
  return found ?? null
}

const membershipByEmail: Statement = {
  name: 'membership-of-address',
  text: `
    SELECT ${columns} FROM oauth.membership
    WHERE account_id = $1 AND (email = $2 OR person_id = oauth.person_with($2)) AND removed_at IS NULL
    ORDER BY joined_at IS NULL LIMIT 1`,
}

/** The member whose address it is, or the invitation. A member may be shown with an address of before. */
export async function findMembershipOf(
  view: Queryable,
  accountId: string,
  email: string,
): Promise<Membership | null> {
  const [found] = await view.query<Membership>(membershipByEmail, [accountId, email])
  return found ?? null
}

const membershipByInvitation: Statement = {
  name: 'membership-of-invitation',
  text: `SELECT ${columns} FROM oauth.membership WHERE invitation_id = $1 AND removed_at IS NULL`,
}

/** Null also for an invitation that a later one has replaced. The caller sees all accounts. */
export async function findInvited(
  view: Queryable,
  invitationId: string,
): Promise<Membership | null> {
  const [found] = await view.query<Membership>(membershipByInvitation, [invitationId])
  return found ?? null
}

const countMembers: Statement = {
  name: 'count-members',
  text: `
    SELECT count(*) FILTER (WHERE joined_at IS NULL AND expires_at > now())::int AS open,
      count(*) FILTER (WHERE joined_at IS NOT NULL AND role = 'OWNER')::int AS owners
    FROM oauth.membership WHERE account_id = $1 AND removed_at IS NULL`,
}

interface MemberCounts {
  /** Invitations that somebody can still accept. */
  readonly open: number
  /** Members who have joined as OWNER. */
  readonly owners: number
}

export async function countMemberships(tx: Transaction, accountId: string): Promise<MemberCounts> {
  const [counts] = await tx.query<MemberCounts>(countMembers, [accountId])
  if (!counts) throw new Error('A count returned no row.')
  return counts
}

const insertMembership: Statement = {
  name: 'insert-membership',
  text: `
    INSERT INTO oauth.membership
      (id, account_id, email, role, invited_by, inviter_id, invitation_id, is_mailed, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + interval '${invitationDays} d')
    RETURNING ${columns}`,
}

interface NewMembership
  extends Pick<
    Membership,
    'id' | 'accountId' | 'email' | 'role' | 'invitedBy' | 'inviterId' | 'isMailed'
  > {
  readonly invitationId: string
}

export async function addMembership(tx: Transaction, made: NewMembership): Promise<Membership> {
  const { id, accountId, email, role, invitedBy, inviterId, invitationId, isMailed } = made
  const values = [id, accountId, email, role, invitedBy, inviterId, invitationId, isMailed]
  return one(await tx.query<Membership>(insertMembership, values))
}

const renewInvitation: Statement = {
  name: 'renew-invitation',
  text: `
    UPDATE oauth.membership SET invitation_id = $3, is_mailed = $4, invited_by = $5, inviter_id = $6,
      expires_at = now() + interval '${invitationDays} d'
    WHERE id = $1 AND account_id = $2 RETURNING ${columns}`,
}

/** Makes the earlier link void: the invitation is that of who sends it again. */
export async function renewMembership(
  tx: Transaction,
  renewed: Omit<NewMembership, 'email' | 'role'>,
): Promise<Membership> {
  const { id, accountId, invitedBy, inviterId, invitationId, isMailed } = renewed
  const values = [id, accountId, invitationId, isMailed, invitedBy, inviterId]
  return one(await tx.query<Membership>(renewInvitation, values))
}

const joinMembership: Statement = {
  name: 'join-membership',
  text: `
    UPDATE oauth.membership SET joined_at = now(), invitation_id = NULL,
      confirmed_at = CASE WHEN is_mailed THEN now() END,
      person_id = oauth.person_of($3, CASE WHEN is_mailed THEN email END)
    WHERE id = $1 AND account_id = $2 RETURNING ${columns}`,
}

/**
 * The person of the address becomes the member, if a mail to it has brought the link; else a new one with the id
 * `personId`, so that nobody gets at what the person of that address has elsewhere.
 */
export async function joinAsMember(
  tx: Queryable,
  { id, accountId }: Membership,
  personId: string,
): Promise<Membership> {
  return one(await tx.query<Membership>(joinMembership, [id, accountId, personId]))
}

const changeRole: Statement = {
  name: 'change-role-of-member',
  text: `
    UPDATE oauth.membership SET role = $3,
      invited_by = CASE WHEN joined_at IS NULL THEN $4 ELSE invited_by END,
      inviter_id = CASE WHEN joined_at IS NULL THEN $5 ELSE inviter_id END,
      -- A link that was shown is known to whoever invited with the former role.
      invitation_id = CASE WHEN joined_at IS NULL AND NOT is_mailed THEN NULL ELSE invitation_id END
    WHERE id = $1 AND account_id = $2 RETURNING ${columns}`,
  parameters: ['text', 'text', 'text', 'text', 'text'],
}

const changeRoleOfSessions: Statement = {
  name: 'change-role-of-sessions',
  text: `
    UPDATE oauth.session SET role = $3
    WHERE member_id = $1 AND account_id = $2 AND ended_at IS NULL`,
}

/**
 * An open invitation is then that of who changes the role. The sessions follow at once: each request reads the role of
 * the membership. Their rows are for lists.
 */
export async function changeRoleOf(
  tx: Transaction,
  { id, accountId }: Membership,
  role: PersonRole,
  { invitedBy, inviterId }: Pick<Membership, 'invitedBy' | 'inviterId'>,
): Promise<Membership> {
  const values = [id, accountId, role, invitedBy, inviterId]
  const changed = one(await tx.query<Membership>(changeRole, values))
  await tx.query(changeRoleOfSessions, [id, accountId, role])
  return changed
}

const renameMember: Statement = {
  name: 'rename-member',
  text: `UPDATE oauth.membership SET name = $3 WHERE id = $1 AND account_id = $2 RETURNING ${columns}`,
}

export async function renameMembership(
  tx: Transaction,
  { id, accountId }: Membership,
  name: string | null,
): Promise<Membership> {
  return one(await tx.query<Membership>(renameMember, [id, accountId, name]))
}

const removeMembers: Statement = {
  name: 'remove-members',
  text: `
    UPDATE oauth.membership SET removed_at = now(), invitation_id = NULL
    WHERE account_id = $1 AND id = ANY ($2::text[]) AND removed_at IS NULL`,
}

/** Removes members and invitations; what waits to be mailed to them is dropped by the account subgraph. */
export async function removeMemberships(
  tx: Transaction,
  accountId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  await tx.query(removeMembers, [accountId, ids])
  await enqueueJob(tx, 'RemoveInvitationMails', { accountId, memberIds: ids })
}

const openInvitationsBy: Statement = {
  name: 'open-invitations-by-member',
  text: `
    SELECT id, role FROM oauth.membership
    WHERE account_id = $1 AND inviter_id = $2 AND joined_at IS NULL AND removed_at IS NULL`,
}

export function invitationsBy(
  tx: Transaction,
  { id, accountId }: Membership,
): Promise<Pick<Membership, 'id' | 'role'>[]> {
  return tx.query<Pick<Membership, 'id' | 'role'>>(openInvitationsBy, [accountId, id])
}

const openSessionsOfMember: Statement = {
  name: 'open-sessions-of-member',
  text: `SELECT id FROM oauth.session WHERE account_id = $1 AND member_id = $2 AND ended_at IS NULL`,
}

export async function sessionsOfMember(
  tx: Transaction,
  { id, accountId }: Membership,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(openSessionsOfMember, [accountId, id])
  return rows.map((row) => row.id)
}

function one(rows: readonly Membership[]): Membership {
  const [row] = rows
  if (!row) throw new Error('A membership that was locked is gone.')
  return row
}
