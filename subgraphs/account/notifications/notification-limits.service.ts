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

/** Rows are locked in the order of the hashes, so that two accounts never wait for each other. */
const requestConfirmations: Statement = {
  name: 'notification-request-confirmations',
  text: `
    INSERT INTO account.confirmation_request AS r (address_hash)
    SELECT address_hash FROM unnest($1::text[]) AS address_hash ORDER BY address_hash
    ON CONFLICT (address_hash) DO UPDATE SET requested_at = now()
    WHERE r.requested_at <= now() - interval '1 d' RETURNING 1`,
}

/**
 * Notes that these addresses are asked to confirm. Throws RATE_LIMIT_EXCEEDED if one of them was
 * asked within a day, by any account.
 */
export async function countConfirmations(
  tx: Transaction,
  gatewaySecret: string,
  addresses: readonly string[],
): Promise<void> {
  const key = macKey(gatewaySecret, 'notification-address')
  const hashes = addresses.map((address) =>
    createHmac('sha256', key).update(address.toLowerCase()).digest('base64url'),
  )
  const asked = await tx.query(requestConfirmations, [hashes])
  if (asked.length === addresses.length) return
  throw tooMany('The limit of one confirmation a day for an address is reached.', null)
}

function tooMany(message: string, waitSeconds: number | null): DomainError {
  const retryAfterSeconds = Math.min(Math.max(waitSeconds ?? daySeconds, 1), daySeconds)
  return new DomainError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds })
}
