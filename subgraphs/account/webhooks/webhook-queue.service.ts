import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { serviceCaller } from '../../../schema/credentials/caller.ts'
import { open } from '../../../schema/credentials/secrets.ts'
import { recordChange } from '../../shared/changes/change.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { publish } from './event.service.ts'
import { parkPending } from './webhook-backlog.service.ts'
import type { StoredAttempt } from './webhook-delivery.service.ts'

/** The number of stored attempts of one delivery. */
const keptAttempts = 20

/** A delivery that belongs to this dispatcher until its lease ends. */
export interface Claimed {
  readonly id: string
  /** The number that tells this claim from a later one. */
  readonly lease: number
  readonly endpointId: string
  /** The address, which is sealed like the secrets. */
  readonly url: string
  /** The sealed present secret, and the previous one while it signs too. */
  readonly sealedSecrets: readonly string[]
  /** Whether no attempt has succeeded promptly yet, or the last one failed or took long. */
  readonly isSuspect: boolean
  /** The number of attempts since the schedule started. */
  readonly tries: number
  readonly eventId: string
  readonly type: string
  readonly accountId: string
  readonly environment: AccountScope['environment']
  readonly data: object
  readonly happenedAt: Date
}

/** The free capacity of a dispatcher. */
export interface Room {
  /** Endpoints with running attempts, and those of them that have the permitted number. */
  readonly busyIds: readonly string[]
  readonly fullIds: readonly string[]
  /** The running attempts of each owner (`ownerKeyOf`), and those to suspect endpoints. */
  readonly ownerCounts: Readonly<Record<string, number>>
  readonly suspectOwnerCounts: Readonly<Record<string, number>>
  /** The limit of an owner, and its limit for suspect endpoints. */
  readonly maxPerOwner: number
  readonly maxSuspectsPerOwner: number
  /** Free places for all endpoints, and for suspect ones. */
  readonly slots: number
  readonly suspectSlots: number
  readonly leaseSeconds: number
}

/** The key by which the attempts of an account in one environment are counted. */
export function ownerKeyOf({ accountId, environment }: AccountScope): string {
  return `${accountId}/${environment}`
}

/**
 * The number of due deliveries that are read one by one. Beyond it, an index leads from endpoint to
 * endpoint.
 */
const maxLookedThrough = 1000

/**
 * Takes one delivery of each endpoint with due deliveries, so that no endpoint waits for another. A
 * few due deliveries are found by their time, so that later ones cost nothing. If there are many,
 * an index leads from endpoint to endpoint, so that an endpoint with many costs no more than one
 * with a single delivery. Suspect endpoints come last, with one attempt at a time, and have limited
 * places in all and for each owner.
 */
const claimDue: Statement = {
  name: 'webhook-deliveries-claim',
  text: `
    WITH RECURSIVE first_due AS MATERIALIZED (
      SELECT endpoint_id, due_at FROM account.webhook_delivery
      WHERE due_at <= now() ORDER BY due_at LIMIT ${maxLookedThrough}
    ), skipped_through AS (
      (SELECT endpoint_id, due_at FROM account.webhook_delivery
       WHERE due_at IS NOT NULL AND (SELECT count(*) FROM first_due) = ${maxLookedThrough}
       ORDER BY endpoint_id, due_at LIMIT 1)
      UNION ALL
      SELECT next.endpoint_id, next.due_at FROM skipped_through w CROSS JOIN LATERAL (
        SELECT d.endpoint_id, d.due_at FROM account.webhook_delivery d
        WHERE d.due_at IS NOT NULL AND d.endpoint_id > w.endpoint_id
        ORDER BY d.endpoint_id, d.due_at LIMIT 1
      ) next
    ), waiting AS (
      SELECT endpoint_id, min(due_at) AS due_at FROM (
        TABLE first_due UNION ALL TABLE skipped_through
      ) either GROUP BY endpoint_id
    ), ready AS (
      SELECT e.id, e.account_id || '/' || e.environment AS owner_key, e.url, e.is_suspect, w.due_at,
        array_remove(ARRAY[e.sealed_secret,
          CASE WHEN e.former_until > now() THEN e.former_secret END], NULL) AS secrets,
        row_number() OVER (PARTITION BY e.account_id, e.environment
          ORDER BY e.is_suspect, w.due_at) AS place,
        row_number() OVER (PARTITION BY e.account_id, e.environment, e.is_suspect
          ORDER BY w.due_at) AS place_of_kind
      FROM waiting w JOIN account.webhook_endpoint e ON e.id = w.endpoint_id
      WHERE w.due_at <= now() AND e.status = 'enabled' AND e.id <> ALL ($2::text[])
        AND NOT (e.is_suspect AND e.id = ANY ($1::text[]))
    ), within_owner AS (
      SELECT *, row_number() OVER (PARTITION BY is_suspect ORDER BY due_at) AS place_of_all
      FROM ready
      WHERE place <= $7::int - coalesce((($6::jsonb) ->> owner_key)::int, 0)
        AND (NOT is_suspect
          OR place_of_kind <= $9::int - coalesce((($8::jsonb) ->> owner_key)::int, 0))
    ), chosen AS MATERIALIZED (
      SELECT r.id AS endpoint_id, r.url, r.secrets, r.is_suspect, one.id FROM (
        SELECT * FROM within_owner
        WHERE place_of_all <= CASE WHEN is_suspect THEN $4::int ELSE $3::int END
        ORDER BY is_suspect, due_at LIMIT $3
      ) r CROSS JOIN LATERAL (
        SELECT d.id FROM account.webhook_delivery d
        WHERE d.endpoint_id = r.id AND d.due_at <= now()
          AND coalesce(d.lease_until <= now(), true)
          AND EXISTS (SELECT FROM account.event v WHERE v.id = d.event_id)
        ORDER BY d.due_at LIMIT 1 FOR UPDATE SKIP LOCKED
      ) one
    ), claimed AS (
      UPDATE account.webhook_delivery d SET lease = d.lease + 1, is_asked_again = false,
        lease_until = now() + make_interval(secs => $5), due_at = now() + make_interval(secs => $5)
      FROM chosen c WHERE d.id = c.id RETURNING d.*
    )
    SELECT d.id, d.lease, d.tries, c.endpoint_id AS "endpointId", c.url,
      c.secrets AS "sealedSecrets", c.is_suspect AS "isSuspect", v.id AS "eventId", v.type,
      v.account_id AS "accountId", v.environment, v.data, v.created_at AS "happenedAt"
    FROM claimed d JOIN chosen c ON c.id = d.id JOIN account.event v ON v.id = d.event_id`,
}

