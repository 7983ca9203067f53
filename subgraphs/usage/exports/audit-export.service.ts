import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { deriveKey } from '../../../schema/credentials/secrets.ts'
import { isId, newId } from '../../../schema/vocabulary/ids.ts'
import { coversScope } from '../../../schema/vocabulary/scopes.ts'
import { forgetDoneChanges, makeChange, type Owner } from '../../shared/changes/change.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { everyone } from '../../shared/database/tenant.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import type { ExportSettings, UsageContext } from '../settings/usage-settings.ts'
import type { ExportedRows } from './audit-export.csv.ts'
import {
  type AuditExportFile,
  type AuditExportInput,
  type AuditExportJob,
  AuditExportKind,
  type AuditExportStatus,
} from './audit-export.type.ts'
import { isGoodLink, signLink } from './audit-export-link.ts'

/** The newest of each account and environment are kept and listed, and no others. */
const maxJobs = 200
/** Of one account and environment that wait or run at the same time. */
const maxUnfinished = 3

const columns = `id, account_id, environment, kind, from_at, to_at, service, status_class, actor,
  status, created_at, started_at, completed_at, row_count, error, file`

interface ExportRow extends ExportedRows {
  readonly id: string
  readonly status: AuditExportStatus
  readonly created_at: Date
  readonly started_at: Date | null
  readonly completed_at: Date | null
  readonly row_count: number | null
  readonly error: string | null
  readonly file: string | null
}

const newestExports: Statement = {
  name: 'audit-exports-newest-first',
  text: `SELECT ${columns} FROM usage.audit_export
    WHERE account_id = $1 AND environment = $2 ORDER BY id DESC LIMIT ${maxJobs}`,
}

/** All that are kept, newest first; without a link where the caller may not read what it leads to. */
export async function listAuditExports(
  context: UsageContext,
  caller: AccountCaller,
): Promise<AuditExportJob[]> {
  const values = [caller.accountId, caller.environment]
  const rows = await context.database.query<ExportRow>(newestExports, values)
  return rows.map((row) => toJob(context, mayRead(caller, row) ? row : { ...row, file: null }))
}

const logScope = 'usage:read'

/** The log is for whoever may read it, also by way of an export; the scope of exports is the trail's. */
function mayRead({ scopes }: AccountCaller, { kind }: Pick<Filters, 'kind'>): boolean {
  return kind !== AuditExportKind.requests || coversScope(scopes, logScope)
}

/** Throws FORBIDDEN, naming the scope. */
function requireReadable(caller: AccountCaller, filters: Pick<Filters, 'kind'>): void {
  if (mayRead(caller, filters)) return
  const holder = caller.clientId === undefined ? 'API key' : 'access token'
  throw new DomainError('FORBIDDEN', `This ${holder} lacks the scope ${logScope}.`)
}

const ownedExport: Statement = {
  name: 'audit-export',
  text: `SELECT ${columns} FROM usage.audit_export
    WHERE id = $1 AND account_id = $2 AND environment = $3`,
}

/** Throws NOT_FOUND for another account's too, and FORBIDDEN where the caller may not read the log. */
export async function getAuditExport(
  context: UsageContext,
  caller: AccountCaller,
  id: string,
): Promise<AuditExportJob> {
  const values = [id, caller.accountId, caller.environment]
  const [row] = await context.database.query<ExportRow>(ownedExport, values)
  if (!row) throw noSuchExport()
  requireReadable(caller, row)
  return toJob(context, row)
}

function noSuchExport(): DomainError {
  return new DomainError('NOT_FOUND', 'No audit export has this id.')
}

/** Throws CONFLICT while so many of the account's wait or run, and FORBIDDEN as above. */
export async function createAuditExport(
  context: UsageContext,
  owner: AccountCaller,
  input: AuditExportInput,
  once: OnceInput | null,
): Promise<AuditExportJob> {
  const filters = filtersOf(input)
  const note = ({ id }: { id: string }) => ({ resourceId: id, details: filters })
  const { id } = await makeChange(
    context,
    { owner, action: 'audit_export.create', once, request: filters, note },
    async (tx) => {
      requireReadable(owner, filters)
      return queueExport(tx, owner, filters)
    },
  )
  return getAuditExport(context, owner, id)
}

/** Another export with the filters of one before. Throws NOT_FOUND, and CONFLICT and FORBIDDEN as above. */
export async function repeatAuditExport(
  context: UsageContext,
  owner: AccountCaller,
  repeatedId: string,
  once: OnceInput | null,
): Promise<AuditExportJob> {
  const request = { repeatedId }
  const note = ({ id }: { id: string }) => ({ details: { audit_export_id: id } })
  const action = 'audit_export.repeat'
  const { id } = await makeChange(
    context,
    { owner, action, resourceId: repeatedId, once, request, note },
    async (tx) => {
      const filters = await filtersOfExport(tx, owner, repeatedId)
      requireReadable(owner, filters)
      return queueExport(tx, owner, filters)
    },
  )
  return getAuditExport(context, owner, id)
}

