import { createHmac } from 'node:crypto'
import { macKey } from '../../../schema/credentials/secrets.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { DomainError } from '../../shared/graph/errors.ts'

/** The number of addresses that an account may add within a day. */
const maxNewADay = 5
const daySeconds = 86_400

const recentlyAdded: Statement = {
  name: 'notification-recently-added',
  text: `
    SELECT count(*)::int AS added,
      ceil(extract(epoch FROM min(at) + interval '1 d' - now()))::int AS "waitSeconds"
    FROM account.notification_setting s, unnest(s.added_at) AS at
    WHERE s.account_id = $1 AND at > now() - interval '1 d'`,
}

const noteAdded: Statement = {
  name: 'notification-note-added',
  text: `
    UPDATE account.notification_setting SET added_at =
      ARRAY(SELECT at FROM unnest(added_at) AS at WHERE at > now() - interval '1 d')
      || array_fill(now()::timestamptz(3), ARRAY[$2::int])
    WHERE account_id = $1`,
}

/**
 * Counts new addresses of an account, whose row of settings the transaction has locked. Throws
 * RATE_LIMIT_EXCEEDED if it would add more than five within a day.
 */
export async function countNewAddresses(
  tx: Transaction,
  accountId: string,
  count: number,
): Promise<void> {
  const [recent] = await tx.query<{ added: number; waitSeconds: number | null }>(recentlyAdded, [
    accountId,
  ])
  if ((recent?.added ?? 0) + count > maxNewADay) {
    const message = `The limit of ${maxNewADay} new addresses for notifications a day is reached.`
    throw tooMany(message, recent?.waitSeconds ?? null)
  }
  await tx.query(noteAdded, [accountId, count])
}

/** The number of accounts that may ask one address to confirm within a day, each once. */
const maxAskersADay = 3

/**
 * Locks addresses one after the other, in the order of their hashes, so that no two accounts wait for each
 * other.
 */
const lockAddresses: Statement = {
  name: 'notification-lock-addresses',
  text: `
    SELECT pg_advisory_xact_lock(hashtextextended(address_hash, 0))
    FROM (SELECT address_hash FROM unnest($1::text[]) AS address_hash ORDER BY 1) ordered`,
}

const requestConfirmations: Statement = {
  name: 'notification-request-confirmations',
  text: `
    INSERT INTO account.confirmation_request AS r (address_hash, asker_hash)
    SELECT one.address_hash, $2 FROM unnest($1::text[]) AS one (address_hash)
    WHERE ${maxAskersADay} > (
      SELECT count(*) FROM account.confirmation_request o
      WHERE o.address_hash = one.address_hash AND o.requested_at > now() - interval '1 d')
    ON CONFLICT (address_hash, asker_hash) DO UPDATE SET requested_at = now()
      WHERE r.requested_at <= now() - interval '1 d'
    RETURNING address_hash AS "addressHash"`,
}

/**
 * Notes which of these addresses the account may ask to confirm now, and returns them. An address that was asked
 * within a day is left out, and no answer says so: an account must not learn who else names an address, and one
 * account alone keeps no other from asking.
 */
export async function countConfirmations<Asked extends { readonly address: string }>(
  tx: Transaction,
  gatewaySecret: string,
  accountId: string,
  addresses: readonly Asked[],
): Promise<Asked[]> {
  if (addresses.length === 0) return []
  const hashOf = (text: string) => addressHash(gatewaySecret, text)
  const hashes = addresses.map(({ address }) => hashOf(address.toLowerCase()))
  await tx.query(lockAddresses, [hashes])
  const values = [hashes, hashOf(accountId)]
  const rows = await tx.query<{ addressHash: string }>(requestConfirmations, values)
  const asked = new Set(rows.map(({ addressHash }) => addressHash))
  return addresses.filter((_, index) => asked.has(hashes[index] ?? ''))
}

/** The number of invitations that are mailed to one address within a day, whoever invites. */
const maxInvitationsADay = 3
/** The number of invitations that are mailed for one account within a day, to whomever. */
const maxSentADay = 50

const requestInvitation: Statement = {
  name: 'notification-request-invitation',
  text: `
    INSERT INTO account.invitation_request (invitation_id, address_hash, sender_hash)
    SELECT $1, $2, $3 WHERE ${maxInvitationsADay} > (
      SELECT count(*) FROM account.invitation_request o
      WHERE o.address_hash = $2 AND o.requested_at > now() - interval '1 d')
    AND ${maxSentADay} > (
      SELECT count(*) FROM account.invitation_request o
      WHERE o.sender_hash = $3 AND o.requested_at > now() - interval '1 d')
    ON CONFLICT (invitation_id) DO NOTHING RETURNING 1`,
  parameters: ['text', 'text', 'text'],
}

interface SentInvitation {
  readonly accountId: string
  readonly address: string
  readonly invitationId: string
}

/**
 * Notes an invitation that is to be mailed; false: the mailbox has had too many within a day, or the account has sent
 * too many.
 */
export async function countInvitation(
  tx: Transaction,
  gatewaySecret: string,
  { accountId, address, invitationId }: SentInvitation,
): Promise<boolean> {
  const hashes = [mailboxOf(address), accountId].map((text) => addressHash(gatewaySecret, text))
  await tx.query(lockAddresses, [hashes])
  return (await tx.query(requestInvitation, [invitationId, ...hashes])).length > 0
}

/** The address without its tag: mails to `jane+anything@` all come to `jane@`. */
function mailboxOf(address: string): string {
  return address.toLowerCase().replace(/^([^+@]+)\+[^@]*@/, '$1@')
}

function addressHash(gatewaySecret: string, text: string): string {
  const key = macKey(gatewaySecret, 'notification-address')
  return createHmac('sha256', key).update(text).digest('base64url')
}

function tooMany(message: string, waitSeconds: number | null): DomainError {
  const retryAfterSeconds = Math.min(Math.max(waitSeconds ?? daySeconds, 1), daySeconds)
  return new DomainError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds })
}
