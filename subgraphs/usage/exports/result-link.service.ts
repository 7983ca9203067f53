import type { KeyObject } from 'node:crypto'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { macKey } from '../../../schema/credentials/secrets.ts'
import { isId } from '../../../schema/vocabulary/ids.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { UsageContext } from '../settings/usage-settings.ts'
import type { AuditExportFile, AuditExportJob } from './audit-export.type.ts'
import { isGoodLink, linkSeconds, signLink } from './audit-export-link.ts'

/** Each answer has a new link: the link alone is enough to read the result. */
export function resultOf(
  context: UsageContext,
  { id, accountId, environment, file }: LinkedRow & { readonly id: string },
  pollUrl: string,
): Pick<AuditExportJob, 'resultUrl' | 'resultExpiresAt'> {
  if (file === null) return { resultUrl: null, resultExpiresAt: null }
  const expiresSeconds = Math.floor(Date.now() / 1000) + linkSeconds
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
  context: UsageContext,
  { id, expires, signature }: { id: string; expires: string; signature: string },
): Promise<AuditExportFile> {
  const row = isId('exp', id) ? await findExport(context.database, id) : null
  const { environment } = context.caller
  const isGood =
    row !== null &&
    row.environment === environment &&
    isGoodLink(
      linkKeyOf(context),
      { id, accountId: row.accountId, environment, expires },
      signature,
    )
  if (!isGood) {
    throw new DomainError('FORBIDDEN', 'This link is invalid or no longer works; ask for the job.')
  }
  if (row.file === null) throw new DomainError('NOT_FOUND', 'The result has been deleted.')
  return { file: row.file, fileName: `audit-export-${id}.csv` }
}

interface LinkedRow {
  readonly accountId: string
  readonly environment: Environment
  readonly file: string | null
}

/** The holder of a link is anonymous: only the signature proves the account. */
async function findExport(database: Database, id: string): Promise<LinkedRow | null> {
  const [row] = await database.as(allTenants).query<LinkedRow>(exportById, [id])
  return row ?? null
}
