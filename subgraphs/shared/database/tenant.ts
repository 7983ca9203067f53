/** The account whose rows a statement sees and writes, or `everyone`, or `nobody`. */
export type Tenant = string

/** For work on many accounts: batches, jobs, verification, internal tools. */
export const everyone = '*'

export const nobody: Tenant = ''

const setting = 'gateway.account_id'

/** Sets the tenant until the transaction is over. Without a tenant, a statement sees no rows. */
export function setTenant(placeholder: '$1'): string {
  return `SELECT set_config('${setting}', ${placeholder}, true)`
}

/**
 * `options` of a connection whose session sees all rows. Connections of requests never have them.
 */
export const everyonesSession = `-c ${setting}=${everyone}`

const tenant = `current_setting('${setting}', true)`

/** An SQL condition: true when the session sees all rows. */
export const isEveryone = `${tenant} = '${everyone}'`

/**
 * Row-level security for tables of one schema, which binds their owner too. The policy asks for
 * `everyone` once for each statement, so batches stay fast. `column` has the id of the account.
 */
export function isolateTenants(
  schema: string,
  tables: readonly string[],
  column = 'account_id',
): string {
  return tables
    .map((name) => `${schema}.${name}`)
    .map(
      (table) => `
        ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
        ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
        CREATE POLICY tenant ON ${table}
          USING ((SELECT ${isEveryone}) OR ${column} = ${tenant});`,
    )
    .join('')
}
