import type { Database, Statement } from '../../shared/database/database.ts'
import { digestMinutes } from './mail-outbox.service.ts'
import type { MailContent } from './mails/compose-mail.ts'
import type { MailQueue } from './notification.type.ts'

/** A mail that belongs to this dispatcher until its lease ends. */
export interface ClaimedMail extends MailContent {
  readonly id: string
  readonly accountId: string
  /** The number that tells this claim from a later one. */
  readonly lease: number
  /** The number of failed attempts. */
  readonly tries: number
  readonly createdAt: Date
}

/**
 * An address that was removed or unsubscribed meanwhile only gets the mail that says so. Members have no address of
 * notifications: their mails name the member (`mem_…`).
 */
const isWanted = `(m.template = 'removal' OR starts_with(m.address_id, 'mem_') OR EXISTS (
  SELECT FROM account.notification_address a WHERE a.id = m.address_id
    AND (a.confirmed_at IS NULL) = (m.template = 'confirmation')))`

/** The number of due mails that are looked at one by one. */
const maxLookedThrough = 1000
/** If the due mails are of fewer accounts than this, an index leads from account to account. */
const manyAccounts = 50

/**
 * Takes one mail of each account: first of those with the fewest mails on their way, then of those
 * that have waited for longest. So the accounts take turns, however many mails one of them has.
 */
const claimDue: Statement = {
  name: 'mails-claim',
  text: `
    WITH RECURSIVE first_due AS MATERIALIZED (
      SELECT account_id, due_at FROM account.mail
      WHERE due_at <= now() ORDER BY due_at LIMIT ${maxLookedThrough}
    ), skipped_through AS (
      (SELECT account_id, due_at FROM account.mail
       WHERE due_at IS NOT NULL AND (
         SELECT count(*) = ${maxLookedThrough} AND count(DISTINCT account_id) < ${manyAccounts}
         FROM first_due)
       ORDER BY account_id, due_at LIMIT 1)
      UNION ALL
      SELECT next.account_id, next.due_at FROM skipped_through s CROSS JOIN LATERAL (
        SELECT m.account_id, m.due_at FROM account.mail m
        WHERE m.due_at IS NOT NULL AND m.account_id > s.account_id
        ORDER BY m.account_id, m.due_at LIMIT 1
      ) next
    ), waiting AS (
      SELECT account_id, min(due_at) AS due_at,
        coalesce((($3::jsonb) ->> account_id)::int, 0) AS running
      FROM (TABLE first_due UNION ALL TABLE skipped_through) either GROUP BY account_id
    ), chosen AS (
      SELECT one.id FROM (
        SELECT account_id FROM waiting w WHERE due_at <= now() AND running < $4::int
          AND EXISTS (SELECT FROM account.mail m
            WHERE m.account_id = w.account_id AND m.due_at <= now() AND ${isWanted})
        ORDER BY running, due_at LIMIT $1
      ) turn CROSS JOIN LATERAL (
        SELECT m.id FROM account.mail m
        WHERE m.account_id = turn.account_id AND m.due_at <= now() AND ${isWanted}
        ORDER BY m.due_at LIMIT 1 FOR UPDATE OF m SKIP LOCKED
      ) one
    ), claimed AS (
      UPDATE account.mail m SET lease = m.lease + 1, due_at = now() + make_interval(secs => $2)
      FROM chosen c WHERE m.id = c.id RETURNING m.*
    )
    SELECT m.id, m.lease, m.tries, m.account_id AS "accountId", m.address_id AS "addressId",
      m.address, m.template, m.message_id AS "messageId", m.data, m.happened_at AS "happenedAt",
      m.created_at AS "createdAt", a.name AS "accountName"
    FROM claimed m JOIN account.account a ON a.id = m.account_id`,
}

/** The free places of a dispatcher. */
interface MailRoom {
  readonly places: number
  /** How many mails of each account are on their way. */
  readonly running: ReadonlyMap<string, number>
  readonly maxOfOne: number
  readonly leaseSeconds: number
}

/**
 * Counts the events of digests by type. Only a statement after the claim sees every event that has joined: the
 * claim waits for nobody, and one may have joined after it began.
 */
const eventsOfDigests: Statement = {
  name: 'mails-events-of-digests',
  text: `
    SELECT digest_id AS "digestId", jsonb_object_agg(template, events) AS events
    FROM (
      SELECT digest_id, template, count(*) AS events FROM account.mail
      WHERE digest_id = ANY ($1::text[]) GROUP BY digest_id, template
    ) of_type GROUP BY digest_id`,
}

/** Claims due mails for the free places. No other dispatcher has them until the lease ends. */
export async function claimMails(
  database: Database,
  { places, running, maxOfOne, leaseSeconds }: MailRoom,
): Promise<ClaimedMail[]> {
  const counts = JSON.stringify(Object.fromEntries(running))
  const values = [places, leaseSeconds, counts, maxOfOne]
  const claimed = await database.query<ClaimedMail>(claimDue, values)
  const digestIds = claimed.filter(({ template }) => template === 'digest').map(({ id }) => id)
  if (digestIds.length === 0) return claimed
  const digests = await database.query<{ digestId: string; events: object }>(eventsOfDigests, [
    digestIds,
  ])
  const events = new Map(digests.map((digest) => [digest.digestId, digest.events]))
  return claimed.map((mail) =>
    mail.template === 'digest' ? { ...mail, data: { events: events.get(mail.id) ?? {} } } : mail,
  )
}