/**
 * Claims due deliveries within the free capacity. No other dispatcher has them until the lease
 * ends.
 */
export function claim(database: Database, room: Room): Promise<Claimed[]> {
  const { busyIds, fullIds, slots, suspectSlots, leaseSeconds } = room
  const places = [busyIds, fullIds, slots, suspectSlots, leaseSeconds]
  const perOwner = [JSON.stringify(room.ownerCounts), room.maxPerOwner]
  const suspects = [JSON.stringify(room.suspectOwnerCounts), room.maxSuspectsPerOwner]
  return database.query(claimDue, [...places, ...perOwner, ...suspects])
}

/** The secrets that sign a delivery; null if one was sealed with another key. */
export function secretsOf(
  key: Uint8Array,
  { endpointId, sealedSecrets }: Claimed,
): string[] | null {
  const secrets = sealedSecrets.flatMap((sealed) => open(key, sealed, endpointId) ?? [])
  return secrets.length === sealedSecrets.length ? secrets : null
}

const endAttempt: Statement = {
  name: 'webhook-attempt-record',
  text: `
    WITH ended AS (
      UPDATE account.webhook_delivery SET lease_until = NULL, is_asked_again = false,
        status = CASE WHEN is_asked_again THEN 'pending' ELSE $4 END,
        due_at = CASE WHEN due_at IS NULL THEN NULL WHEN is_asked_again THEN now()
          WHEN $4 = 'pending' THEN now() + make_interval(secs => $5) END,
        tries = CASE WHEN is_asked_again THEN 0 ELSE tries + 1 END,
        attempt_count = attempt_count + 1,
        arrival_count = arrival_count + ($4 = 'succeeded')::int,
        attempts = jsonb_path_query_array(jsonb_build_array($3::jsonb) || attempts,
          '$[0 to ${keptAttempts - 1}]')
      WHERE id = $1 AND lease = $2 AND status = 'pending' RETURNING *
    ), answered AS (
      INSERT INTO account.webhook_answer (account_id, delivery_id, attempt, sealed_text)
      SELECT account_id, id, attempt_count, $9 FROM ended WHERE $9::text IS NOT NULL
    ), marked AS (
      UPDATE account.webhook_endpoint e SET is_suspect = $7,
        last_failed_at = CASE WHEN $4 <> 'succeeded' THEN now() END,
        failing_since = CASE WHEN $4 = 'succeeded' THEN NULL
          WHEN e.last_failed_at > now() - make_interval(secs => $8)
            THEN coalesce(e.failing_since, now())
          ELSE now() END
      FROM ended WHERE e.id = ended.endpoint_id
        AND (e.is_suspect <> $7 OR e.failing_since IS NOT NULL OR $4 <> 'succeeded')
    ), counted AS (
      INSERT INTO account.webhook_day AS n (endpoint_id, day, account_id, tried, arrived)
      SELECT endpoint_id, created_at::date, account_id, (attempt_count = 1)::int,
        ($4 = 'succeeded' AND arrival_count = 1)::int
      FROM ended WHERE attempt_count = 1 OR $4 = 'succeeded' AND arrival_count = 1
      ON CONFLICT (endpoint_id, day) DO UPDATE
      SET tried = n.tried + excluded.tried, arrived = n.arrived + excluded.arrived
    )
    SELECT coalesce(e.failing_since <= now() - make_interval(hours => $6), false)
        AND e.last_failed_at > now() - make_interval(secs => $8)
        AND $4 <> 'succeeded' AND e.status = 'enabled' AS "isOverdue"
    FROM ended JOIN account.webhook_endpoint e ON e.id = ended.endpoint_id`,
}

