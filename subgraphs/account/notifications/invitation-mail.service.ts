import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Statement } from '../../shared/database/database.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import type { InvitationMailInput } from './invitation-mail.type.ts'
import { dropWaitingMails, mailChannel } from './mail-outbox.service.ts'
import { countInvitation } from './notification-limits.service.ts'

/** A job may run twice: the table refuses a second mail about one invitation. */
const queueInvitation: Statement = {
  name: 'mail-queue-invitation',
  text: `
    WITH queued AS (
      INSERT INTO account.mail
        (id, account_id, address_id, address, template, message_id, data, happened_at)
      VALUES ($1, $2, $3, $4, 'invitation', $5, $6::jsonb, now())
      ON CONFLICT (message_id, address_id) DO NOTHING
      RETURNING 1
    )
    SELECT pg_notify('${mailChannel}', '') FROM queued`,
}

/**
 * Writes the mail of an invitation, unless it was removed or replaced meanwhile, the address has had too many within a
 * day, from whatever account, or the account has sent too many. Mails that wait with a link of before are dropped.
 */
export async function mailInvitation(
  { database, gatewaySecret, isInvitationOpen }: AccountContext,
  { accountId, memberId, invitationId, email, ...rest }: InvitationMailInput,
): Promise<boolean> {
  const { role, invitedBy = null, expiresAt } = rest
  const data = { role, invited_by: invitedBy, expires_at: expiresAt.toISOString() }
  // A link of before must not take the place of the newest, either.
  if (!((await isInvitationOpen?.(invitationId)) ?? true)) return true
  await database.as(accountId).transaction(async (tx) => {
    await dropWaitingMails(tx, accountId, [memberId])
    const sent = { accountId, address: email, invitationId }
    if (!(await countInvitation(tx, gatewaySecret, sent))) return
    const values = [newId('mail'), accountId, memberId, email, invitationId, JSON.stringify(data)]
    await tx.query(queueInvitation, values)
  })
  return true
}

/** Deletes the mails that wait for people whose invitations were removed. */
export async function removeInvitationMails(
  { database }: AccountContext,
  accountId: string,
  memberIds: readonly string[],
): Promise<boolean> {
  await database.as(accountId).transaction((tx) => dropWaitingMails(tx, accountId, memberIds))
  return true
}