const recordSent: Statement = {
  name: 'mail-record-sent',
  text: `UPDATE account.mail SET due_at = NULL, sent_at = now()
    WHERE id = $1 AND lease = $2 AND due_at IS NOT NULL`,
}

/** Records that a mail server has taken the mail, so that no dispatcher claims it again. */
export async function recordSentMail(
  database: Database,
  { id, lease }: ClaimedMail,
): Promise<void> {
  await database.query(recordSent, [id, lease])
}

const recordFailed: Statement = {
  name: 'mail-record-failed',
  text: `
    UPDATE account.mail SET tries = tries + 1,
      -- A link that has ended is of no use.
      due_at = CASE WHEN created_at > now() - (CASE WHEN template IN ('sign_in', 'sign_in_link')
          THEN interval '15 min' ELSE interval '3 d' END)
        THEN now() + make_interval(secs => $3) END
    WHERE id = $1 AND lease = $2 AND due_at IS NOT NULL RETURNING due_at IS NULL AS "isGivenUp"`,
}

/** Makes a mail due again after the pause, or gives it up after three days, and a link to sign in after 15 minutes; returns whether it did. */
export async function recordFailedMail(
  database: Database,
  { id, lease }: ClaimedMail,
  pauseSeconds: number,
): Promise<boolean> {
  const values = [id, lease, pauseSeconds]
  const [failed] = await database.query<{ isGivenUp: boolean }>(recordFailed, values)
  return failed?.isGivenUp ?? false
}

const releaseLease: Statement = {
  name: 'mail-release',
  text: `UPDATE account.mail SET due_at = now() WHERE id = $1 AND lease = $2 AND due_at IS NOT NULL`,
}

/** Makes a mail that was not tried due at once. */
export async function releaseMail(database: Database, { id, lease }: ClaimedMail): Promise<void> {
  await database.query(releaseLease, [id, lease])
}

const queueOfAll: Statement = {
  name: 'mail-queue',
  text: `
    SELECT count(*)::int AS waiting,
      coalesce(extract(epoch FROM now() - min(m.created_at + CASE WHEN m.template = 'digest'
        THEN interval '${digestMinutes} min' ELSE interval '0' END)), 0)::float8 AS "oldestSeconds"
    FROM account.mail m WHERE m.due_at IS NOT NULL
      AND NOT (m.template = 'digest' AND m.lease = 0 AND m.due_at > now())`,
}

/** Counts the mails of all accounts that no mail server has taken yet, but for digests that are not due. */
export async function mailQueueOf(database: Database): Promise<MailQueue> {
  const [row] = await database.query<MailQueue>(queueOfAll, [])
  if (!row) throw new Error('A count returned no row.')
  return row
}

/**
 * A mail is tried for three days at most. After that it is kept, so that operators can answer
 * questions about it.
 */
const forgetOldMails: Statement = {
  name: 'mails-forget',
  text: `
    DELETE FROM account.mail WHERE id = ANY (ARRAY(
      SELECT id FROM account.mail WHERE created_at <= now() - interval '30 d'
      ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED
    )) RETURNING 1`,
}

const forgetExpiredAddresses: Statement = {
  name: 'notification-addresses-forget',
  text: `
    DELETE FROM account.notification_address WHERE id = ANY (ARRAY(
      SELECT id FROM account.notification_address WHERE expires_at <= now()
      ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
    )) RETURNING 1`,
}

const forgetConfirmationRequests: Statement = {
  name: 'notification-requests-forget',
  text: `
    WITH old AS MATERIALIZED (
      SELECT address_hash, asker_hash FROM account.confirmation_request
      WHERE requested_at <= now() - interval '1 d'
      ORDER BY requested_at LIMIT $1 FOR UPDATE SKIP LOCKED
    )
    DELETE FROM account.confirmation_request r USING old
    WHERE r.address_hash = old.address_hash AND r.asker_hash = old.asker_hash RETURNING 1`,
}

const forgetInvitationRequests: Statement = {
  name: 'invitation-requests-forget',
  text: `
    DELETE FROM account.invitation_request WHERE invitation_id = ANY (ARRAY(
      SELECT invitation_id FROM account.invitation_request WHERE requested_at <= now() - interval '1 d'
      ORDER BY requested_at LIMIT $1 FOR UPDATE SKIP LOCKED
    )) RETURNING 1`,
}

/** The statements that delete old mails; see `forgetEach`. */
export const mailForgetting: readonly Statement[] = [
  forgetOldMails,
  forgetExpiredAddresses,
  forgetConfirmationRequests,
  forgetInvitationRequests,
]
