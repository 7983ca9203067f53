import { LRUCache } from 'lru-cache'
import { atMost } from '../../../schema/process/at-most.ts'
import type { Database, ServiceStatement } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { epochOf } from '../callers/caller-columns.ts'
import { recordUsage } from '../log/usage-log.service.ts'
import type { UsageLogEntryInput } from '../log/usage-log.type.ts'
import type { UsageBatchInput } from './usage-recording.type.ts'

/**
 * $1 epoch; $2, $3 the lowest id and the first arrival of the entries; $4–$8 what entries have in common;
 * $9–$18 entries; $19–$23 kinds that this process has not written yet; $24–$29 what few entries have:
 * `unnest` makes nulls of what a list lacks at its end. Nothing is recorded, and no row comes back, when
 * the epoch has ended. An entry that is there already is refused, with the whole batch: `ON CONFLICT`
 * would cost each entry a search and a record of the WAL more.
 */
export const recordBatch: ServiceStatement = {
  name: 'record-usage-batch',
  wire: 'service',
  givesUpLocks: true,
  text: `
    WITH open AS MATERIALIZED (
      SELECT epoch FROM usage.usage_epoch WHERE epoch = $1 FOR KEY SHARE
    ), extended AS (
      -- A call took longer than those of the first batch. Now and then; each time it goes back further.
      UPDATE usage.usage_epoch SET from_id = least(from_id, $2), from_at = least(from_at, $3)
      WHERE epoch = $1 AND (from_id > $2 OR from_at > $3)
    ), recorded AS (
      INSERT INTO usage.usage_log (epoch, account_id, environment, request_id, ts, method, endpoint,
        route, service, status, credits, latency_ms, trace_id, backend_module, key_id, client_id,
        external_id, end_user, is_session, error_code, error_details)
      SELECT ${epochOf('e.is_session', 'open.epoch')},
        e.account_id, $4[o], e.request_id, to_timestamp(e.arrived_ms / 1000.0),
        $5[o], coalesce(e.endpoint, $6[o]), $6[o], $7[o], e.status, e.credits, e.latency_ms,
        e.trace_id, $8[o], e.key_id, e.client_id, e.external_id, e.end_user, nullif(e.is_session, false),
        e.error_code, e.error_details
      FROM open, unnest($9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $24, $25, $26, $27, $28, $29)
        AS e (place, account_id, request_id, arrived_ms, endpoint, status, credits, latency_ms,
          trace_id, key_id, client_id, external_id, end_user, is_session, error_code, error_details),
        LATERAL (SELECT e.place + 1) AS c (o)
    ), kinds AS (
      INSERT INTO usage.usage_kind (account_id, environment, service, status_class, credit_class)
      SELECT DISTINCT account_id, environment, service, status_class, usage.credit_class(credits)
      FROM open, unnest($19, $20, $21, $22, $23)
        AS k (account_id, environment, service, status_class, credits)
      -- Every recording takes this order, so that no two wait for each other.
      ORDER BY 1, 2, 3, 4, 5
      ON CONFLICT DO NOTHING
    )
    SELECT epoch FROM open`,
  parameters: [
    ...(['int8', 'text', 'timestamptz'] as const),
    ...(['text[]', 'text[]', 'text[]', 'text[]', 'text[]'] as const),
    ...(['int4[]', 'text[]', 'text[]', 'int8[]', 'text[]', 'int2[]', 'int8[]'] as const),
    ...(['int4[]', 'text[]', 'text[]'] as const),
    ...(['text[]', 'text[]', 'text[]', 'int2[]', 'int8[]'] as const),
    ...(['text[]', 'text[]', 'text[]', 'bool[]', 'text[]', 'text[]'] as const),
  ],
}

/**
 * Records a batch in an epoch; durable when it returns. Returns false, and has recorded nothing, when
 * the epoch has ended. Recording may be repeated: entries that are there
 * already are left as they are.
 */
export async function recordUsageBatch(
  database: Database,
  epoch: number,
  batch: UsageBatchInput,
): Promise<boolean> {
  requireEven(batch)
  const { requestIds, arrivedAtMs, operations } = batch
  if (requestIds.length === 0) return true
  const kinds = newKinds(knownKindsOf(database), batch)
  try {
    const rows = await database
      .as(allTenants)
      .query(recordBatch, [
        ...[epoch, lowestOf(requestIds), new Date(lowestOf(arrivedAtMs))],
        ...[batch.environments, batch.methods, batch.routes, batch.services, batch.backendModules],
        ...[operations, batch.accountIds, requestIds, arrivedAtMs, batch.endpoints, batch.statuses],
        ...[batch.credits, batch.latenciesMs, batch.traceIds, batch.keyIds],
        ...kinds.columns,
        ...[batch.clientIds ?? [], batch.externalIds ?? [], batch.endUsers ?? []],
        ...[batch.isSession ?? [], batch.errorCodes ?? [], batch.errorDetails ?? []],
      ])
    if (rows.length === 0) return false
    kinds.remember()
    return true
  } catch (error) {
    if (!isThereAlready(error)) throw error
    // The sums get the new entries at once, because the epoch has none of these.
    await recordUsage(database, entriesOf(batch))
    return true
  }
}

