import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { coversScope } from '../../../schema/vocabulary/scopes.ts'
import { makeChange } from '../../shared/changes/change.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import type { UsageContext } from '../settings/usage-settings.ts'
import type { ExportedRows } from './audit-export.csv.ts'
import {
  type AuditExportInput,
  type AuditExportJob,
  AuditExportKind,
  type AuditExportStatus,
} from './audit-export.type.ts'
import { type Filters, filtersOf } from './audit-export-filters.ts'
import { maxExports } from './forget-exports.service.ts'
import { resultOf } from './result-link.service.ts'

/** The limit of waiting and running exports of one account and environment. */
const maxUnfinished = 3

const columns = `id, account_id AS "accountId", environment, kind, from_at AS "from", to_at AS "to",
  service, status_class AS "statusClass", actor, key_id AS "keyId", client_id AS "clientId",
  external_id AS "externalId", end_user AS "endUser", sources,
  error_code AS "errorCode", is_extended AS "isExtended", status, created_at AS "createdAt",
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
    WHERE account_id = $1 AND environment = $2 ORDER BY id DESC LIMIT ${maxExports}`,
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
  throw new DomainError('FORBIDDEN', `This ${holder} lacks the scope ${logScope}.`, {
    scope: logScope,
  })
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

const filtersOfOwned: Statement = {
  name: 'audit-export-filters',
  text: `
    SELECT kind, from_at AS "from", to_at AS "to", service, status_class, actor, key_id, client_id,
      external_id, end_user, sources, error_code, is_extended AS extended
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
        client_id, external_id, end_user, sources, error_code, is_extended)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
}

/** An export that leaves the list is deleted with its file: see `forgetAuditExports`. */
const expireOldest: Statement = {
  name: 'audit-exports-expire-oldest',
  text: `
    UPDATE usage.audit_export SET kept_until = now() WHERE id = ANY (ARRAY(
      SELECT id FROM usage.audit_export WHERE account_id = $1 AND environment = $2
      ORDER BY id DESC OFFSET ${maxExports}))`,
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
  const ofFailures = [callers.error_code ?? null, callers.extended ?? null]
  const filters = [kind, from, to, service, status_class, actor, ...ofCallers, ...ofFailures]
  await tx.query(insertExport, [id, ...owner, ...filters])
  await tx.query(expireOldest, owner)
  await enqueueJob(tx, 'RunAuditExport', { id, attempt: 0 })
  return { id }
}

function toJob(context: UsageContext, row: ExportRow): AuditExportJob {
  const { id, environment, from, to, kind, service, actor } = row
  const { keyId, clientId, externalId, endUser, sources, errorCode, isExtended } = row
  const { status, createdAt, startedAt, completedAt, rowCount, error } = row
  const pollUrl = `${context.baseUrls[environment]}/v1/account/audit/export/${id}`
  const statusClass = row.statusClass === null ? null : `${row.statusClass}xx`
  return {
    ...{ id, status, createdAt, startedAt, completedAt, rowCount, error, pollUrl },
    filters: {
      ...{ from, to, kind, service, statusClass, actor },
      ...{ keyId, clientId, externalId, endUser, source: sources?.join(',') ?? null },
      ...{ errorCode, isExtended },
    },
    ...resultOf(context, row, pollUrl),
  }
}
