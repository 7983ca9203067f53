import { makeChange } from '../../shared/changes/change.ts'
import type { Statement } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { dropWaitingMails } from './mail-outbox.service.ts'
import { addressOfToken, type LinkPurpose } from './mails/notification-link.ts'
import type { NotificationLink } from './notification.type.ts'
import { requireNotifications } from './notification-settings.service.ts'

interface LinkedAddress {
  readonly accountId: string
  readonly address: string
  readonly isConfirmed: boolean
}

const linkedAddress: Statement = {
  name: 'notification-linked-address',
  text: `SELECT account_id AS "accountId", address, confirmed_at IS NOT NULL AS "isConfirmed"
    FROM account.notification_address WHERE id = $1 AND (expires_at > now()) IS NOT FALSE`,
}

/**
 * The address that a link is about. The link is the permission. A link that we did not sign gets
 * NOT_FOUND.
 */
async function follow(
  context: AccountContext,
  purpose: LinkPurpose,
  token: string,
): Promise<{ readonly id: string; readonly found: LinkedAddress | undefined }> {
  requireNotifications(context, context.caller)
  const id = addressOfToken(context.gatewaySecret, purpose, token)
  if (id === null) throw noSuchLink()
  const [found] = await context.database.as(allTenants).query<LinkedAddress>(linkedAddress, [id])
  return { id, found }
}

function noSuchLink(): DomainError {
  return new DomainError('NOT_FOUND', 'This link is invalid or no longer works.')
}

/**
 * The address and account that a confirmation would connect. Throws NOT_FOUND for a link that has
 * expired.
 */
export async function confirmationOf(
  context: AccountContext,
  token: string,
): Promise<NotificationLink> {
  const { found } = await follow(context, 'confirm', token)
  if (!found) throw noSuchLink()
  return found
}

const confirmAddress: Statement = {
  name: 'notification-confirm-address',
  text: `UPDATE account.notification_address SET confirmed_at = now(), expires_at = NULL
    WHERE id = $1 AND expires_at > now() RETURNING address`,
}

/** Confirms an address, once. Throws NOT_FOUND for a link that has expired. */
export async function confirmAddressOf(
  context: AccountContext,
  token: string,
): Promise<NotificationLink> {
  const { id, found } = await follow(context, 'confirm', token)
  if (!found) throw noSuchLink()
  if (found.isConfirmed) return found
  const owner = { accountId: found.accountId, environment: context.caller.environment }
  const change = { owner, action: 'notifications.confirm', resourceId: id }
  return makeChange(context, change, async (tx) => {
    const [confirmed] = await tx.query<{ address: string }>(confirmAddress, [id])
    // A second click at the same time has confirmed the address, or somebody has removed it.
    return { address: confirmed?.address ?? found.address, isConfirmed: true }
  })
}

/** The address that an unsubscription would remove; null if it was removed before. */
export async function subscriptionOf(
  context: AccountContext,
  token: string,
): Promise<NotificationLink> {
  const { found } = await follow(context, 'unsubscribe', token)
  return { address: found?.address ?? null, isConfirmed: found?.isConfirmed ?? false }
}

const removeAddress: Statement = {
  name: 'notification-remove-address',
  text: 'DELETE FROM account.notification_address WHERE id = $1 RETURNING 1',
}

/**
 * Removes an address from its account, with the mails that wait for it. A repetition changes
 * nothing.
 */
export async function unsubscribe(
  context: AccountContext,
  token: string,
): Promise<NotificationLink> {
  const { id, found } = await follow(context, 'unsubscribe', token)
  if (!found) return { address: null, isConfirmed: false }
  const { accountId, ...link } = found
  const owner = { accountId, environment: context.caller.environment }
  const change = { owner, action: 'notifications.unsubscribe', resourceId: id }
  return makeChange(context, change, async (tx) => {
    await tx.query(removeAddress, [id])
    await dropWaitingMails(tx, accountId, [id])
    return link
  })
}
