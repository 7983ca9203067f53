import type { KeyObject } from 'node:crypto'
import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { macKey } from '../../../schema/credentials/secrets.ts'
import { isId, newId } from '../../../schema/vocabulary/ids.ts'
import { coversScope } from '../../../schema/vocabulary/scopes.ts'
import { type AccountScope, forgetDoneChanges, makeChange } from '../../shared/changes/change.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Database, Statement, Transaction } from '../../shared/database/database.ts'
import { everyone } from '../../shared/database/tenant.ts'
import { type Check, requireAll } from '../../shared/graph/checks.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import type { UsageSource } from '../log/usage-log.type.ts'
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

/** Only so many exports, the newest ones, are kept and listed for each account and environment. */
const maxJobs = 200
/** The limit of waiting and running exports of one account and environment. */
const maxUnfinished = 3

const columns = `id, account_id AS "accountId", environment, kind, from_at AS "from", to_at AS "to",
  service, status_class AS "statusClass", actor, key_id AS "keyId", client_id AS "clientId",
  external_id AS "externalId", end_user AS "endUser", sources, status, created_at AS "createdAt",
  started_at AS "startedAt", completed_at AS "completedAt", row_count AS "rowCount", error, file`

interface ExportRow extends ExportedRows {
  readonly id: string
  readonly status: AuditExportStatus
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly completedAt: Date | null
  readonly rowCount: number | null
  readonly error: string | null
  readonly file: string | null
}

const newestExports: Statement = {
  name: 'audit-exports-newest-first',
  text: `SELECT ${columns} FROM usage.audit_export
    WHERE account_id = $1 AND environment = $2 ORDER BY id DESC LIMIT ${maxJobs}`,
}

/** All kept exports, newest first; without a link if the caller may not read the result. */
export async function listAuditExports(
  context: UsageContext,
  caller: AccountCaller,
): Promise<AuditExportJob[]> {
  const values = [caller.accountId, caller.environment]
  const rows = await context.database.query<ExportRow>(newestExports, values)
  return rows.map((row) => toJob(context, mayRead(caller, row) ? row : { ...row, file: null }))
}

const logScope = 'usage:read'

/**
 * An export of the log needs the scope of the log; the scopes of exports are those of the trail.
 */
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

/**
 * Throws NOT_FOUND also for the export of another account, and FORBIDDEN if the caller may not read
 * the log.
 */
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

/** Throws CONFLICT while too many exports of the account wait or run, and FORBIDDEN as above. */
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

/**
 * Makes another export with the filters of an earlier one. Throws NOT_FOUND, and CONFLICT and
 * FORBIDDEN as above.
 */
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

/** The filters as they are stored, and as the audit trail shows them. */
interface Filters {
  readonly kind: AuditExportKind
  readonly from: Date | null
  readonly to: Date | null
  readonly service: string | null
  readonly status_class: number | null
  readonly actor: string | null
  /** Those of callers are there only if they are asked for. */
  readonly key_id?: string | null
  readonly client_id?: string | null
  readonly external_id?: string | null
  readonly end_user?: string | null
  readonly sources?: readonly UsageSource[] | null
}

const needsRequests = 'filters requests: it needs the kind requests'

/** Throws INVALID_REQUEST that names the filters that do not fit each other. */
function filtersOf(input: AuditExportInput): Filters {
  const filters = {
    kind: input.kind ?? AuditExportKind.activity,
    from: input.from ?? null,
    to: input.to ?? null,
    service: input.service ?? null,
    status_class: input.statusClass ?? null,
    actor: input.actor ?? null,
    ...callersOf(input),
  }
  const { kind, from, to, service, status_class, actor } = filters
  const isActivity = kind === AuditExportKind.activity
  requireAll([
    ['to', !from || !to || to > from, 'must be later than from'],
    ['service', !isActivity || service === null, needsRequests],
    ['status_class', !isActivity || status_class === null, needsRequests],
    ['actor', isActivity || actor === null, 'filters activity: it needs the kind activity'],
    ...Object.keys(callersOf(input)).map(
      (name): Check => [name === 'sources' ? 'source' : name, !isActivity, needsRequests],
    ),
  ])
  return filters
}

function callersOf({ keyId, clientId, externalId, endUser, sources }: AuditExportInput) {
  return {
    ...(keyId ? { key_id: keyId } : {}),
    ...(clientId ? { client_id: clientId } : {}),
    ...(externalId ? { external_id: externalId } : {}),
    ...(endUser ? { end_user: endUser } : {}),
    ...(sources ? { sources } : {}),
  }
}

const filtersOfOwned: Statement = {
  name: 'audit-export-filters',
  text: `
    SELECT kind, from_at AS "from", to_at AS "to", service, status_class, actor, key_id, client_id,
      external_id, end_user, sources
    FROM usage.audit_export WHERE id = $1 AND account_id = $2 AND environment = $3`,
}

