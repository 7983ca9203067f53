import { onOwnConnection } from '../database/own-connection.ts'
import { queryConfig, type Statement } from '../database/statement.ts'
import { deadLetters, openBoss, schema } from './boss.ts'

/** A job that failed too often. */
export interface DeadLetter {
  readonly id: string
  readonly operation: string
  readonly variables: object
  /** Why its last attempt failed. */
  readonly reason: string
  /** ISO 8601. */
  readonly failedAt: string
}

const maxDeadLetters = 1000

const oldestDeadLetters: Statement = {
  name: 'dead-letters-oldest',
  text: `SELECT id, source_name AS operation, data AS variables, source_output ->> 'reason' AS reason,
      created_on AS "failedAt"
    FROM ${schema}.job WHERE name = $1 AND state = 'created' ORDER BY created_on LIMIT $2`,
}

/** The oldest thousand jobs that were not retried by an operator. */
export function listDeadLetters(url: string, sessionSettings: string): Promise<DeadLetter[]> {
  return onOwnConnection(url, { options: sessionSettings }, async (client) => {
    const query = queryConfig(oldestDeadLetters, [deadLetters, maxDeadLetters])
    const { rows } = await client.query<DeadLetterRow>(query)
    return rows.map(({ reason, failedAt, ...job }) => ({
      ...job,
      reason: reason ?? 'Its worker died, or took too long.',
      failedAt: failedAt.toISOString(),
    }))
  })
}

interface DeadLetterRow extends Omit<DeadLetter, 'reason' | 'failedAt'> {
  readonly reason: string | null
  readonly failedAt: Date
}

/**
 * Retries the oldest thousand dead letters, or those of one operation if it is named. Returns their
 * number.
 */
export async function retryDeadLetters(
  url: string,
  sessionSettings: string,
  operation?: string,
): Promise<number> {
  const boss = await openBoss({ connectionString: url, options: sessionSettings, migrate: false })
  try {
    return await boss.redrive(deadLetters, { sourceName: operation, limit: maxDeadLetters })
  } finally {
    await boss.stop({ graceful: false })
  }
}
