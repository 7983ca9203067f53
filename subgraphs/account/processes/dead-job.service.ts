import { actOf } from '../../shared/changes/act.ts'
import { makeChange, recordRefusal } from '../../shared/changes/change.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { Queryable } from '../../shared/database/statement.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { DeadJob, RetriedJobs, RetryJobsInput } from './dead-job.type.ts'

const oldestDead: Statement = {
  name: 'oldest-dead-jobs',
  text: `SELECT id, operation, variables, coalesce(reason, 'Its worker died, or took too long.') AS reason,
      failed_at AS "failedAt" FROM jobs.dead($1)`,
}

interface DeadJobRow extends Omit<DeadJob, 'subject'> {
  readonly variables: Readonly<Record<string, unknown>>
}

/** The jobs of the database of accounts that failed too often, oldest first. */
export async function deadJobs(database: Database, first: number): Promise<DeadJob[]> {
  requireAll([['first', first >= 1 && first <= 200, 'must be 1 to 200']])
  const rows = await database.query<DeadJobRow>(oldestDead, [first])
  return rows.map(({ variables, ...job }) => ({ ...job, subject: subjectOf(variables) }))
}

/** Variables may hold a mail, a link or an event: ids and instants alone say enough. */
function subjectOf(variables: DeadJobRow['variables']): object {
  const isTelling = (value: unknown) =>
    typeof value === 'string' && /^([a-z]+_[0-9a-z]{26}|\d{4}-\d\d-\d\dT[\d:.]+Z)$/.test(value)
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => isTelling(value)))
}

const countDead: Statement = {
  name: 'count-dead-jobs',
  text: 'SELECT jobs.count_dead()::int AS count',
}

const retryDead: Statement = {
  name: 'retry-dead-jobs',
  text: 'SELECT jobs.retry_dead($1, $2)::int AS count',
}

async function countOf(tx: Queryable, statement: Statement, values: readonly unknown[] = []) {
  const [row] = await tx.query<{ count: number }>(statement, values)
  return row?.count ?? 0
}

/** Tries the oldest thousand dead jobs again, or those that are named. Throws NOT_FOUND for an unknown id. */
export async function retryJobs(
  context: GraphContext,
  { id = null, operation = null, ...said }: RetryJobsInput,
): Promise<RetriedJobs> {
  const change = {
    ...{ owner: null, action: 'job.retry', resourceId: id ?? operation ?? undefined },
    request: { id, operation, reason: said.reason },
  }
  const { once, why } = await recordRefusal(context, change, async () => {
    const isId = id === null || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
    if (!isId) throw new DomainError('NOT_FOUND', 'No dead job has this id.')
    return actOf(context.caller, said)
  })
  const note = ({ retried, deadBefore, deadAfter }: RetriedJobs) => ({
    details: {
      ...{ ...(operation && { operation }), retried, ...why },
      ...{ before: { dead: deadBefore }, after: { dead: deadAfter } },
    },
  })
  return makeChange(context, { ...change, once, note }, async (tx) => {
    const deadBefore = await countOf(tx, countDead)
    const retried = await countOf(tx, retryDead, [id, operation])
    if (id !== null && retried === 0) {
      throw new DomainError('NOT_FOUND', 'No dead job has this id.')
    }
    return { retried, deadBefore, deadAfter: await countOf(tx, countDead) }
  })
}
