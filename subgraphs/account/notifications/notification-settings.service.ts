import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { makeChange } from '../../shared/changes/change.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Queryable, Statement } from '../../shared/database/statement.ts'
import type { Transaction } from '../../shared/database/transaction.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { dropWaitingMails, type MailAddress, queueAddressMails } from './mail-outbox.service.ts'
import type { ChangeNotificationsInput, NotificationSettings } from './notification.type.ts'
import { countConfirmations, countNewAddresses } from './notification-limits.service.ts'

interface StoredAddress extends MailAddress {
  readonly isConfirmed: boolean
}

const kindsOf: Statement = {
  name: 'notification-kinds',
  text: 'SELECT kinds FROM account.notification_setting WHERE account_id = $1',
}

const addressesOf: Statement = {
  name: 'notification-addresses',
  text: `SELECT id, address, confirmed_at IS NOT NULL AS "isConfirmed"
    FROM account.notification_address
    WHERE account_id = $1 AND (expires_at > now()) IS NOT FALSE ORDER BY place`,
}

/**
 * The addresses, and the kinds of mails that they get. Throws CONFLICT in the sandbox, and where no
 * mails are sent.
 */
export function notificationsOf(context: AccountContext): Promise<NotificationSettings> {
  const { accountId } = requireNotifications(context, requireAccount(context))
  return read(context.database, accountId)
}

async function read(database: Queryable, accountId: string): Promise<NotificationSettings> {
  const [settings] = await database.query<{ kinds: string[] }>(kindsOf, [accountId])
  const addresses = await database.query<StoredAddress>(addressesOf, [accountId])
  const emails = addresses.map(({ address, isConfirmed }) => ({ address, isConfirmed }))
  return { emails, kinds: settings?.kinds ?? [] }
}

/** Throws CONFLICT in the sandbox, and where no mails are sent. */
export function requireNotifications<Owner extends Pick<AccountScope, 'environment'>>(
  { sendsMails = false }: AccountContext,
  owner: Owner,
): Owner {
  if (owner.environment === 'sandbox') {
    throw new DomainError('CONFLICT', 'The sandbox sends no mails. Use a live key.')
  }
  if (sendsMails) return owner
  throw new DomainError('CONFLICT', "This gateway doesn't send e-mail yet.", {
    internal: 'SMTP_URL is not set.',
  })
}

const setKinds: Statement = {
  name: 'notification-set-kinds',
  text: `INSERT INTO account.notification_setting (account_id, kinds) VALUES ($1, $2)
    ON CONFLICT (account_id) DO UPDATE SET kinds = excluded.kinds`,
}

/**
 * Replaces addresses and kinds. A new address gets a mail that asks it to confirm, unless it was asked too
 * often today; then a later request that names it causes the mail. A removed address gets a mail if it was
 * confirmed. Throws CONFLICT as above, and RATE_LIMIT_EXCEEDED for too many new addresses.
 */
export function changeNotifications(
  context: AccountContext,
  input: ChangeNotificationsInput,
  once: OnceInput | null,
): Promise<NotificationSettings> {
  const { accountId, environment } = requireAccount(context)
  const kinds = [...new Set(input.kinds)]
  const change = {
    ...{ owner: { accountId, environment }, action: 'notifications.update', once, request: input },
    // The audit trail has the number of addresses, not the addresses.
    note: () => ({ details: { emails: input.emails.length, kinds } }),
  }
  return makeChange(context, change, async (tx) => {
    requireNotifications(context, { environment })
    // The row stays locked, so changes of one account follow each other.
    await tx.query(setKinds, [accountId, kinds])
    await setAddresses(tx, context, accountId, input.emails)
    return read(tx, accountId)
  })
}

/** Removes addresses that the new settings do not have, and expired ones. */
const removeAddresses: Statement = {
  name: 'notification-remove-addresses',
  text: `DELETE FROM account.notification_address
    WHERE account_id = $1 AND id <> ALL ($2::text[])
    RETURNING id, address, confirmed_at IS NOT NULL AS "isConfirmed"`,
}

const addAddresses: Statement = {
  name: 'notification-add-addresses',
  text: `
    INSERT INTO account.notification_address (id, account_id, address, place, expires_at)
    SELECT one.id, $1, one.address, 0, now() + interval '7 d'
    FROM unnest($2::text[], $3::text[]) AS one (id, address)`,
}

/** A mail to confirm is kept longer than an address that nobody has confirmed. */
const unaskedAddresses: Statement = {
  name: 'notification-unasked-addresses',
  text: `
    SELECT a.id, a.address FROM account.notification_address a
    WHERE a.account_id = $1 AND a.confirmed_at IS NULL AND NOT EXISTS (
      SELECT FROM account.mail m WHERE m.address_id = a.id AND m.template = 'confirmation')`,
}

const keepForAWeek: Statement = {
  name: 'notification-keep-for-a-week',
  text: `UPDATE account.notification_address SET expires_at = now() + interval '7 d'
    WHERE account_id = $1 AND id = ANY ($2::text[])`,
}

const orderAddresses: Statement = {
  name: 'notification-order-addresses',
  text: `
    UPDATE account.notification_address a SET place = wanted.place
    FROM unnest($2::text[]) WITH ORDINALITY AS wanted (address, place)
    WHERE a.account_id = $1 AND lower(a.address) = wanted.address AND a.place <> wanted.place`,
}

async function setAddresses(
  tx: Transaction,
  { gatewaySecret }: AccountContext,
  accountId: string,
  wanted: readonly string[],
): Promise<void> {
  const present = await tx.query<StoredAddress>(addressesOf, [accountId])
  const wantedKeys = wanted.map((address) => address.toLowerCase())
  const kept = present.filter(({ address }) => wantedKeys.includes(address.toLowerCase()))
  const keptKeys = kept.map(({ address }) => address.toLowerCase())
  const added = wanted
    .filter((address) => !keptKeys.includes(address.toLowerCase()))
    .map((address) => ({ id: newId('addr'), address }))

  const keptIds = kept.map(({ id }) => id)
  const removed = await tx.query<StoredAddress>(removeAddresses, [accountId, keptIds])
  const removedIds = removed.map(({ id }) => id)
  await dropWaitingMails(tx, accountId, removedIds)
  const told = removed.filter(({ isConfirmed }) => isConfirmed)
  await queueAddressMails(tx, accountId, 'removal', told)

  if (added.length > 0) {
    const addresses = added.map(({ address }) => address)
    await countNewAddresses(tx, accountId, added.length)
    await tx.query(addAddresses, [accountId, added.map(({ id }) => id), addresses])
  }
  const unasked = await tx.query<MailAddress>(unaskedAddresses, [accountId])
  const asked = await countConfirmations(tx, gatewaySecret, accountId, unasked)
  await tx.query(keepForAWeek, [accountId, asked.map(({ id }) => id)])
  await queueAddressMails(tx, accountId, 'confirmation', asked)
  await tx.query(orderAddresses, [accountId, wantedKeys])
}
