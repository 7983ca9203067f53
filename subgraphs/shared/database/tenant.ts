/** Whose rows a statement sees and writes: an account's id, `everyone` or `nobody`. */
export type Tenant = string

/** For what is about many accounts: batches, jobs, audits, internal tools. */
export const everyone: Tenant = '*'

export const nobody: Tenant = ''

const setting = 'gateway.account_id'

/** Sets the tenant until the transaction is over. Where nobody has, there are no rows. */
export function setTenant(placeholder: '$1'): string {
  return `SELECT set_config('${setting}', ${placeholder}, true)`
}

/** As `options` of a connection: all of its session is everyone's. Never where requests are served. */
export const everyonesSession = `-c ${setting}=${everyone}`

const tenant = `current_setting('${setting}', true)`

/** A condition in SQL: whether a session sees all rows. */
export const isEveryone = `${tenant} = '${everyone}'`

/**
 * Row-level security for tables of one schema, for their owner too. Whether it is everyone is asked
 * once for each statement: that is what a batch can afford. `column` has the id of the account.
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
