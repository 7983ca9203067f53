import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Database, Read, Statement } from '../../shared/database/database.ts'
import { requireExports, type UsageContext } from '../settings/usage-settings.ts'
import { type ExportedRows, headerOf, selectLines } from './audit-export.csv.ts'
import {
  isFirst,
  maxAttempts,
  tell,
  wakeNext,
  watch,
  watchOver,
} from './audit-export-queue.service.ts'
import type { FileStorage, FileWriter } from './file-storage/file-storage.ts'

/** A worker that does not renew its lease for so long counts as dead: another one starts again. */
const leaseSeconds = 10
const beatMs = 1000
const batchRows = 500
/** The longest run of an export: its snapshot keeps VACUUM from removing dead rows of all tables. */
const maxRunMs = 3_600_000
const maxFailures = 5

interface Claimed extends ExportedRows {
  readonly id: string
  readonly attempt: number
}

/**
 * Takes the export for as long as this worker renews its lease, and enqueues a job that checks the
 * attempt afterwards. One job watches over each attempt, so an export goes on whatever happens to a
 * worker.
 */
const claim: Statement = {
  name: 'audit-export-claim',
  text: `
    WITH claimed AS (
      UPDATE usage.audit_export e SET status = 'running', attempt = attempt + 1, row_count = 0,
        started_at = coalesce(started_at, now()), lease_until = now() + interval '${leaseSeconds} s'
      WHERE id = $1 AND attempt = $2 AND attempt < ${maxAttempts}
        AND status IN ('queued', 'running') AND coalesce(lease_until <= now(), true)
        AND ${isFirst('e')}
      RETURNING *
    )
    SELECT id, account_id AS "accountId", environment, kind, from_at AS "from", to_at AS "to", service,
      status_class AS "statusClass", actor, key_id AS "keyId", client_id AS "clientId",
      external_id AS "externalId", end_user AS "endUser", sources,
      error_code AS "errorCode", is_extended AS "isExtended", attempt,
      ${watch("lease_until + interval '1 s'")}
    FROM claimed`,
}

/**
 * Writes an export, unless another worker is writing or has written it, or an older one of the
 * account comes first. `attempt` is the number of attempts that this job knows of. When the attempt
 * fails, the failure is stored first and then thrown.
 */
export async function runAuditExport(
  context: UsageContext,
  id: string,
  attempt: number,
): Promise<void> {
  const { database } = context
  const { files } = requireExports(context)
  const [claimed] = await database.query<Claimed>(claim, [id, attempt])
  if (claimed) return write(context, claimed, files)
  await watchOver(database, id, attempt)
}

async function write(context: UsageContext, claimed: Claimed, files: FileStorage): Promise<void> {
  const { database, stopping } = context
  const file = fileName(claimed, claimed.attempt)
  const lease = keepLease(context, claimed)
  const limits = [lease.lost, AbortSignal.timeout(maxRunMs), ...(stopping ? [stopping] : [])]
  try {
    await removeEarlier(files, claimed)
    await writeFile(context, claimed, {
      create: () => files.create(file),
      signal: AbortSignal.any(limits),
      onRows: lease.count,
    })
  } catch (error) {
    if (lease.lost.aborted) return
    if (stopping?.aborted) return void (await database.query(handOver, leaseOf(claimed)))
    await noteFailure(database, claimed, files)
    throw error
  } finally {
    lease.end()
  }
  const { retentionDays } = requireExports(context)
  const values = [...leaseOf(claimed), lease.rows(), file, retentionDays, newId('evt')]
  // When the answer of the database is lost, the file stays: it is the result, or the next attempt
  // removes it.
  const [completed] = await database.query(complete, values)
  if (!completed) await files.remove(file)
}

/** Every attempt writes a file of its own, so that a late attempt damages nothing. */
function fileName({ id }: Claimed, attempt: number): string {
  return `${id}-${attempt}.csv`
}

async function removeEarlier(files: FileStorage, claimed: Claimed): Promise<void> {
  for (let attempt = 1; attempt < claimed.attempt; attempt += 1) {
    await files.remove(fileName(claimed, attempt))
  }
}

interface Writing {
  readonly create: () => Promise<FileWriter>
  readonly signal: AbortSignal
  readonly onRows: (count: number) => void
}

/** Writes all rows of one instant, in constant memory; the file is complete or does not exist. */
async function writeFile(
  { database, showsOperatorReads }: UsageContext,
  claimed: Claimed,
  { create, signal, onRows }: Writing,
): Promise<void> {
  const writer = await create()
  try {
    // The rows are read as the tenant: whatever is selected, it belongs to this account.
    await database.as(claimed.accountId).readLong(async (read) => {
      await writer.write(Buffer.from(headerOf(claimed)))
      for await (const lines of linesOf(read, claimed, { showsOperatorReads })) {
        signal.throwIfAborted()
        await writer.write(Buffer.from(lines.join('')))
        onRows(lines.length)
      }
    })
    signal.throwIfAborted()
    await writer.finish()
  } catch (error) {
    await writer.abort()
    throw error
  }
}

