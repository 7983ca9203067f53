/** Requests run as this role: it owns nothing and cannot rewrite the ledger. */
export const serviceRole = 'gateway_service'

/** Workers run as this role: no other role reads or changes the jobs in a queue. */
export const workerRole = 'gateway_worker'
