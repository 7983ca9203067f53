import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { lowestId } from '../../../schema/vocabulary/ids.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { invalidRequest } from '../../shared/graph/errors.ts'
import { callerConditions, writeConditions } from '../callers/caller-columns.ts'
import type { UsageErrorGroup, UsageErrors, UsageErrorsFilter } from './usage-errors.type.ts'

/** The limit of counted failures: only the newest ones count. */
const maxEntries = 10_000
const maxGroups = 100
const usualMs = 7 * 86_400_000

/** The entries of all groups: with a code by the index of codes, otherwise by that of kinds. */
type Source = 'code' | 'kinds'

function groupsStatement(
  source: Source,
  isExtended: boolean,
  conditions: string,
  name: string,
): Statement {
  const code = isExtended ? 'error_code' : 'NULL::text'
  const newest = `
    SELECT request_id, ts, service, method || ' ' || route AS endpoint, status,
      ${code} AS error_code
    FROM usage.usage_log
    WHERE account_id = $1 AND environment = $2 AND request_id >= $3 AND request_id < $4
      AND is_session IS NOT TRUE${conditions}`
  const last = `ORDER BY request_id DESC LIMIT ${maxEntries + 1}`
  return {
    name: `usage-errors ${source} ${isExtended ? 'apart ' : ''}${name}`,
    text: `
      WITH failed AS MATERIALIZED (${
        source === 'code'
          ? `${newest} AND ($5::text IS NULL OR service = $5)
      AND ($6::int IS NULL OR status_class = $6) ${last}`
          : newestOfKinds(newest, last)
      })
      SELECT service, endpoint, status, error_code AS "errorCode", count(*)::int AS requests,
        min(ts) AS "firstAt", max(ts) AS "lastAt", max(request_id) AS "lastRequestId",
        (SELECT count(*) FROM failed)::int AS entries
      FROM (SELECT * FROM failed ORDER BY request_id DESC LIMIT ${maxEntries}) f
      GROUP BY service, endpoint, status, error_code
      ORDER BY requests DESC, "lastRequestId" DESC LIMIT ${maxGroups}`,
  }
}

/** The newest failures of each kind, then the newest of these. */
function newestOfKinds(newest: string, last: string): string {
  return `
        SELECT l.* FROM (
          SELECT service, status_class, credit_class FROM usage.usage_kind
          WHERE account_id = $1 AND environment = $2 AND status_class >= 4
            AND ($5::text IS NULL OR service = $5) AND ($6::int IS NULL OR status_class = $6)
        ) k CROSS JOIN LATERAL (${newest} AND service = k.service
            AND status_class = k.status_class AND credit_class = k.credit_class ${last}
        ) l ${last}`
}

interface GroupRow extends UsageErrorGroup {
  /** How many entries were read for all groups. */
  readonly entries: number
}

/** The failed requests of keys and apps. Throws INVALID_REQUEST if the span is empty. */
export async function groupUsageErrors(
  database: Database,
  { accountId, environment }: AccountScope,
  { service, statusClass, errorCode, isExtended, ...asked }: UsageErrorsFilter,
): Promise<UsageErrors> {
  const to = asked.to ?? new Date()
  const from = asked.from ?? new Date(to.getTime() - usualMs)
  // This is checked even if one of the two is left out, because the other may be on the wrong side
  // of now.
  if (from >= to)
    throw invalidRequest([{ field: 'from', in: 'query', message: 'must be before to' }])
  const ofCode = { name: 'e', test: 'error_code = $1', value: errorCode }
  const { sql, values, name } = writeConditions([...callerConditions(asked), ofCode], 7)
  const source = (errorCode ?? null) === null ? 'kinds' : 'code'
  const ids = [lowestId('req', Math.max(0, from.getTime())), lowestId('req', to.getTime())]
  const owner = [accountId, environment, ...ids, service ?? null, statusClass ?? null]
  const rows = await database.query<GroupRow>(groupsStatement(source, isExtended, sql, name), [
    ...owner,
    ...values,
  ])
  const isComplete = rows.every(({ entries }) => entries <= maxEntries)
  return { from, to, isComplete, items: rows }
}