async function filtersOfExport(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  id: string,
): Promise<Filters> {
  const [row] = await tx.query<Filters>(filtersOfOwned, [id, accountId, environment])
  if (!row) throw noSuchExport()
  return row
}

const lockOwner: Statement = {
  name: 'lock-audit-exports',
  text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
}

const unfinishedExports: Statement = {
  name: 'audit-exports-unfinished',
  text: `
    SELECT id FROM usage.audit_export
    WHERE account_id = $1 AND environment = $2 AND status IN ('queued', 'running')`,
}

const insertExport: Statement = {
  name: 'insert-audit-export',
  text: `
    INSERT INTO usage.audit_export
      (id, account_id, environment, kind, from_at, to_at, service, status_class, actor, key_id,
        client_id, external_id, end_user, sources)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
}

/** An export that leaves the list is deleted with its file: see forgetAuditExports. */
const expireOldest: Statement = {
  name: 'audit-exports-expire-oldest',
  text: `
    UPDATE usage.audit_export SET kept_until = now() WHERE id = ANY (ARRAY(
      SELECT id FROM usage.audit_export WHERE account_id = $1 AND environment = $2
      ORDER BY id DESC OFFSET ${maxJobs}))`,
}

/** The lock of the owner makes the limit hold for simultaneous requests. */
async function queueExport(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  { kind, from, to, service, status_class, actor, ...callers }: Filters,
): Promise<{ id: string }> {
  const owner = [accountId, environment]
  await tx.query(lockOwner, [`audit-export/${accountId}/${environment}`])
  const unfinished = await tx.query(unfinishedExports, owner)
  if (unfinished.length >= maxUnfinished) {
    const message = `${maxUnfinished} exports wait or run already; ask again when one is done.`
    throw new DomainError('CONFLICT', message)
  }
  const id = newId('exp')
  const { key_id = null, client_id = null, external_id = null, end_user = null } = callers
  const ofCallers = [key_id, client_id, external_id, end_user, callers.sources ?? null]
  const filters = [kind, from, to, service, status_class, actor, ...ofCallers]
  await tx.query(insertExport, [id, ...owner, ...filters])
  await tx.query(expireOldest, owner)
  await enqueueJob(tx, 'RunAuditExport', { id, attempt: 0 })
  return { id }
}

function toJob(context: UsageContext, row: ExportRow): AuditExportJob {
  const { id, environment, from, to, kind, service, actor } = row
  const { keyId, clientId, externalId, endUser, sources } = row
  const { status, createdAt, startedAt, completedAt, rowCount, error } = row
  const pollUrl = `${context.baseUrls[environment]}/v1/account/audit/export/${id}`
  const statusClass = row.statusClass === null ? null : `${row.statusClass}xx`
  return {
    ...{ id, status, createdAt, startedAt, completedAt, rowCount, error, pollUrl },
    filters: {
      ...{ from, to, kind, service, statusClass, actor },
      ...{ keyId, clientId, externalId, endUser, source: sources?.join(',') ?? null },
    },
    ...resultOf(context, row, pollUrl),
  }
}

/** Each answer has a new link: the link alone is enough to read the result. */
function resultOf(
  context: UsageContext,
  { id, accountId, environment, file }: ExportRow,
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

function linkKeyOf({ gatewaySecret }: UsageContext): KeyObject {
  return macKey(gatewaySecret, 'export-url')
}

const exportById: Statement = {
  name: 'audit-export-by-id',
  text: `SELECT account_id AS "accountId", environment, file FROM usage.audit_export
    WHERE id = $1`,
}

/**
 * The file of a link. Throws FORBIDDEN for any invalid link, so that guesses reveal nothing, and
 * NOT_FOUND for a valid link whose file has been deleted.
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
      macKey(gatewaySecret, 'export-url'),
      { id, accountId: row.accountId, environment, expires },
      signature,
    )
  if (!isGood) {
    throw new DomainError('FORBIDDEN', 'This link is not valid, or not any more; ask for the job.')
  }
  if (row.file === null) throw new DomainError('NOT_FOUND', 'The result has been deleted.')
  return { file: row.file, fileName: `audit-export-${id}.csv` }
}

type LinkedRow = Pick<ExportRow, 'accountId' | 'environment' | 'file'>

/** The holder of a link is anonymous: only the signature proves the account. */
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

/** An export that is still in the list stays there without its file. */
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

/** Puts the export behind the others that have to be deleted. */
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
 * Deletes results that were kept long enough, exports that have left the list, and records of done
 * changes: up to `limit` of each; returns the largest number of one kind. A file that cannot be
 * removed is tried again after an hour; after all others it throws the reason.
 */
export async function forgetAuditExports(context: UsageContext, limit: number): Promise<number> {
  const { database } = context
  const { files } = requireExports(context)
  const changes = await database.query(forgetChanges, [limit])
  const expired = await database.query<Pick<ExportRow, 'id' | 'file'>>(expiredExports, [limit])
  const failures: unknown[] = []
  for (const { id, file } of expired) {
    try {
      // The file goes first: without its row it would never be deleted.
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
