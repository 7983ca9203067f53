/**
 * SQL: a table that only grows. Privileges refuse changes to other roles; this also stops
 * accidental changes of the owner and of a superuser.
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
 * SQL: the next hash of a chain, SHA-256 over the previous hash and the content. A change of one
 * link requires a change of all later links.
 */
export function nextHash(previousHash: string, content: string): string {
  return `sha256(${previousHash} || convert_to(${content}, 'UTF8'))`
}
