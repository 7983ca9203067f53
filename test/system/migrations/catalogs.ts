import type { TestDatabase } from '../../support/database/database.ts'

/** The descriptions of all objects of a kind, by their names. */
export type Catalog = Readonly<Record<string, unknown>>

const ours = `('account', 'jobs', 'keys', 'oauth', 'usage')`

/** Privileges as a list: PostgreSQL keeps them in the order in which they were granted. */
const acl = (column: string) => `ARRAY(SELECT a::text FROM unnest(${column}) a ORDER BY 1)`

const inSchema = 'JOIN pg_namespace n ON n.oid = c.relnamespace'

/** The indexes of partitions have names that PostgreSQL or a step chose: their table and parent tell which they are. */
const nameOfIndex = `
  coalesce((SELECT format('%s of %s', h.inhparent::regclass, i.indrelid::regclass)
    FROM pg_inherits h WHERE h.inhrelid = i.indexrelid), i.indexrelid::regclass::text)`

/** Each query has a name and a description of each object. */
const queries: Readonly<Record<string, string>> = {
  database: `
    SELECT 'this one' AS name, jsonb_build_object('acl', ${acl('d.datacl')},
      'settings', (SELECT jsonb_agg(s.setconfig) FROM pg_db_role_setting s WHERE s.setdatabase = d.oid),
      'extensions', (SELECT jsonb_agg(extname ORDER BY 1) FROM pg_extension),
      'defaults', (SELECT jsonb_agg(to_jsonb(a) - 'oid') FROM pg_default_acl a),
      'schemas', (SELECT jsonb_agg(nspname ORDER BY 1) FROM pg_namespace WHERE nspname !~ '^pg_')) AS description
    FROM pg_database d WHERE d.datname = current_database()`,
  schemas: `
    SELECT nspname AS name, jsonb_build_object('owner', nspowner::regrole, 'acl', ${acl('nspacl')}) AS description
    FROM pg_namespace n WHERE n.nspname IN ${ours}`,
  relations: `
    SELECT c.oid::regclass::text AS name, jsonb_build_object('kind', c.relkind, 'owner', c.relowner::regrole,
      'acl', ${acl('c.relacl')}, 'options', c.reloptions, 'method', c.relam, 'persistence', c.relpersistence,
      'secured', ARRAY[c.relrowsecurity, c.relforcerowsecurity], 'identity', c.relreplident,
      'parents', (SELECT jsonb_agg(inhparent::regclass ORDER BY inhseqno) FROM pg_inherits WHERE inhrelid = c.oid),
      'bound', pg_get_expr(c.relpartbound, c.oid), 'toast', t.reloptions,
      'partitioned', CASE c.relkind WHEN 'p' THEN pg_get_partkeydef(c.oid) END,
      'view', CASE c.relkind WHEN 'v' THEN pg_get_viewdef(c.oid) END) AS description
    FROM pg_class c ${inSchema} LEFT JOIN pg_class t ON t.oid = c.reltoastrelid
    WHERE n.nspname IN ${ours} AND c.relkind NOT IN ('i', 'I')`,
  columns: `
    SELECT format('%s.%s', c.oid::regclass, a.attname) AS name, jsonb_build_object('place', a.attnum,
      'type', format_type(a.atttypid, a.atttypmod), 'not null', a.attnotnull, 'collation', a.attcollation,
      'default', pg_get_expr(d.adbin, d.adrelid), 'generated', a.attgenerated, 'identity', a.attidentity,
      'missing', a.attmissingval::text, 'storage', a.attstorage, 'compression', a.attcompression,
      'statistics', a.attstattarget, 'options', a.attoptions, 'acl', ${acl('a.attacl')}) AS description
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid ${inSchema}
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE n.nspname IN ${ours} AND a.attnum > 0 AND c.relkind NOT IN ('i', 'I')`,
  indexes: `
    SELECT ${nameOfIndex} AS name, jsonb_build_object(
      'definition', replace(pg_get_indexdef(i.indexrelid), format(' %I ON ', c.relname), ' ON '),
      'owner', c.relowner::regrole, 'options', c.reloptions, 'flags', to_jsonb(i) - ARRAY['indexrelid', 'indrelid',
        'indcollation', 'indclass', 'indexprs', 'indpred']) AS description
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid ${inSchema} WHERE n.nspname IN ${ours}`,
  constraints: `
    SELECT format('%s %s', coalesce(nullif(o.conrelid, 0)::regclass::text, o.contypid::regtype::text), o.conname) AS name,
      jsonb_build_object('definition', pg_get_constraintdef(o.oid), 'kind', o.contype,
        'flags', ARRAY[o.convalidated, o.condeferrable, o.condeferred, o.conislocal, o.connoinherit],
        'inherited', o.coninhcount) AS description
    FROM pg_constraint o JOIN pg_namespace n ON n.oid = o.connamespace WHERE n.nspname IN ${ours}`,
  functions: `
    SELECT p.oid::regprocedure::text AS name, jsonb_build_object('owner', p.proowner::regrole,
      'acl', ${acl('p.proacl')}, 'text', CASE p.prokind WHEN 'a' THEN to_jsonb(a) - 'aggfnoid'
        ELSE to_jsonb(pg_get_functiondef(p.oid)) END) AS description
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid
    WHERE n.nspname IN ${ours}`,
  triggers: `
    SELECT format('%s %s', t.tgrelid::regclass, t.tgname) AS name,
      jsonb_build_object('definition', pg_get_triggerdef(t.oid), 'enabled', t.tgenabled) AS description
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid ${inSchema}
    WHERE n.nspname IN ${ours} AND NOT t.tgisinternal`,
  policies: `
    SELECT format('%I.%I %s', schemaname, tablename, policyname) AS name, to_jsonb(p) AS description
    FROM pg_policies p WHERE schemaname IN ${ours}`,
  sequences: `
    SELECT format('%I.%I', s.schemaname, s.sequencename) AS name, to_jsonb(s) || jsonb_build_object('of', (
      SELECT format('%s.%s', d.refobjid::regclass, d.refobjsubid) FROM pg_depend d
      WHERE d.objid = format('%I.%I', s.schemaname, s.sequencename)::regclass AND d.deptype IN ('a', 'i'))) AS description
    FROM pg_sequences s WHERE s.schemaname IN ${ours}`,
  types: `
    SELECT t.oid::regtype::text AS name, jsonb_build_object('kind', t.typtype, 'owner', t.typowner::regrole,
      'acl', ${acl('t.typacl')}, 'values', (SELECT jsonb_agg(e.enumlabel ORDER BY e.enumsortorder)
        FROM pg_enum e WHERE e.enumtypid = t.oid)) AS description
    FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE n.nspname IN ${ours}`,
  statistics: `
    SELECT stxname AS name, to_jsonb(pg_get_statisticsobjdef(s.oid)) AS description
    FROM pg_statistic_ext s JOIN pg_namespace n ON n.oid = s.stxnamespace WHERE n.nspname IN ${ours}`,
  comments: `
    SELECT o.identity AS name, to_jsonb(d.description) AS description
    FROM pg_description d, pg_identify_object(d.classoid, d.objoid, d.objsubid) o WHERE o.schema IN ${ours}`,
}

/** What the catalogs say of the gateway's schemas and everything in them, by kind. */
export async function readCatalogs(
  database: Pick<TestDatabase, 'query'>,
): Promise<Readonly<Record<string, Catalog>>> {
  const catalogs: Record<string, Catalog> = {}
  for (const [kind, sql] of Object.entries(queries)) {
    const rows = await database.query<{ name: string; description: unknown }>(`${sql} ORDER BY 1`)
    catalogs[kind] = Object.fromEntries(rows.map(({ name, description }) => [name, description]))
    if (Object.keys(catalogs[kind]).length !== rows.length) {
      throw new Error(`Two ${kind} have the same name.`)
    }
  }
  return catalogs
}