/** As they are stored, and as the audit trail shows them. */
interface Filters {
  readonly kind: AuditExportKind
  readonly from: Date | null
  readonly to: Date | null
  readonly service: string | null
  readonly status_class: number | null
  readonly actor: string | null
}

/** Throws INVALID_REQUEST that names what does not go together. */
function filtersOf(input: AuditExportInput): Filters {
  const filters = {
    kind: input.kind ?? AuditExportKind.activity,
    from: input.from ?? null,
    to: input.to ?? null,
    service: input.service ?? null,
    status_class: input.statusClass ?? null,
    actor: input.actor ?? null,
  }
  const { kind, from, to, service, status_class, actor } = filters
  const isActivity = kind === AuditExportKind.activity
  requireAll([
    ['to', !from || !to || to > from, 'must be later than from'],
    ['service', !isActivity || service === null, 'filters requests: it needs the kind requests'],
    [
      'status_class',
      !isActivity || status_class === null,
      'filters requests: it needs the kind requests',
    ],
    ['actor', isActivity || actor === null, 'filters activity: it needs the kind activity'],
  ])
  return filters
}

async function filtersOfExport(
  tx: SqlEntityManager,
  { accountId, environment }: Owner,
  id: string,
): Promise<Filters> {
  const [row] = await tx.execute<Filters[]>(
    `SELECT kind, from_at AS "from", to_at AS "to", service, status_class, actor
     FROM usage.audit_export WHERE id = ? AND account_id = ? AND environment = ?`,
    [id, accountId, environment],
  )
  if (!row) throw noSuchExport()
  return row
}

