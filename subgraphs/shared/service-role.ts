/** The role every request runs as: it owns nothing and cannot rewrite the ledger. */
export const serviceRole = 'gateway_service'