/** An endpoint that has failed for this time is disabled. */
const disableAfterHours = 120

/** The result of an attempt. */
export interface EndedAttempt {
  readonly attempt: StoredAttempt
  readonly status: 'pending' | 'succeeded' | 'failed'
  /** The pause before the next attempt of a pending delivery. */
  readonly delaySeconds: number
  /** Whether the attempt failed or took long. */
  readonly isSuspect: boolean
  /** Scheme, host and port of the attempt. */
  readonly origin: string
  /** The sealed text of the answer; null if none is kept. */
  readonly sealedText: string | null
  /** After this time without any attempt, a failure counts as the first one. */
  readonly silenceSeconds: number
}

/**
 * Records an attempt, unless its lease has ended and another dispatcher has the delivery. Disables
 * an endpoint that has failed for too long, or has answered that it is gone.
 */
export async function recordAttempt(
  database: Database,
  { id, lease, endpointId, url }: Claimed,
  endedAttempt: EndedAttempt,
): Promise<void> {
  const { attempt, status, delaySeconds, silenceSeconds, isSuspect, sealedText } = endedAttempt
  const [ended] = await database.query<{ isOverdue: boolean }>(endAttempt, [
    ...[id, lease, JSON.stringify(attempt), status, delaySeconds, disableAfterHours, isSuspect],
    ...[silenceSeconds, sealedText],
  ])
  // Standard Webhooks: 410 Gone asks the sender to stop.
  const goneUrl = attempt.statusCode === 410 ? url : null
  if (ended && (ended.isOverdue || goneUrl !== null)) {
    await disable(database, { ...endedAttempt, id: endpointId, goneUrl })
  }
}

const dispatcher = serviceCaller()

const disableEndpoint: Statement = {
  name: 'webhook-endpoint-disable',
  text: `UPDATE account.webhook_endpoint SET status = 'disabled'
    WHERE id = $1 AND status = 'enabled'
      AND (failing_since <= now() - make_interval(hours => $2) OR url = $3)
    RETURNING account_id AS "accountId", environment,
      coalesce(failing_since, now()) AS "failingSince"`,
}

interface Disabling extends Pick<EndedAttempt, 'origin'> {
  readonly id: string
  /** The stored address that has answered that it is gone; null if none has. */
  readonly goneUrl: string | null
}

/**
 * Disables an endpoint that has failed for too long or is gone. A new address restarts this time and is not
 * the one that is gone, so `origin` belongs to the present address.
 */
async function disable(database: Database, { id, origin, goneUrl }: Disabling): Promise<void> {
  await database.transaction(async (tx) => {
    const [disabled] = await tx.query<AccountScope & { failingSince: Date }>(disableEndpoint, [
      ...[id, disableAfterHours, goneUrl],
    ])
    if (!disabled) return
    await parkPending(tx, id)
    const { failingSince, ...owner } = disabled
    const reason = goneUrl === null ? 'failing' : 'gone'
    const data = { failing_since: failingSince.toISOString(), reason } as const
    const change = { owner, action: 'webhook.disable', resourceId: id }
    await recordChange(tx, { caller: dispatcher }, change, { details: data })
    // The event goes to other endpoints, and the address may contain a secret of its receiver.
    const event = { ...data, endpoint_id: id, origin }
    await publish(tx, owner, 'webhook_endpoint.disabled', event)
  })
}

const releaseLease: Statement = {
  name: 'webhook-delivery-give-back',
  text: `UPDATE account.webhook_delivery
    SET lease_until = NULL,
      due_at = CASE WHEN due_at IS NOT NULL THEN now() + make_interval(secs => $3) END
    WHERE id = $1 AND lease = $2 AND status = 'pending'`,
}

/** Releases a delivery that was not tried, so that any dispatcher can claim it after the delay. */
export async function release(
  database: Database,
  { id, lease }: Claimed,
  delaySeconds: number,
): Promise<void> {
  await database.query(releaseLease, [id, lease, delaySeconds])
}
