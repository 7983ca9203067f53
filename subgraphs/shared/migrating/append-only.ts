/**
 * SQL: a table that only grows. Who may not alter it is refused anyway; this stops also its owner and a
 * superuser who do not mean to.
 */
export function refuseRewriting(schema: string, table: string): string {
  return `
    CREATE FUNCTION ${schema}.refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS $body$
      BEGIN
        RAISE EXCEPTION '% is append-only.', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
      END $body$;
    CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ${schema}.${table}
      FOR EACH ROW EXECUTE FUNCTION ${schema}.refuse_rewriting();
    CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ${schema}.${table}
      FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.refuse_rewriting();`
}

/**
 * SQL: the hash of what follows a hash, SHA-256 over both. Who rewrites one must rewrite all that
 * follow.
 */
export function nextHash(previousHash: string, content: string): string {
  return `sha256(${previousHash} || convert_to(${content}, 'UTF8'))`
}
