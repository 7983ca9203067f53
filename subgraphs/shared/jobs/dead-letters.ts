import pg from 'pg'
import { connectTimeoutMs } from '../database/health/connect-timeout.ts'
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

/** The oldest thousand jobs that were not retried by an operator. */
export function listDeadLetters(url: string, sessionSettings: string): Promise<DeadLetter[]> {
  return withClient({ connectionString: url, options: sessionSettings }, async (client) => {
    const { rows } = await client.query<DeadLetterRow>(
      `SELECT id, source_name AS operation, data AS variables, source_output ->> 'reason' AS reason,
         created_on AS "failedAt"
       FROM ${schema}.job WHERE name = $1 AND state = 'created' ORDER BY created_on LIMIT $2`,
      [deadLetters, maxDeadLetters],
    )
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

async function withClient<Result>(
  options: pg.ClientConfig & { readonly connectionString: string },
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    ...options,
    connectionTimeoutMillis: connectTimeoutMs(options.connectionString, 5000),
  })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
