import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Statement } from '../../shared/database/database.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { mailChannel } from './mail-outbox.service.ts'
import { countInvitation } from './notification-limits.service.ts'
import type { PeopleMailInput } from './people-mail.type.ts'

/** A job may run twice: the table refuses a second mail with one id to a member. */
const queuePeopleMails: Statement = {
  name: 'mails-queue-people',
  text: `
    WITH queued AS (
      INSERT INTO account.mail
        (id, account_id, address_id, address, template, message_id, data, happened_at)
      SELECT one.id, $1, one.member_id, one.address, $2, $3, $4::jsonb, now()
      FROM unnest($5::text[], $6::text[], $7::text[]) AS one (id, member_id, address)
      ON CONFLICT (message_id, address_id) DO NOTHING
      RETURNING 1
    )
    SELECT pg_notify('${mailChannel}', '') FROM queued LIMIT 1`,
}

/** Writes one mail to each of these members of an account; a mail that counts, to the first alone. */
export async function mailPeople(
  { database, gatewaySecret }: AccountContext,
  { accountId, messageId, template, data, receivers, isCounted = null }: PeopleMailInput,
): Promise<boolean> {
  await database.as(accountId).transaction(async (tx) => {
    const to = isCounted ? receivers.slice(0, 1) : receivers
    for (const { email: address } of isCounted ? to : []) {
      const sent = { accountId, address, invitationId: messageId }
      if (!(await countInvitation(tx, gatewaySecret, sent))) return
    }
    await tx.query(queuePeopleMails, [
      ...[accountId, template, messageId, JSON.stringify(data)],
      ...[to.map(() => newId('mail')), to.map(({ memberId }) => memberId)],
      to.map(({ email }) => email),
    ])
  })
  return true
}
