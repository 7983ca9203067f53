-- The schema of the keys subgraph in release 1.0.0. Until that release is tagged this file is edited in place;
-- afterwards steps in this folder change the schema (subgraphs/README.md).

-- Functions name each other, in any order.
SET LOCAL check_function_bodies = off;

-- API keys

CREATE TABLE keys.api_key (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  last4 text NOT NULL,
  secret_hash text COLLATE "C" NOT NULL,
  scopes text[] NOT NULL,
  ip_allowlist text[] NOT NULL DEFAULT '{}',
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  revoked_at timestamptz(3),
  replaced_by text COLLATE "C",
  -- False: refused like a revoked key, until its owner says otherwise.
  enabled boolean NOT NULL DEFAULT true,
  -- All keys of an account with the same one share its budgets.
  external_id text COLLATE "C",
  metadata jsonb NOT NULL DEFAULT '{}',
  -- A key, session:<actor>, or internal:<token id>.
  created_by text COLLATE "C" NOT NULL,
  -- The member who issued it, `mem_…`; null: somebody else did.
  member_id text COLLATE "C",
  -- Whether the console made it for the first steps of a person: it ends with the member.
  is_of_console boolean NOT NULL DEFAULT false,
  -- The first key of its chain of rotations.
  spender_id text COLLATE "C" NOT NULL,
  -- The account subgraph must have budgets of the spender: without them the key is refused.
  is_capped boolean NOT NULL DEFAULT false,
  disabled_at timestamptz(3),
  -- The session that disabled the key, `ses_…`; null: no session did.
  disabled_by text COLLATE "C",
  PRIMARY KEY (id),
  UNIQUE (secret_hash),
  FOREIGN KEY (replaced_by) REFERENCES keys.api_key (id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (length(last4) = 4)
);
CREATE INDEX api_key_member ON keys.api_key (member_id) WHERE member_id IS NOT NULL;
-- Operators look for an account by these.
CREATE INDEX api_key_last4 ON keys.api_key (last4, prefix);
CREATE INDEX api_key_external_id ON keys.api_key (external_id, account_id) WHERE external_id IS NOT NULL;
CREATE INDEX api_key_newest ON keys.api_key (account_id, environment, id DESC);

-- Internal tokens

CREATE TABLE keys.internal_token (
  id text COLLATE "C" NOT NULL,
  -- Null for a token that was revoked, and that nobody has recorded.
  role text,
  minted_at timestamptz(3),
  -- When the token expires and is forgotten: an expired token is refused anyway.
  expires_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  PRIMARY KEY (id),
  CHECK (role IN ('admin', 'support', 'readonly'))
);
CREATE INDEX internal_token_expires_at ON keys.internal_token (expires_at);

-- Operators

-- Signs an operator in to the operators' page, once.
CREATE TABLE keys.operator_link (
  id text COLLATE "C" NOT NULL,
  token_hash text COLLATE "C" NOT NULL,
  name text NOT NULL,
  role text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  PRIMARY KEY (id),
  UNIQUE (token_hash),
  CHECK (role IN ('admin', 'support', 'readonly'))
);
CREATE INDEX operator_link_expires_at ON keys.operator_link (expires_at);

CREATE TABLE keys.operator_session (
  id text COLLATE "C" NOT NULL,
  secret_hash text COLLATE "C" NOT NULL,
  name text NOT NULL,
  role text NOT NULL,
  address text,
  -- The newest proof of who is at the browser: the sign-in, or the time of it that an issuer has said.
  proven_at timestamptz(3) NOT NULL,
  -- Written once a minute at most.
  used_at timestamptz(3) NOT NULL DEFAULT now(),
  -- When the session ends and is forgotten, however it is used.
  expires_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  -- The subject at the issuer of OpenID Connect; null: a link has signed in.
  subject text,
  -- Sealed for the gateway alone; null: the issuer has given none.
  refresh_token text,
  -- When the issuer has last said the role.
  role_asked_at timestamptz(3),
  -- One process asks the issuer again; until this time no other does.
  role_asking_until timestamptz(3),
  PRIMARY KEY (id),
  UNIQUE (secret_hash),
  CHECK (role IN ('admin', 'support', 'readonly')),
  CHECK ((subject IS NULL) = (role_asked_at IS NULL)),
  CHECK (subject IS NOT NULL OR refresh_token IS NULL)
);
CREATE INDEX operator_session_expires_at ON keys.operator_session (expires_at);

-- Changes that are made once

CREATE TABLE keys.done_change (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  reference text COLLATE "C" NOT NULL,
  action text NOT NULL,
  request jsonb NOT NULL,
  -- Null only within the transaction that makes the change.
  result jsonb,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, environment, reference),
  CHECK (environment IN ('live', 'sandbox'))
);
CREATE INDEX done_change_expires_at ON keys.done_change (expires_at);

-- Functions

CREATE FUNCTION keys.notify_stale()
 RETURNS trigger
 LANGUAGE plpgsql
AS $body$
        BEGIN
          PERFORM pg_notify('gateway_stale', NEW.account_id);
          RETURN NULL;
        END $body$;

-- Triggers

CREATE TRIGGER api_key_stale AFTER UPDATE OF scopes, ip_allowlist, expires_at, revoked_at, enabled, external_id, is_capped ON keys.api_key
  FOR EACH ROW EXECUTE FUNCTION keys.notify_stale();

-- Policies: a statement sees the rows of one account only, its owner's statements too. The policy asks for '*'
-- (all tenants) once for each statement, so batches stay fast.

ALTER TABLE keys.api_key ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE keys.internal_token ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE keys.operator_link ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE keys.operator_session ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE keys.done_change ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenant ON keys.api_key
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY nobodys ON keys.internal_token
  USING ((SELECT current_setting('gateway.account_id', true) = '*'));
CREATE POLICY nobodys ON keys.operator_link
  USING ((SELECT current_setting('gateway.account_id', true) = '*'));
CREATE POLICY nobodys ON keys.operator_session
  USING ((SELECT current_setting('gateway.account_id', true) = '*'));
CREATE POLICY tenant ON keys.done_change
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));

-- Grants

GRANT USAGE ON SCHEMA keys TO gateway_service;
GRANT SELECT, INSERT, UPDATE ON keys.api_key TO gateway_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON keys.internal_token, keys.operator_link, keys.operator_session, keys.done_change TO gateway_service;
