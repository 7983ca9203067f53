-- The schema of the oauth subgraph in release 1.0.0. Until that release is tagged this file is edited in place;
-- afterwards steps in this folder change the schema (subgraphs/README.md).

-- Functions name each other, in any order.
SET LOCAL check_function_bodies = off;

-- Signing keys

CREATE TABLE oauth.signing_key (
  kid text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  alg text NOT NULL,
  public_jwk jsonb NOT NULL,
  private_sealed text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  activate_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  PRIMARY KEY (kid),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (alg = 'RS256')
);
CREATE INDEX signing_key_activation ON oauth.signing_key (environment, activate_at, kid);

CREATE TABLE oauth.backend_signing_key (
  kid text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  alg text NOT NULL,
  public_jwk jsonb NOT NULL,
  private_sealed text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  activate_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  PRIMARY KEY (kid),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (alg = 'EdDSA')
);
CREATE INDEX backend_signing_key_activation ON oauth.backend_signing_key (environment, activate_at, kid);

-- Apps, consents and grants

CREATE TABLE oauth.app (
  client_id text COLLATE "C" NOT NULL,
  -- Null for an app that nobody registered by hand: it describes itself by a document, or registered itself.
  account_id text COLLATE "C",
  environment text NOT NULL,
  origin text NOT NULL DEFAULT 'account',
  -- The address of the document, as it is written: the client_id of the app for everybody else.
  document_url text COLLATE "C",
  -- Hosts by which an operator can deny the app: of its document, or of redirect URIs that it has had when it was approved.
  hosts text[] NOT NULL DEFAULT '{}',
  -- SHA-256 of the block of addresses that registered it, lower-case hexadecimal.
  registered_by text COLLATE "C",
  -- When an account first approved the app; an app that registered itself is deleted without that.
  approved_at timestamptz(3),
  client_name text NOT NULL,
  application_type text NOT NULL,
  token_endpoint_auth_method text NOT NULL,
  -- Lower-case hexadecimal; a public app has none.
  secret_hash text COLLATE "C",
  -- The secret before the newest, which is accepted too until this instant.
  previous_secret_hash text COLLATE "C",
  previous_secret_expires_at timestamptz(3),
  -- Redirect URIs as they were written: they are compared character by character.
  redirect_uris text[] NOT NULL,
  grant_types text[] NOT NULL,
  scopes text[] NOT NULL,
  require_pkce boolean NOT NULL,
  logo_uri text,
  client_uri text,
  policy_uri text,
  tos_uri text,
  -- A key, or session:<actor>; null: nobody registered it by hand.
  created_by text COLLATE "C",
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  suspended_at timestamptz(3),
  -- Otherwise the account itself has suspended the app.
  is_suspended_by_operator boolean NOT NULL DEFAULT false,
  PRIMARY KEY (client_id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (application_type IN ('web', 'native', 'spa')),
  CHECK (token_endpoint_auth_method IN ('client_secret_basic', 'client_secret_post', 'none')),
  CHECK ((secret_hash IS NULL) = (token_endpoint_auth_method = 'none')),
  CONSTRAINT app_previous_secret CHECK ((previous_secret_hash IS NULL) = (previous_secret_expires_at IS NULL)),
  CHECK (cardinality(redirect_uris) >= 1 AND cardinality(redirect_uris) <= 20),
  CHECK (origin IN ('account', 'document', 'registration')),
  CONSTRAINT app_of CHECK ((account_id IS NULL) = (origin <> 'account')),
  CONSTRAINT app_document CHECK ((document_url IS NULL) = (origin <> 'document'))
);
CREATE INDEX app_newest ON oauth.app (account_id, environment, client_id DESC);
CREATE INDEX app_unapproved ON oauth.app (environment, created_at)
  WHERE origin = 'registration' AND approved_at IS NULL;
CREATE INDEX app_registered_by ON oauth.app (registered_by, created_at) WHERE registered_by IS NOT NULL;

-- Hosts whose apps an operator refuses, in both environments.
CREATE TABLE oauth.denied_app_host (
  host text COLLATE "C" NOT NULL,
  denied_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (host)
);

-- What an account permits agents; a row only where that is not the default.
CREATE TABLE oauth.agent_setting (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  allow_unverified_apps boolean NOT NULL,
  PRIMARY KEY (account_id, environment),
  CHECK (environment IN ('live', 'sandbox'))
);

-- The grants of an account to an app, as long as they are remembered. They have no foreign key to the app, whose check
-- would read the whole table: each comes with an approval, which has one.
CREATE TABLE oauth.consent (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  scopes text[] NOT NULL,
  key_id text COLLATE "C",
  granted_at timestamptz(3) NOT NULL DEFAULT now(),
  revoked_at timestamptz(3),
  -- The account subgraph must have budgets of the consent: without them its tokens are refused.
  is_capped boolean NOT NULL DEFAULT false,
  -- What the document of the app said when it was approved; null for other apps.
  client_name text,
  redirect_uris text[],
  document_hash text COLLATE "C",
  PRIMARY KEY (account_id, client_id),
  CHECK (environment IN ('live', 'sandbox'))
);
CREATE INDEX consent_client ON oauth.consent (client_id, granted_at DESC, account_id DESC) WHERE revoked_at IS NULL;

-- Consent tokens that were used: each works once.
CREATE TABLE oauth.used_consent_token (
  jti text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (jti)
);
CREATE INDEX used_consent_token_expires_at ON oauth.used_consent_token (expires_at);

-- One approval, and with it the family of everything issued for it (RFC 9700 §4.14.2).
CREATE TABLE oauth.authorization_grant (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  scopes text[] NOT NULL,
  -- What its access tokens are for: REST, or the tools of agents.
  audience text NOT NULL DEFAULT 'api',
  -- The approver: a key, or a browser that a key had signed in.
  approved_by_key_id text COLLATE "C",
  session_id text COLLATE "C",
  auth_time timestamptz(3) NOT NULL,
  nonce text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- From then on nothing that was issued for the approval is accepted any more.
  expires_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  revoked_because text,
  PRIMARY KEY (id),
  FOREIGN KEY (client_id) REFERENCES oauth.app(client_id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (audience IN ('api', 'mcp')),
  CHECK (approved_by_key_id IS NOT NULL OR session_id IS NOT NULL),
  CONSTRAINT authorization_grant_check1 CHECK ((revoked_at IS NULL) = (revoked_because IS NULL))
);
-- Whole: when an app that nobody approved is deleted, its foreign key is checked by this.
CREATE INDEX authorization_grant_of ON oauth.authorization_grant (client_id, account_id);
CREATE INDEX authorization_grant_account ON oauth.authorization_grant (account_id) WHERE revoked_at IS NULL;
CREATE INDEX authorization_grant_expires_at ON oauth.authorization_grant (expires_at);

CREATE TABLE oauth.authorization_code (
  code_hash text COLLATE "C" NOT NULL,
  grant_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  redirect_uri text NOT NULL,
  code_challenge text,
  expires_at timestamptz(3) NOT NULL,
  consumed_at timestamptz(3),
  PRIMARY KEY (code_hash),
  UNIQUE (grant_id),
  FOREIGN KEY (grant_id) REFERENCES oauth.authorization_grant (id) ON DELETE CASCADE
) WITH (fillfactor = 50);

CREATE TABLE oauth.access_token (
  token_hash text COLLATE "C" NOT NULL,
  grant_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  PRIMARY KEY (token_hash),
  FOREIGN KEY (grant_id) REFERENCES oauth.authorization_grant (id) ON DELETE CASCADE
);
CREATE INDEX access_token_grant ON oauth.access_token (grant_id);
CREATE INDEX access_token_expires_at ON oauth.access_token (expires_at);

CREATE TABLE oauth.refresh_token (
  token_hash text COLLATE "C" NOT NULL,
  grant_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  consumed_at timestamptz(3),
  PRIMARY KEY (token_hash),
  FOREIGN KEY (grant_id) REFERENCES oauth.authorization_grant (id) ON DELETE CASCADE
);
CREATE INDEX refresh_token_grant ON oauth.refresh_token (grant_id);
CREATE INDEX refresh_token_expires_at ON oauth.refresh_token (expires_at);

-- People

-- A person, by mail address. A person belongs to no account: functions alone reach the table, so that no statement of
-- an account sees who else uses the gateway.
CREATE TABLE oauth.person (
  id text COLLATE "C" NOT NULL,
  -- In lower case. Null for who has joined by a link that no mail has brought: the address may be another person's.
  email text COLLATE "C",
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Within the last day: when changes of the passkeys were told by mail.
  told_at timestamptz(3)[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (id),
  UNIQUE (email),
  CHECK (email = lower(email))
);

-- A member of an account, or an invitation to become one.
CREATE TABLE oauth.membership (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  -- Null until somebody has accepted the invitation.
  person_id text COLLATE "C",
  email text COLLATE "C" NOT NULL,
  name text,
  role text NOT NULL,
  -- As the audit trail names them; null: an operator.
  invited_by text,
  -- The member who invited; null: an operator, or a person of a portal link.
  inviter_id text COLLATE "C",
  -- The link is made of it; a later invitation has another one.
  invitation_id text COLLATE "C",
  -- Whether the link went to the address, and to nobody else.
  is_mailed boolean NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  joined_at timestamptz(3),
  confirmed_at timestamptz(3),
  removed_at timestamptz(3),
  PRIMARY KEY (id),
  UNIQUE (invitation_id),
  FOREIGN KEY (person_id) REFERENCES oauth.person (id),
  CHECK ((joined_at IS NULL) = (person_id IS NULL))
);
CREATE UNIQUE INDEX membership_once ON oauth.membership (account_id, email) WHERE removed_at IS NULL;
-- Operators look for an account by the address of a member.
CREATE INDEX membership_address ON oauth.membership (email, account_id) WHERE removed_at IS NULL;
CREATE INDEX membership_newest ON oauth.membership (account_id, id DESC) WHERE removed_at IS NULL;
CREATE INDEX membership_person ON oauth.membership (person_id) WHERE person_id IS NOT NULL;

-- The mail address that a member wants to confirm: a new one, or the own one that no mail has reached yet.
CREATE TABLE oauth.address_change (
  -- The link is made of it; a later request has another one.
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  member_id text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (account_id, member_id),
  CHECK (email = lower(email))
);
CREATE INDEX address_change_expires_at ON oauth.address_change (expires_at);

-- A browser that has asked for a mail to sign in, with whatever address. It is of no account, and has no address in clear.
CREATE TABLE oauth.mail_sign_in (
  id text COLLATE "C" NOT NULL,
  -- SHA-256 of the cookie of the browser that asked, lower-case hexadecimal.
  ask_hash text COLLATE "C" NOT NULL,
  -- Keyed hashes of the mail address and of the client's network.
  address_hash text COLLATE "C" NOT NULL,
  network_hash text COLLATE "C" NOT NULL,
  -- A browser that had signed in with the address before has limits of its own.
  browser_hash text COLLATE "C",
  -- Whether the limits permitted a mail.
  is_permitted boolean NOT NULL,
  -- Null until a job has found whose address it is.
  person_id text COLLATE "C",
  wrong_codes integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  PRIMARY KEY (id),
  UNIQUE (ask_hash)
);
CREATE INDEX mail_sign_in_address ON oauth.mail_sign_in (address_hash, created_at);
CREATE INDEX mail_sign_in_network ON oauth.mail_sign_in (network_hash, created_at);
CREATE INDEX mail_sign_in_person ON oauth.mail_sign_in (person_id) WHERE person_id IS NOT NULL;
CREATE INDEX mail_sign_in_expires_at ON oauth.mail_sign_in (expires_at);

-- Passkeys of persons. They belong to no account, as persons do: functions alone reach the tables.
CREATE TABLE oauth.passkey (
  id text COLLATE "C" NOT NULL,
  person_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  -- Base64url, as the browser names the passkey.
  credential_id text COLLATE "C" NOT NULL,
  -- Base64url of the COSE key.
  public_key text COLLATE "C" NOT NULL,
  -- The newest one that was signed; 0: the authenticator does not count.
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  -- The relying party that it was made for: browsers offer it to no other.
  rp_id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  -- A counter did not grow: somebody may have a copy.
  disabled_at timestamptz(3),
  -- The account to which a mail has let in who added it, and when: those of the passkey that has proven the session
  -- which added this one, if one has.
  vouched_in text COLLATE "C" NOT NULL,
  vouched_at timestamptz(3) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (credential_id),
  FOREIGN KEY (person_id) REFERENCES oauth.person (id)
);
CREATE INDEX passkey_person ON oauth.passkey (person_id);

-- What a person waits for who has no passkey at hand.
CREATE TABLE oauth.passkey_removal (
  person_id text COLLATE "C" NOT NULL,
  -- Who has asked: the person, by a session without a proof, or an operator.
  asked_by text NOT NULL,
  requested_at timestamptz(3) NOT NULL DEFAULT now(),
  ready_at timestamptz(3) NOT NULL,
  -- Afterwards the wait begins anew.
  ends_at timestamptz(3) NOT NULL,
  PRIMARY KEY (person_id, asked_by),
  FOREIGN KEY (person_id) REFERENCES oauth.person (id),
  CHECK (asked_by IN ('person', 'operator'))
);

-- What a passkey is to sign: each works once.
CREATE TABLE oauth.passkey_challenge (
  -- The session, or SHA-256 of a cookie where there is no session.
  holder text COLLATE "C" NOT NULL,
  purpose text NOT NULL,
  challenge text COLLATE "C" NOT NULL,
  -- Whose passkey has signed, where only the account is left to be chosen.
  person_id text COLLATE "C",
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (holder, purpose),
  CHECK (purpose IN ('add', 'step_up', 'sign_in', 'choose'))
);
CREATE INDEX passkey_challenge_expires_at ON oauth.passkey_challenge (expires_at);

-- How members may sign in; a row only where that is not the default.
CREATE TABLE oauth.sign_in_setting (
  account_id text COLLATE "C" NOT NULL,
  passkey_only boolean NOT NULL,
  -- Since when passkey_only is as it is.
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id)
);

-- Sessions

-- A browser that is signed in.
CREATE TABLE oauth.session (
  id text COLLATE "C" NOT NULL,
  secret_hash text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  -- The key that opened it: the session ends with it.
  key_id text COLLATE "C",
  auth_time timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  -- Until then the sign-in was for one decision, which the page asks for.
  decided_at timestamptz(3),
  ended_at timestamptz(3),
  -- SHA-256 of the request's continue token, lower-case hexadecimal.
  signed_in_for text COLLATE "C",
  role text,
  -- Whom the provider's backend names: 1 to 200 characters.
  actor text,
  -- Where the page leads back to.
  return_url text,
  -- The session that was handed over: it takes this one along when it ends.
  parent_id text COLLATE "C",
  proven_at timestamptz(3) NOT NULL DEFAULT now(),
  -- The cookie of before the newest proof, while requests with it are under way.
  previous_secret_hash text COLLATE "C",
  previous_until timestamptz(3),
  address text,
  -- The member who is signed in: the role is that of the membership, at every moment.
  member_id text COLLATE "C",
  -- The passkey that gave the newest proof; null: a mail, a key or a link did.
  passkey_id text COLLATE "C",
  PRIMARY KEY (id),
  UNIQUE (secret_hash),
  CHECK (environment IN ('live', 'sandbox')),
  CONSTRAINT session_of CHECK ((key_id IS NULL) <> (role IS NULL) AND (role IS NULL) = (actor IS NULL))
);
CREATE INDEX session_expires_at ON oauth.session (expires_at);
CREATE INDEX session_previous_secret ON oauth.session (previous_secret_hash) WHERE previous_secret_hash IS NOT NULL;
CREATE INDEX session_parent ON oauth.session (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX session_member ON oauth.session (member_id) WHERE member_id IS NOT NULL;
CREATE INDEX session_newest ON oauth.session (account_id, environment, id DESC);

CREATE TABLE oauth.session_handover (
  code_hash text COLLATE "C" NOT NULL,
  -- The session whose person is handed over.
  session_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  -- The environment in which the code opens a session: the other one than that of the session.
  environment text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  PRIMARY KEY (code_hash),
  CHECK (environment IN ('live', 'sandbox'))
);
CREATE INDEX session_handover_expires_at ON oauth.session_handover (expires_at);

CREATE TABLE oauth.portal_link (
  id text COLLATE "C" NOT NULL,
  -- Lower-case hexadecimal SHA-256: the token itself is in the link alone.
  token_hash text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  role text NOT NULL,
  -- Whom the operator's backend names: 1 to 200 characters.
  actor text NOT NULL,
  -- Where the page leads back to.
  return_url text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  PRIMARY KEY (id),
  UNIQUE (token_hash),
  CHECK (environment IN ('live', 'sandbox'))
);
CREATE INDEX portal_link_expires_at ON oauth.portal_link (expires_at);

-- Changes that are made once

CREATE TABLE oauth.done_change (
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
CREATE INDEX done_change_expires_at ON oauth.done_change (expires_at);

-- Functions

-- Facades remember who an access token or a client is, also an app that belongs to no account.
CREATE FUNCTION oauth.notify_stale_app()
 RETURNS trigger
 LANGUAGE plpgsql
AS $body$
        BEGIN
          PERFORM pg_notify('gateway_stale', coalesce(NEW.account_id, NEW.client_id));
          RETURN NULL;
        END $body$;

CREATE FUNCTION oauth.notify_stale()
 RETURNS trigger
 LANGUAGE plpgsql
AS $body$
        BEGIN
          PERFORM pg_notify('gateway_stale', NEW.account_id);
          RETURN NULL;
        END $body$;

-- The person of an address, who is made with the given id if there is none; without an address, always a new one.
CREATE FUNCTION oauth.person_of(new_id text, address text)
 RETURNS text
 LANGUAGE sql
 VOLATILE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    INSERT INTO oauth.person (id, email) VALUES (new_id, address)
    ON CONFLICT (email) DO UPDATE SET email = excluded.email
    RETURNING id
  $body$;
REVOKE EXECUTE ON FUNCTION oauth.person_of FROM PUBLIC;

-- The person of an address; null: nobody has it.
CREATE FUNCTION oauth.person_with(address text)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    SELECT id FROM oauth.person WHERE email = address
  $body$;
REVOKE EXECUTE ON FUNCTION oauth.person_with FROM PUBLIC;

-- Gives a person an address; false: somebody else has it.
CREATE FUNCTION oauth.readdress_person(whose text, address text)
 RETURNS boolean
 LANGUAGE plpgsql
 VOLATILE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
        BEGIN
          UPDATE oauth.person SET email = address WHERE id = whose;
          RETURN FOUND;
        EXCEPTION WHEN unique_violation THEN
          RETURN false;
        END $body$;
REVOKE EXECUTE ON FUNCTION oauth.readdress_person FROM PUBLIC;

-- Whether a mail is no proof of the person: a passkey counts, also one that was disabled.
CREATE FUNCTION oauth.has_passkey(whose text)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    SELECT EXISTS (SELECT FROM oauth.passkey WHERE person_id = whose)
  $body$;
REVOKE EXECUTE ON FUNCTION oauth.has_passkey FROM PUBLIC;

CREATE FUNCTION oauth.passkeys_of(persons text[])
 RETURNS SETOF oauth.passkey
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    SELECT * FROM oauth.passkey WHERE person_id = ANY (persons)
  $body$;
REVOKE EXECUTE ON FUNCTION oauth.passkeys_of FROM PUBLIC;

-- Locks the passkey: of two answers with one counter, the second finds that it did not grow.
CREATE FUNCTION oauth.passkey_of_credential(credential text)
 RETURNS SETOF oauth.passkey
 LANGUAGE sql
 VOLATILE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    SELECT * FROM oauth.passkey WHERE credential_id = credential FOR UPDATE
  $body$;
REVOKE EXECUTE ON FUNCTION oauth.passkey_of_credential FROM PUBLIC;

-- Changes of the passkeys of a person happen one after the other.
CREATE FUNCTION oauth.lock_person(whose text)
 RETURNS void
 LANGUAGE sql
 VOLATILE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    SELECT FROM oauth.person WHERE id = whose FOR UPDATE
  $body$;
REVOKE EXECUTE ON FUNCTION oauth.lock_person FROM PUBLIC;

-- Counts a mail about the passkeys of the person; beyond the most of a day none, and returns the seconds to wait.
CREATE FUNCTION oauth.count_passkey_mail(whose text, most integer)
 RETURNS integer
 LANGUAGE sql
 VOLATILE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    WITH recent AS (
      SELECT coalesce(array_agg(at), '{}') AS told, count(*) AS number, min(at) AS oldest
      FROM oauth.person p, unnest(p.told_at) AS at
      WHERE p.id = whose AND at > now() - interval '1 d'
    ), counted AS (
      UPDATE oauth.person SET told_at = recent.told || now()::timestamptz(3)
      FROM recent WHERE id = whose AND recent.number < most
    )
    SELECT ceil(extract(epoch FROM oldest + interval '1 d' - now()))::int FROM recent WHERE number >= most
  $body$;
REVOKE EXECUTE ON FUNCTION oauth.count_passkey_mail FROM PUBLIC;

CREATE FUNCTION oauth.add_passkey(new_id text, whose text, label text, credential text, cose_key text, signed bigint, ways text[], rp text, account text, vouched timestamptz)
 RETURNS SETOF oauth.passkey
 LANGUAGE sql
 VOLATILE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    INSERT INTO oauth.passkey (id, person_id, name, credential_id, public_key, counter, transports, rp_id,
      vouched_in, vouched_at)
    VALUES (new_id, whose, label, credential, cose_key, signed, ways, rp, account, coalesce(vouched, now()))
    ON CONFLICT (credential_id) DO NOTHING
    RETURNING *
  $body$;
REVOKE EXECUTE ON FUNCTION oauth.add_passkey FROM PUBLIC;

CREATE FUNCTION oauth.use_passkey(which text, signed bigint)
 RETURNS void
 LANGUAGE sql
 VOLATILE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    UPDATE oauth.passkey SET counter = signed, last_used_at = now() WHERE id = which
  $body$;
REVOKE EXECUTE ON FUNCTION oauth.use_passkey FROM PUBLIC;

CREATE FUNCTION oauth.disable_passkey(which text)
 RETURNS void
 LANGUAGE sql
 VOLATILE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    UPDATE oauth.passkey SET disabled_at = now() WHERE id = which
  $body$;
REVOKE EXECUTE ON FUNCTION oauth.disable_passkey FROM PUBLIC;

CREATE FUNCTION oauth.remove_passkeys(passkeys text[])
 RETURNS void
 LANGUAGE sql
 VOLATILE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    DELETE FROM oauth.passkey WHERE id = ANY (passkeys)
  $body$;
REVOKE EXECUTE ON FUNCTION oauth.remove_passkeys FROM PUBLIC;

-- The relying parties that passkeys were made for.
CREATE FUNCTION oauth.passkey_rp_ids()
 RETURNS SETOF text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    SELECT DISTINCT rp_id FROM oauth.passkey
  $body$;
REVOKE EXECUTE ON FUNCTION oauth.passkey_rp_ids FROM PUBLIC;

CREATE FUNCTION oauth.passkey_removal_of(whose text, who text)
 RETURNS SETOF oauth.passkey_removal
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    SELECT * FROM oauth.passkey_removal WHERE person_id = whose AND asked_by = who AND ends_at > now()
  $body$;
REVOKE EXECUTE ON FUNCTION oauth.passkey_removal_of FROM PUBLIC;

-- The caller has found no wait that runs or can be used: what is stored is over.
CREATE FUNCTION oauth.begin_passkey_removal(whose text, who text, hours integer, days integer)
 RETURNS SETOF oauth.passkey_removal
 LANGUAGE sql
 VOLATILE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    INSERT INTO oauth.passkey_removal AS r (person_id, asked_by, ready_at, ends_at)
    VALUES (whose, who, now() + make_interval(hours => hours), now() + make_interval(hours => hours, days => days))
    ON CONFLICT (person_id, asked_by) DO UPDATE SET
      requested_at = excluded.requested_at, ready_at = excluded.ready_at, ends_at = excluded.ends_at
    RETURNING *
  $body$;
REVOKE EXECUTE ON FUNCTION oauth.begin_passkey_removal FROM PUBLIC;

-- Ends what a person waits for; returns what was still open.
CREATE FUNCTION oauth.end_passkey_removals(whose text)
 RETURNS SETOF oauth.passkey_removal
 LANGUAGE sql
 VOLATILE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    DELETE FROM oauth.passkey_removal WHERE person_id = whose RETURNING *
  $body$;
REVOKE EXECUTE ON FUNCTION oauth.end_passkey_removals FROM PUBLIC;

-- Triggers

CREATE TRIGGER app_stale AFTER UPDATE OF suspended_at, secret_hash ON oauth.app
  FOR EACH ROW EXECUTE FUNCTION oauth.notify_stale_app();
CREATE TRIGGER authorization_grant_stale AFTER UPDATE OF revoked_at ON oauth.authorization_grant
  FOR EACH ROW EXECUTE FUNCTION oauth.notify_stale();
CREATE TRIGGER access_token_stale AFTER UPDATE OF revoked_at ON oauth.access_token
  FOR EACH ROW EXECUTE FUNCTION oauth.notify_stale();
CREATE TRIGGER consent_stale AFTER UPDATE OF is_capped ON oauth.consent
  FOR EACH ROW EXECUTE FUNCTION oauth.notify_stale();

-- Policies: a statement sees the rows of one account only, its owner's statements too. The policy asks for '*'
-- (all tenants) once for each statement, so batches stay fast.

ALTER TABLE oauth.app ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth.denied_app_host ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth.agent_setting ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth.person ENABLE ROW LEVEL SECURITY;
ALTER TABLE oauth.passkey ENABLE ROW LEVEL SECURITY;
ALTER TABLE oauth.passkey_removal ENABLE ROW LEVEL SECURITY;
ALTER TABLE oauth.passkey_challenge ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth.sign_in_setting ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth.membership ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth.address_change ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth.mail_sign_in ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth.session ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth.consent ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth.authorization_grant ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth.authorization_code ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth.access_token ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth.refresh_token ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth.used_consent_token ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth.done_change ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth.portal_link ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE oauth.session_handover ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenant ON oauth.app
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY nobodys ON oauth.denied_app_host
  USING ((SELECT current_setting('gateway.account_id', true) = '*'));
CREATE POLICY tenant ON oauth.address_change
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY nobodys ON oauth.mail_sign_in
  USING ((SELECT current_setting('gateway.account_id', true) = '*'));
CREATE POLICY tenant ON oauth.agent_setting
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON oauth.membership
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY nobodys ON oauth.passkey_challenge
  USING ((SELECT current_setting('gateway.account_id', true) = '*'));
CREATE POLICY tenant ON oauth.sign_in_setting
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON oauth.session
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON oauth.consent
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON oauth.authorization_grant
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON oauth.authorization_code
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON oauth.access_token
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON oauth.refresh_token
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON oauth.used_consent_token
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON oauth.done_change
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON oauth.portal_link
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON oauth.session_handover
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));

-- Grants

GRANT USAGE ON SCHEMA oauth TO gateway_service;
GRANT EXECUTE ON FUNCTION oauth.person_of, oauth.person_with, oauth.readdress_person TO gateway_service;
GRANT EXECUTE ON FUNCTION oauth.has_passkey, oauth.passkeys_of, oauth.passkey_of_credential, oauth.lock_person,
  oauth.add_passkey, oauth.use_passkey, oauth.disable_passkey, oauth.remove_passkeys, oauth.passkey_rp_ids,
  oauth.count_passkey_mail, oauth.passkey_removal_of, oauth.begin_passkey_removal, oauth.end_passkey_removals TO gateway_service;
GRANT SELECT, INSERT, DELETE ON oauth.signing_key, oauth.backend_signing_key TO gateway_service;
GRANT SELECT, INSERT, UPDATE ON oauth.consent, oauth.agent_setting, oauth.membership, oauth.sign_in_setting
  TO gateway_service;
GRANT SELECT, INSERT, DELETE ON oauth.denied_app_host TO gateway_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON oauth.passkey_challenge TO gateway_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON oauth.app TO gateway_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON oauth.session, oauth.authorization_grant,
  oauth.authorization_code, oauth.access_token, oauth.refresh_token, oauth.used_consent_token,
  oauth.done_change, oauth.portal_link, oauth.session_handover, oauth.mail_sign_in,
  oauth.address_change TO gateway_service;
GRANT UPDATE (activate_at, revoked_at) ON oauth.backend_signing_key, oauth.signing_key TO gateway_service;
