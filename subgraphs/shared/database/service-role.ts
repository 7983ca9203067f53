/** The role every request runs as: it owns nothing and cannot rewrite the ledger. */
export const serviceRole = 'gateway_service'

/** The role jobs are worked off as: nobody else reads or changes what waits in a queue. */
export const workerRole = 'gateway_worker'