/** One at a time for each owner, so that the limit holds. */
async function queueExport(
  tx: SqlEntityManager,
  { accountId, environment }: Owner,
  { kind, from, to, service, status_class, actor }: Filters,
): Promise<{ id: string }> {
  const lock = 'SELECT pg_advisory_xact_lock(hashtextextended(?, 0))'
  await tx.execute(lock, [`audit-export/${accountId}/${environment}`])
  const unfinished = await tx.execute<object[]>(
    `SELECT 1 FROM usage.audit_export
     WHERE account_id = ? AND environment = ? AND status IN ('queued', 'running')`,
    [accountId, environment],
  )
  if (unfinished.length >= maxUnfinished) {
    const message = `${maxUnfinished} exports wait or run already; ask again when one is done.`
    throw new DomainError('CONFLICT', message)
  }
  const id = newId('exp')
  await tx.execute(
    `INSERT INTO usage.audit_export
       (id, account_id, environment, kind, from_at, to_at, service, status_class, actor)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [id, accountId, environment, kind, from, to, service, status_class, actor],
  )
  // What leaves the list goes with its file: see forgetAuditExports.
  await tx.execute(
    `UPDATE usage.audit_export SET kept_until = now() WHERE id IN (
       SELECT id FROM usage.audit_export WHERE account_id = ? AND environment = ?
       ORDER BY id DESC OFFSET ${maxJobs})`,
    [accountId, environment],
  )
  await enqueueJob(tx, 'RunAuditExport', { id, attempt: 0 })
  return { id }
}

function toJob(context: UsageContext, row: ExportRow): AuditExportJob {
  const { id, status_class } = row
  const pollUrl = `${context.baseUrls[row.environment]}/v1/account/audit/export/${id}`
  return {
    id,
    status: row.status,
    filters: {
      from: row.from_at,
      to: row.to_at,
      kind: row.kind,
      service: row.service,
      statusClass: status_class === null ? null : `${status_class}xx`,
      actor: row.actor,
    },
    createdAt: row.created_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    rowCount: row.row_count,
    error: row.error,
    pollUrl,
    ...resultOf(context, row, pollUrl),
  }
}

/** A link of its own for every look: whoever has it needs nothing else. */
function resultOf(
  context: UsageContext,
  { id, account_id: accountId, environment, file }: ExportRow,
  pollUrl: string,
): Pick<AuditExportJob, 'resultUrl' | 'resultExpiresAt'> {
  if (file === null) return { resultUrl: null, resultExpiresAt: null }
  const { urlTtlSeconds } = requireExports(context)
  const expiresSeconds = Math.floor(Date.now() / 1000) + urlTtlSeconds
  const expires = String(expiresSeconds)
  const signature = signLink(linkKeyOf(context), { id, accountId, environment, expires })
  return {
    resultUrl: `${pollUrl}/result?expires=${expires}&signature=${signature}`,
    resultExpiresAt: new Date(expiresSeconds * 1000),
  }
}

function linkKeyOf({ gatewaySecret }: UsageContext): Uint8Array {
  return deriveKey(gatewaySecret, 'export-url')
}

const exportById: Statement = {
  name: 'audit-export-by-id',
  text: 'SELECT account_id, environment, file FROM usage.audit_export WHERE id = $1',
}

/**
 * The file that a link leads to. Throws FORBIDDEN for whatever is not a good link, so that nothing can
 * be learnt by trying, and NOT_FOUND for a good one whose file is deleted.
 */
export async function followLink(
  { database, caller, gatewaySecret }: UsageContext,
  { id, expires, signature }: { id: string; expires: string; signature: string },
): Promise<AuditExportFile> {
  const row = isId('exp', id) ? await findExport(database, id) : null
  const { environment } = caller
  const isGood =
    row !== null &&
    row.environment === environment &&
    isGoodLink(
      deriveKey(gatewaySecret, 'export-url'),
      { id, accountId: row.account_id, environment, expires },
      signature,
    )
  if (!isGood) {
    throw new DomainError('FORBIDDEN', 'This link is not valid, or not any more; ask for the job.')
  }
  if (row.file === null) throw new DomainError('NOT_FOUND', 'The result has been deleted.')
  return { file: row.file, fileName: `audit-export-${id}.csv` }
}

type LinkedRow = Pick<ExportRow, 'account_id' | 'environment' | 'file'>

/** Whoever has a link is nobody: whose export it is, the signature has to say. */
async function findExport(database: Database, id: string): Promise<LinkedRow | null> {
  const [row] = await database.as(everyone).query<LinkedRow>(exportById, [id])
  return row ?? null
}

/** Throws SERVICE_UNAVAILABLE where no storage is configured. */
export function requireExports({ exports }: Pick<UsageContext, 'exports'>): ExportSettings {
  if (exports) return exports
  throw new DomainError('SERVICE_UNAVAILABLE', 'No results of exports are kept here.')
}

const expiredExports: Statement = {
  name: 'audit-exports-expired',
  text: `SELECT id, file FROM usage.audit_export WHERE kept_until <= now()
    ORDER BY kept_until LIMIT $1`,
}

/** What is still in the list stays there without its file. */
const forgetFile: Statement = {
  name: 'audit-export-forget-file',
  text: `UPDATE usage.audit_export e SET file = NULL, kept_until = NULL
    WHERE id = $1 AND file IS NOT DISTINCT FROM $2 AND (
      SELECT count(*) FROM usage.audit_export o
      WHERE o.account_id = e.account_id AND o.environment = e.environment AND o.id > e.id
    ) < ${maxJobs} RETURNING 1`,
}

const forgetExport: Statement = {
  name: 'audit-export-forget',
  text: `DELETE FROM usage.audit_export
    WHERE id = $1 AND file IS NOT DISTINCT FROM $2 AND kept_until <= now()`,
}

/** So that those behind it have their turn. */
const postpone: Statement = {
  name: 'audit-export-postpone',
  text: `UPDATE usage.audit_export SET kept_until = now() + interval '1 hour'
    WHERE id = $1 AND kept_until <= now()`,
}

const forgetChanges: Statement = {
  name: 'forget-done-changes-of-usage',
  text: forgetDoneChanges('usage'),
}

/**
 * Deletes results that were kept long enough, exports that have left the list, and what recognised
 * repetitions: up to `limit` of each; returns the most that went of one. A file that cannot be removed
 * is left for an hour; when all others have had their turn, throws why.
 */
export async function forgetAuditExports(context: UsageContext, limit: number): Promise<number> {
  const { database } = context
  const { files } = requireExports(context)
  const changes = await database.query(forgetChanges, [limit])
  const expired = await database.query<Pick<ExportRow, 'id' | 'file'>>(expiredExports, [limit])
  const failures: unknown[] = []
  for (const { id, file } of expired) {
    try {
      // First: what nobody knows of any more, nobody would delete.
      if (file !== null) await files.remove(file)
    } catch (error) {
      failures.push(error)
      await database.query(postpone, [id])
      continue
    }
    const [kept] = await database.query(forgetFile, [id, file])
    if (!kept) await database.query(forgetExport, [id, file])
  }
  if (failures.length > 0) {
    const message = `Results that could not be removed: ${failures.length}; ${String(failures[0])}`
    throw new AggregateError(failures, message)
  }
  return Math.max(changes.length, expired.length)
}
