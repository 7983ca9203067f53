import type { Environment } from '../../../schema/credentials/caller.ts'
import { lowestId } from '../../../schema/vocabulary/ids.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { addDays, addHours, addKeyDays, addKeyHours, addKinds } from './usage-repair.statements.ts'
import type { UsageRepairPart, UsageRepairPosition } from './usage-repair.type.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The limits of one part: a statement adds it up in about a second. */
const maxHours = 744
const maxRequests = 200_000

/** The hours of logs after a place, in order: each has a row, whichever release recorded it. */
const nextHours: Statement = {
  name: 'usage-repair-hours',
  text: `
    SELECT account_id AS "accountId", environment, hour, sum(requests)::bigint AS requests
    FROM usage.usage_hour
    WHERE (account_id, environment, hour) > ($1, $2, $3::timestamptz) AND hour >= $4 AND hour < $5
    GROUP BY account_id, environment, hour ORDER BY account_id, environment, hour
    LIMIT ${maxHours}`,
}

interface HourRow {
  readonly accountId: string
  readonly environment: Environment
  readonly hour: Date
  readonly requests: number
}

export interface RepairSpan {
  /** Hours that begin then or later. */
  readonly from: Date | null
  /** Hours that begin earlier. */
  readonly to: Date | null
}

/**
 * Adds entries of some hours of one log to kinds and sums, if a release without these has recorded
 * them. It never removes anything, and it is safe while requests are recorded.
 */
export async function repairUsage(
  database: Database,
  span: RepairSpan,
  after: UsageRepairPosition | null,
): Promise<UsageRepairPart> {
  const part = await nextPart(database, span, after)
  if (!part) return { hours: 0, kinds: 0, sums: 0, last: null }
  // They run one after the other, each in its own transaction, so that none waits for rows of one
  // while it holds rows of another.
  const kinds = await added(database, addKinds, valuesOf(part))
  const ofHours = await added(database, addHours, valuesOf(part))
  const ofDays = await added(database, addDays, daysOf(part))
  const ofKeys = await repairKeys(database, part)
  return { hours: part.hours, kinds, sums: ofHours + ofDays + ofKeys, last: part.last }
}

/**
 * Does so for the sums by key alone. Returns the position that it has reached; null: it has reached
 * the end.
 */
export async function repairUsageKeys(
  database: Database,
  after: UsageRepairPosition | null,
): Promise<UsageRepairPosition | null> {
  const part = await nextPart(database, { from: null, to: null }, after)
  if (!part) return null
  await repairKeys(database, part)
  return part.last
}

async function repairKeys(database: Database, part: LogSpan): Promise<number> {
  const ofHours = await added(database, addKeyHours, valuesOf(part))
  return ofHours + (await added(database, addKeyDays, daysOf(part)))
}

interface RepairedPart extends LogSpan {
  readonly hours: number
  readonly last: UsageRepairPosition
}

/** Null: there are no more hours. */
async function nextPart(
  database: Database,
  { from, to }: RepairSpan,
  after: UsageRepairPosition | null,
): Promise<RepairedPart | null> {
  const { accountId = '', environment = '', hour = null } = after ?? {}
  const rows = await database.query<HourRow>(nextHours, [
    ...[accountId, environment, hour ?? '-infinity'],
    ...[from ?? '-infinity', to ?? 'infinity'],
  ])
  const [first, ...others] = rows
  if (!first) return null
  let requests = first.requests
  const together = others.filter((row) => {
    requests += row.requests
    const isSameLog = row.accountId === first.accountId && row.environment === first.environment
    return isSameLog && requests <= maxRequests
  })
  const last = together.at(-1) ?? first
  const log = { accountId: first.accountId, environment: first.environment }
  return {
    ...log,
    fromMs: first.hour.getTime(),
    untilMs: last.hour.getTime() + hourMs,
    hours: together.length + 1,
    last: { ...log, environment: EnvironmentValue[log.environment], hour: last.hour },
  }
}

interface LogSpan {
  readonly accountId: string
  readonly environment: Environment
  readonly fromMs: number
  readonly untilMs: number
}

/**
 * A difference that a statement finds stays the same until it is repaired: recording adds to the
 * log and to the sums at once, or in an epoch, and open epochs are left out here. Only two repairs
 * at the same time could add the same difference twice, so they run sequentially.
 */
const takeTurn: Statement = {
  name: 'usage-repair-turn',
  text: 'SELECT pg_advisory_xact_lock(7462003)',
}

function added(
  database: Database,
  statement: Statement,
  values: readonly unknown[],
): Promise<number> {
  return database.transaction(async (tx) => {
    await tx.query(takeTurn, [])
    const [row] = await tx.query<{ count: number }>(statement, values)
    return row?.count ?? 0
  })
}

/** An id and `ts` are taken at nearly the same moment, perhaps a millisecond apart. */
const slackMs = 60_000

function valuesOf({ accountId, environment, fromMs, untilMs }: LogSpan): unknown[] {
  return [
    ...[accountId, environment],
    ...[lowestId('req', fromMs - slackMs), lowestId('req', untilMs + slackMs)],
    ...[new Date(fromMs), new Date(untilMs)],
  ]
}

function daysOf({ accountId, environment, fromMs, untilMs }: LogSpan): unknown[] {
  const firstDay = new Date(Math.floor(fromMs / dayMs) * dayMs)
  const endOfDays = new Date(Math.ceil(untilMs / dayMs) * dayMs)
  return [accountId, environment, firstDay, endOfDays]
}
