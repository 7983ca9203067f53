/** The caller of an entry of the log; a member that is null means any. */
export interface CallerFilter {
  readonly keyId?: string | null
  readonly clientId?: string | null
  readonly externalId?: string | null
}

/**
 * SQL: the columns of an entry of the log that distinguish the sums by key, as `usage_key` has
 * them.
 */
export const callerColumns = `coalesce(key_id, '') AS key_id, coalesce(client_id, '') AS client_id,
          coalesce(external_id, '') AS external_id, coalesce(is_session, false) AS is_session`

/**
 * SQL: the epoch in which an entry is recorded. A call of a session costs nothing and is in no sum:
 * its epoch is never opened, so it is never folded.
 */
export function epochOf(isSession: string, epoch: string): string {
  return `CASE WHEN ${isSession} THEN ${uncounted} ELSE ${epoch} END`
}

const uncounted = -1

/** SQL: whether an entry is, or will be, in the sums. */
export const isCounted = `epoch <> ${uncounted}`

/** SQL: the source of an entry. Its client is null or empty unless a token was used. */
export const sourceColumn = `CASE WHEN is_session THEN 'session'
      WHEN coalesce(client_id, '') <> '' THEN 'token' ELSE 'key' END`

/** SQL that adds the rows of `select` to the sums by key. The rows have the order of the key. */
export function addToKeys(select: string): string {
  return `
      INSERT INTO usage.usage_key AS k (account_id, environment, unit, start, service, key_id,
        client_id, external_id, is_session, requests, successes, credits, first_id, last_id)
      ${select}
      ON CONFLICT (account_id, environment, unit, start, service, key_id, client_id, external_id,
        is_session)
      DO UPDATE SET requests = k.requests + excluded.requests,
        successes = k.successes + excluded.successes, credits = k.credits + excluded.credits,
        first_id = least(k.first_id, excluded.first_id),
        last_id = greatest(k.last_id, excluded.last_id)`
}

/** A condition of a statement: `test` has `$1` for the value. Without a value there is no condition. */
export interface Condition {
  /** The letter of the condition in the names of statements, which are short. */
  readonly name: string
  readonly test: string
  readonly value: unknown
}

/** The conditions on the columns that entries and sums by key have in common. */
export function callerConditions({ keyId, clientId, externalId }: CallerFilter): Condition[] {
  return [
    { name: 'k', test: 'key_id = $1', value: keyId },
    { name: 'c', test: 'client_id = $1', value: clientId },
    { name: 'x', test: 'external_id = $1', value: externalId },
  ]
}

interface WrittenConditions {
  /** The conditions that have a value, with `AND` before each and a place for each value. */
  readonly sql: string
  readonly values: readonly unknown[]
  /** The part of a statement's name that tells statements with different conditions apart. */
  readonly name: string
}

/**
 * Each combination of conditions is a statement of its own: a condition that may be null would keep a
 * generic plan from the index.
 */
export function writeConditions(
  conditions: readonly Condition[],
  firstPlace: number,
): WrittenConditions {
  const asked = conditions.filter(({ value }) => value !== null && value !== undefined)
  return {
    sql: asked
      .map(({ test }, index) => ` AND ${test.replace('$1', `$${firstPlace + index}`)}`)
      .join(''),
    values: asked.map(({ value }) => value),
    name: asked.map(({ name }) => name).join(''),
  }
}
