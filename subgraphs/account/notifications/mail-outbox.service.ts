import { newId } from '../../../schema/vocabulary/ids.ts'
import { notificationKindOf } from '../../../schema/vocabulary/notification-kinds.ts'
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
    WHERE s.account_id = $1 AND $2 = ANY (s.kinds) AND a.confirmed_at IS NOT NULL`,
}

/**
 * Writes a mail for every confirmed address of the account that subscribes to such events, in the
 * transaction that stores the event. Events of the sandbox cause no mail.
 */
export async function queueEventMails(tx: Transaction, event: NewEvent): Promise<void> {
  const { id, accountId, environment, type, data, createdAt } = event
  const kind = notificationKindOf(type)
  if (kind === null || environment === 'sandbox') return
  const receivers = await tx.query<MailAddress>(receiversOf, [accountId, kind])
  if (receivers.length === 0) return
  await queue(tx, accountId, receivers, {
    ...{ template: type, data, happenedAt: createdAt },
    messageId: () => id,
  })
}

/** Writes one mail to each of these addresses. */
export async function queueAddressMails(
  tx: Transaction,
  accountId: string,
  template: AddressMail,
  receivers: readonly MailAddress[],
): Promise<void> {
  if (receivers.length === 0) return
  await queue(tx, accountId, receivers, {
    ...{ template, data: {}, happenedAt: new Date().toISOString() },
    messageId: (mailId) => mailId,
  })
}

interface Content {
  readonly template: string
  readonly data: object
  /** ISO 8601. */
  readonly happenedAt: string
  readonly messageId: (mailId: string) => string
}

const queueMails: Statement = {
  name: 'mails-queue',
  text: `
    WITH queued AS (
      INSERT INTO account.mail
        (id, account_id, address_id, address, template, message_id, data, happened_at)
      SELECT one.id, $1, one.address_id, one.address, $2, one.message_id, $3::jsonb, $4::timestamptz
      FROM unnest($5::text[], $6::text[], $7::text[], $8::text[])
        AS one (id, address_id, address, message_id)
      ON CONFLICT (message_id, address_id) DO NOTHING RETURNING 1
    )
    SELECT pg_notify('${mailChannel}', '') FROM queued LIMIT 1`,
}

async function queue(
  tx: Transaction,
  accountId: string,
  receivers: readonly MailAddress[],
  { template, data, happenedAt, messageId }: Content,
): Promise<void> {
  const ids = receivers.map(() => newId('mail'))
  await tx.query(queueMails, [
    ...[accountId, template, JSON.stringify(data), happenedAt, ids],
    ...[receivers.map(({ id }) => id), receivers.map(({ address }) => address)],
    ids.map(messageId),
  ])
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