function lowestOf<Value extends string | number>(values: readonly Value[]): Value {
  return values.reduce((lowest, value) => (value < lowest ? value : lowest))
}

/** Whether a row is there already: the SQLSTATE is unique_violation. */
function isThereAlready(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}

/** The kinds of each account that are surely in the database, by their names; none is ever removed. */
type KnownKinds = LRUCache<string, Set<string>>

const maxKnownKinds = 100_000
/** The most kinds of one account in memory. With one more, the kinds of the account are forgotten. */
const maxKindsOfOne = 200
const knownKinds = new WeakMap<Database, KnownKinds>()

function knownKindsOf(database: Database): KnownKinds {
  const known =
    knownKinds.get(database) ??
    new LRUCache({
      ...atMost(maxKnownKinds),
      maxSize: maxKnownKinds,
      sizeCalculation: ({ size }) => size,
    })
  knownKinds.set(database, known)
  return known
}

/** The kinds that must be written with a batch, and a function to call afterwards. */
interface NewKinds {
  readonly columns: readonly [string[], string[], string[], number[], number[]]
  remember(): void
}

function newKinds(known: KnownKinds, batch: UsageBatchInput): NewKinds {
  const { accountIds, environments, services, operations, statuses, credits } = batch
  const found = new Map<string, Set<string>>()
  const columns: NewKinds['columns'] = [[], [], [], [], []]
  const nameOf = kindNames()
  accountIds.forEach((accountId, index) => {
    const place = operations[index] ?? 0
    const statusClass = Math.floor((statuses[index] ?? 0) / 100)
    const charged = credits[index] ?? 0
    const name = nameOf(environments[place] ?? '', services[place] ?? '', statusClass, charged)
    if (known.get(accountId)?.has(name)) return
    const names = found.get(accountId) ?? new Set()
    if (names.has(name)) return
    found.set(accountId, names.add(name))
    columns[0].push(accountId)
    columns[1].push(environments[place] ?? '')
    columns[2].push(services[place] ?? '')
    columns[3].push(statusClass)
    columns[4].push(charged)
  })
  return {
    columns,
    remember() {
      for (const [accountId, names] of found) {
        const before = known.get(accountId) ?? []
        const all = new Set([...before, ...names])
        known.set(accountId, all.size > maxKindsOfOne ? names : all)
      }
    },
  }
}

/** Makes the names of kinds. The kinds of neighbours are mostly equal, so the last name is kept. */
function kindNames() {
  let last = { environment: '', service: '', statusClass: -1, credits: -1, name: '' }
  return (environment: string, service: string, statusClass: number, credits: number): string => {
    const isSame = last.credits === credits && last.statusClass === statusClass
    if (!isSame || last.service !== service || last.environment !== environment) {
      const name = `${environment} ${service} ${statusClass} ${credits}`
      last = { environment, service, statusClass, credits, name }
    }
    return last.name
  }
}

function entriesOf(batch: UsageBatchInput): UsageLogEntryInput[] {
  const { environments, methods, routes, services, backendModules } = batch
  return batch.operations.map((place, index) => {
    const environment = environments[place]
    const requestId = batch.requestIds[index]
    if (!environment || !requestId) throw unevenBatch()
    return {
      ...{ environment, requestId, accountId: batch.accountIds[index] ?? '' },
      ...{ method: methods[place] ?? '', service: services[place] ?? '' },
      ...{ route: routes[place] ?? '', backendModule: backendModules[place] ?? '' },
      ts: new Date(batch.arrivedAtMs[index] ?? 0),
      endpoint: batch.endpoints[index] ?? routes[place] ?? '',
      ...{ status: batch.statuses[index] ?? 0, credits: batch.credits[index] ?? 0 },
      ...{ latencyMs: batch.latenciesMs[index] ?? 0, traceId: batch.traceIds[index] ?? '' },
      keyId: batch.keyIds[index] ?? null,
      clientId: batch.clientIds?.[index] ?? null,
      externalId: batch.externalIds?.[index] ?? null,
      endUser: batch.endUsers?.[index] ?? null,
      isSession: batch.isSession?.[index] ?? false,
      errorCode: batch.errorCodes?.[index] ?? null,
      errorDetails: batch.errorDetails?.[index] ?? null,
    }
  })
}

function requireEven(batch: UsageBatchInput): void {
  const { environments, requestIds, operations } = batch
  const common = [batch.methods, batch.routes, batch.services, batch.backendModules]
  const entries = [
    ...[operations, batch.accountIds, batch.arrivedAtMs, batch.endpoints, batch.statuses],
    ...[batch.credits, batch.latenciesMs, batch.traceIds, batch.keyIds],
    ...[batch.clientIds, batch.externalIds, batch.endUsers, batch.isSession],
    ...[batch.errorCodes, batch.errorDetails],
  ]
  const isEven =
    common.every(({ length }) => length === environments.length) &&
    entries.every((list) => !list || list.length === requestIds.length) &&
    operations.every((place) => place >= 0 && place < environments.length)
  if (!isEven) throw unevenBatch()
}

function unevenBatch(): DomainError {
  return new DomainError('INVALID_REQUEST', 'The lists of a batch have different lengths.')
}
