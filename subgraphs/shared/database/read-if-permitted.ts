import type pg from 'pg'

/** All rows of a small table; none if the table is missing or this role may not read it. */
export async function readIfPermitted<Row extends object>(
  client: pg.Client,
  schema: string,
  table: string,
  columns: string,
): Promise<Row[]> {
  const { rows } = await client.query(
    `SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relname = $2
       AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')`,
    [schema, table],
  )
  if (rows.length === 0) return []
  return (await client.query<Row>(`SELECT ${columns} FROM ${schema}.${table}`)).rows
}
