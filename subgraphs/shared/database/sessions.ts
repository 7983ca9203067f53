/** Requests run as this role: it owns nothing and cannot rewrite the ledger. */
export const serviceRole = 'gateway_service'

/** Workers run as this role: no other role reads or changes the jobs in a queue. */
export const workerRole = 'gateway_worker'

/** The time zone of every session of the service: months are added to instants in UTC. */
const serviceSettings = [`-c role=${serviceRole}`, '-c timezone=UTC']

/** How long a statement of a request may take, in ms, unless DATABASE_TIMEOUT_MS says otherwise. */
export const defaultTimeoutMs = 5000

/** The settings of a session whose statements are waited for as long as `timeoutMs`. */
export function sessionSettingsWithin(timeoutMs: number): string {
  return [
    ...serviceSettings,
    // A frozen process must not keep a row locked (docs/promises.md R11).
    '-c idle_in_transaction_session_timeout=5000',
    // The limit is shorter than our wait for the answer: a statement that we report as failed must not
    // commit afterwards.
    `-c statement_timeout=${Math.ceil(timeoutMs * 0.9)}`,
  ].join(' ')
}

export const sessionSettings = sessionSettingsWithin(defaultTimeoutMs)

/**
 * A statement of a request finds its rows by key, for every caller: its plan is made once. Left to
 * itself, PostgreSQL plans anew, over all partitions, wherever a range might be small. And it starts
 * workers wherever a table is long, which takes longer than such a statement.
 */
export const planOnce = '-c plan_cache_mode=force_generic_plan -c max_parallel_workers_per_gather=0'

/** `options` of a connection that keeps jobs: what is done is tidied away, which may take a while. */
export const jobSettings = [
  `-c role=${workerRole}`,
  ...['-c timezone=UTC', '-c statement_timeout=55000'],
].join(' ')