const nextLines: Statement = {
  name: 'audit-export-next',
  text: `FETCH ${batchRows} FROM lines`,
}

/** Reads by a cursor in the database, one batch ahead of the consumer. */
async function* linesOf(
  read: Read,
  rows: ExportedRows,
  shown: Pick<UsageContext, 'showsOperatorReads'>,
): AsyncGenerator<string[]> {
  const { sql, values } = selectLines(rows, shown)
  await read(
    { name: 'audit-export-open', text: `DECLARE lines NO SCROLL CURSOR FOR ${sql}` },
    values,
  )
  const fetch = () => {
    const batch = read<{ line: string }>(nextLines, [])
    // A consumer that has stopped must not see this failure.
    batch.catch(() => {})
    return batch
  }
  for (let next = fetch(); ; ) {
    const batch = await next
    if (batch.length === 0) return
    next = fetch()
    yield batch.map(({ line }) => line)
  }
}

const beat: Statement = {
  name: 'audit-export-beat',
  text: `UPDATE usage.audit_export
    SET row_count = $3, lease_until = now() + interval '${leaseSeconds} s'
    WHERE id = $1 AND attempt = $2 AND status = 'running' RETURNING 1`,
}

function leaseOf({ id, attempt }: Claimed): readonly [string, number] {
  return [id, attempt]
}

interface Lease {
  /** Aborted when another worker has taken the export. */
  readonly lost: AbortSignal
  readonly count: (rows: number) => void
  readonly rows: () => number
  readonly end: () => void
}

/** Renews the lease every second and stores the progress. */
function keepLease(context: UsageContext, claimed: Claimed): Lease {
  const { database } = context
  const { warn } = requireExports(context)
  const controller = new AbortController()
  let rows = 0
  let isSaid = false
  async function say(): Promise<void> {
    try {
      const [ours] = await database.query(beat, [...leaseOf(claimed), rows])
      if (!ours) controller.abort(new Error('Another worker has the export.'))
      isSaid = false
    } catch (error) {
      // If the database stays unavailable, another worker takes the export, and this one learns it
      // then.
      if (!isSaid) warn(`The lease of the export ${claimed.id} was not renewed: ${String(error)}`)
      isSaid = true
    }
  }
  const timer = setInterval(say, beatMs)
  return {
    lost: controller.signal,
    count(more) {
      rows += more
    },
    rows: () => rows,
    end: () => clearInterval(timer),
  }
}

const complete: Statement = {
  name: 'audit-export-complete',
  text: `
    WITH ended AS (
      UPDATE usage.audit_export SET status = 'completed', completed_at = now(), row_count = $3,
        file = $4, kept_until = now() + make_interval(days => $5), lease_until = NULL
      WHERE id = $1 AND attempt = $2 AND status = 'running' RETURNING *
    )
    SELECT woken, ${tell('completed', '$6')} FROM ended ${wakeNext}`,
}

/** This process stops: another worker may go on at once. */
const handOver: Statement = {
  name: 'audit-export-hand-over',
  text: `
    WITH left_behind AS (
      UPDATE usage.audit_export SET lease_until = now()
      WHERE id = $1 AND attempt = $2 AND status = 'running' RETURNING id, attempt
    )
    SELECT ${watch('now()')} FROM left_behind`,
}

/** The next attempt begins when the lease ends: after 5, 10, 20 and 40 seconds. */
const fail: Statement = {
  name: 'audit-export-fail',
  text: `
    WITH ended AS (
      UPDATE usage.audit_export SET failures = failures + 1,
        lease_until = now() + make_interval(secs => 5 * 2 ^ failures),
        (status, completed_at, error) = (SELECT
          CASE WHEN is_last THEN 'failed' ELSE 'running' END,
          CASE WHEN is_last THEN now() END,
          CASE WHEN is_last THEN 'The export could not be written.' END
          FROM (SELECT failures + 1 >= ${maxFailures} AS is_last) f)
      WHERE id = $1 AND attempt = $2 AND status = 'running' RETURNING *
    )
    SELECT ended.status, woken,
      CASE WHEN ended.status = 'failed' THEN ${tell('failed', '$3')} END
    FROM ended ${wakeNext}`,
}

async function noteFailure(
  database: Database,
  claimed: Claimed,
  files: FileStorage,
): Promise<void> {
  const [noted] = await database.query<{ status: string }>(fail, [
    ...leaseOf(claimed),
    newId('evt'),
  ])
  if (noted?.status === 'failed') await removeEarlier(files, claimed)
}
