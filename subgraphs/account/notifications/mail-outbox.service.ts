import { newId } from '../../../schema/vocabulary/ids.ts'
import { isUrgent, notificationKindOf } from '../../../schema/vocabulary/notification-kinds.ts'
import type { NewEvent } from '../../shared/changes/events.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'

/** The channel on which dispatchers learn that a mail may be due. */
export const mailChannel = 'gateway_mails'

/** The receiver of a mail. */
export interface MailAddress {
  readonly id: string
  readonly address: string
}

/**
 * Mails without an event: one asks a new address to confirm, the other tells an address that it was
 * removed.
 */
export type AddressMail = 'confirmation' | 'removal'

const receiversOf: Statement = {
  name: 'notification-addresses-of-event',
  text: `SELECT a.id, a.address FROM account.notification_setting s
    JOIN account.notification_address a ON a.account_id = s.account_id
    WHERE s.account_id = $1 AND $2 = ANY (s.kinds) AND a.confirmed_at IS NOT NULL
    ORDER BY a.id`,
}

/**
 * The number of mails about events that an address gets within an hour; a digest tells of all
 * further events.
 */
const maxMailsAnHour = 10
/** How long a digest waits for further events. */
export const digestMinutes = 10

/**
 * Writes a mail for every confirmed address of the account that subscribes to such events, in the
 * transaction that stores the event. Above the limit of an hour the event joins the digest of the address,
 * unless somebody has to act on it. Events of the sandbox cause no mail.
 */
export async function queueEventMails(tx: Transaction, event: NewEvent): Promise<void> {
  const { id, accountId, environment, type, data, createdAt } = event
  const kind = notificationKindOf(type)
  if (kind === null || environment === 'sandbox') return
  const receivers = await tx.query<MailAddress>(receiversOf, [accountId, kind])
  if (receivers.length === 0) return
  await tx.query(queueOrDigest, [
    ...[accountId, type, JSON.stringify(data), createdAt, id],
    ...[receivers.map(() => newId('mail')), receivers.map(() => newId('mail'))],
    ...[receivers.map((one) => one.id), receivers.map(({ address }) => address)],
    isUrgent(kind),
  ])
}

/**
 * Whoever adds an event to a digest locks it, in the order of the addresses, and whoever sends a digest raises
 * its lease. So no event joins a digest whose text is written already.
 */
const queueOrDigest: Statement = {
  name: 'mails-queue-or-digest',
  text: `
    WITH receiver AS (
      SELECT one.*, NOT $10::bool AND ${maxMailsAnHour} <= (
        SELECT count(*) FROM account.mail m
        WHERE m.address_id = one.address_id AND m.created_at > now() - interval '1 h'
          AND m.digest_id IS NULL AND m.message_id <> m.id
      ) AS has_many
      FROM unnest($6::text[], $7::text[], $8::text[], $9::text[])
        AS one (id, digest_id, address_id, address)
    ), digest AS (
      INSERT INTO account.mail AS m
        (id, account_id, address_id, address, template, message_id, data, happened_at, due_at)
      SELECT digest_id, $1, address_id, address, 'digest', digest_id, '{}', $4::timestamptz,
        now() + interval '${digestMinutes} min'
      FROM receiver WHERE has_many ORDER BY address_id
      ON CONFLICT (account_id, address_id) WHERE template = 'digest' AND lease = 0 AND due_at IS NOT NULL
        DO UPDATE SET due_at = m.due_at
      RETURNING m.id, m.address_id
    ), queued AS (
      INSERT INTO account.mail
        (id, account_id, address_id, address, template, message_id, data, happened_at, due_at, digest_id)
      SELECT r.id, $1, r.address_id, r.address, $2, $5, $3::jsonb, $4::timestamptz,
        CASE WHEN d.id IS NULL THEN now() END, d.id
      FROM receiver r LEFT JOIN digest d ON d.address_id = r.address_id
      RETURNING 1
    )
    SELECT pg_notify('${mailChannel}', '') FROM queued LIMIT 1`,
}

/** Writes one mail to each of these addresses. */
export async function queueAddressMails(
  tx: Transaction,
  accountId: string,
  template: AddressMail,
  receivers: readonly MailAddress[],
): Promise<void> {
  if (receivers.length === 0) return
  await tx.query(queueMails, [
    ...[accountId, template, receivers.map(() => newId('mail'))],
    ...[receivers.map(({ id }) => id), receivers.map(({ address }) => address)],
  ])
}

const queueMails: Statement = {
  name: 'mails-queue',
  text: `
    WITH queued AS (
      INSERT INTO account.mail
        (id, account_id, address_id, address, template, message_id, data, happened_at)
      SELECT one.id, $1, one.address_id, one.address, $2, one.id, '{}', now()
      FROM unnest($3::text[], $4::text[], $5::text[]) AS one (id, address_id, address)
      RETURNING 1
    )
    SELECT pg_notify('${mailChannel}', '') FROM queued LIMIT 1`,
}

const dropWaiting: Statement = {
  name: 'mails-drop-waiting',
  text: `DELETE FROM account.mail
    WHERE account_id = $1 AND address_id = ANY ($2::text[]) AND due_at IS NOT NULL`,
}

/** Deletes the waiting mails to removed addresses. */
export async function dropWaitingMails(
  tx: Transaction,
  accountId: string,
  addressIds: readonly string[],
): Promise<void> {
  if (addressIds.length > 0) await tx.query(dropWaiting, [accountId, addressIds])
}
