-- Run once by the superuser, in the new database: the logins of the gateway.
-- gateway_owner owns the schemas and migrates them. gateway_app is what requests log in as: it owns nothing,
-- and works as gateway_service, which can rewrite neither the ledger nor the audit trail. gateway_jobs is what
-- workers and the command line log in as: it may also become gateway_worker, which alone reads and changes what
-- waits in the queues.
-- Passwords are read from files, so that none is in a log or a process list.
DO $$
DECLARE
  login text;
  file text;
BEGIN
  CREATE ROLE gateway_service NOLOGIN;
  CREATE ROLE gateway_worker NOLOGIN;
  CREATE ROLE gateway_auditor NOLOGIN;
  FOR login, file IN VALUES
    ('gateway_owner', '/run/secrets/postgres-owner-password'),
    ('gateway_app', '/run/secrets/postgres-service-password'),
    ('gateway_jobs', '/run/secrets/postgres-worker-password')
  LOOP
    EXECUTE format('CREATE ROLE %I LOGIN PASSWORD %L', login, btrim(pg_read_file(file), E'\r\n'));
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), login);
  END LOOP;
  GRANT gateway_service TO gateway_app, gateway_jobs;
  GRANT gateway_worker TO gateway_jobs;
  EXECUTE format('ALTER DATABASE %I OWNER TO gateway_owner', current_database());
  EXECUTE format('REVOKE CONNECT, TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END $$;
