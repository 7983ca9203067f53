/** The account whose rows a statement sees and writes, or `allTenants`, or `noTenant`. */
export type Tenant = string

/** The tenant of work on many accounts: batches, jobs, verification, internal tools. */
export const allTenants = '*'

export const noTenant: Tenant = ''

const setting = 'gateway.account_id'

/** Sets the tenant until the transaction is over. Without a tenant, a statement sees no rows. */
export function setTenant(placeholder: '$1'): string {
  return `SELECT set_config('${setting}', ${placeholder}, true)`
}

/**
 * `options` of a connection whose session sees all rows. Connections of requests never have them.
 */
export const sessionOfAllTenants = `-c ${setting}=${allTenants}`
