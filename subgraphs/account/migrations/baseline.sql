-- The schema of the account subgraph in release 1.0.0. Until that release is tagged this file is edited in place;
-- afterwards steps in this folder change the schema (subgraphs/README.md).

-- Functions name each other, in any order.
SET LOCAL check_function_bodies = off;

-- Accounts

CREATE TABLE account.account (
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  status text NOT NULL DEFAULT 'ACTIVE',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (id),
  CHECK (status IN ('ACTIVE', 'SUSPENDED', 'CLOSED'))
);
-- Operators look for accounts by these.
CREATE INDEX account_inactive ON account.account (status, id) WHERE status <> 'ACTIVE';
CREATE INDEX account_address ON account.account (lower(email));

-- Everything that a call can change or show exists once per environment (docs/contract.md §9).
CREATE TABLE account.plan (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  tier text NOT NULL,
  subscription_tier text,
  PRIMARY KEY (account_id, environment),
  FOREIGN KEY (account_id) REFERENCES account.account (id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (tier IN ('STARTER', 'GROWTH', 'PROFESSIONAL', 'BUSINESS', 'ENTERPRISE', 'SCALE')),
  CHECK (subscription_tier IN ('pro_sub', 'business_sub', 'enterprise_sub'))
);
CREATE INDEX plan_tier ON account.plan (environment, tier, account_id);

CREATE TABLE account.subscription (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  tier text NOT NULL,
  status text NOT NULL DEFAULT 'active',
  -- Periods are counted from here, so that a month's length never shifts the next.
  anchor_at timestamptz(3) NOT NULL DEFAULT now(),
  period interval NOT NULL,
  current_period_start timestamptz(3) NOT NULL DEFAULT now(),
  current_period_end timestamptz(3) NOT NULL,
  canceled_at timestamptz(3),
  -- The tier from the next period on. Null: it stays.
  next_tier text,
  -- The next tier that the account holder has chosen, or that a late payment brings; `next_tier` may be lower.
  chosen_tier text,
  -- The upgrades whose money came back since then: each lowers the next tier to the one before it.
  lowered_by text[] COLLATE "C" NOT NULL DEFAULT '{}',
  -- How often the tier has risen in this period.
  upgrades integer NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, environment),
  FOREIGN KEY (account_id) REFERENCES account.account (id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (tier IN ('pro_sub', 'business_sub', 'enterprise_sub')),
  CHECK (next_tier IN ('pro_sub', 'business_sub', 'enterprise_sub')),
  CHECK (upgrades >= 0),
  CHECK (chosen_tier IN ('pro_sub', 'business_sub', 'enterprise_sub')),
  CONSTRAINT subscription_check2 CHECK ((chosen_tier IS NULL AND lowered_by = '{}') = (next_tier IS NULL)),
  CHECK (status IN ('active', 'scheduled_to_cancel', 'canceled')),
  CHECK (period > '00:00:00'),
  CHECK (current_period_end > current_period_start),
  CONSTRAINT subscription_check1 CHECK ((status = 'active') = (canceled_at IS NULL))
);
CREATE INDEX subscription_due ON account.subscription (current_period_end) WHERE status <> 'canceled';

CREATE TABLE account.addon (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  name text NOT NULL,
  status text NOT NULL DEFAULT 'active',
  anchor_at timestamptz(3) NOT NULL DEFAULT now(),
  period interval NOT NULL,
  current_period_start timestamptz(3) NOT NULL DEFAULT now(),
  current_period_end timestamptz(3) NOT NULL,
  canceled_at timestamptz(3),
  PRIMARY KEY (account_id, environment, name),
  FOREIGN KEY (account_id) REFERENCES account.account (id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (name IN ('mass_mail', 'rank_tracking')),
  CHECK (status IN ('active', 'scheduled_to_cancel', 'canceled')),
  CHECK (period > '00:00:00'),
  CHECK (current_period_end > current_period_start),
  CONSTRAINT addon_check1 CHECK ((status = 'active') = (canceled_at IS NULL))
);
CREATE INDEX addon_due ON account.addon (current_period_end) WHERE status <> 'canceled';

CREATE TABLE account.tracked_keyword (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  keyword text NOT NULL,
  domain text NOT NULL,
  country text NOT NULL,
  device text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (id),
  CONSTRAINT tracked_keyword_account_id_environment_keyword_domain_count_key UNIQUE (account_id, environment, keyword, domain, country, device),
  FOREIGN KEY (account_id) REFERENCES account.account (id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (country ~ '^[A-Z]{2}$'),
  CHECK (device IN ('desktop', 'mobile'))
);
CREATE INDEX tracked_keyword_newest ON account.tracked_keyword (account_id, environment, id DESC);

-- The ledger

-- The row of a balance, which every charge updates: room on the page keeps those updates off the index.
CREATE TABLE account.balance (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  balance bigint NOT NULL DEFAULT 0,
  held bigint NOT NULL DEFAULT 0,
  last_seq bigint NOT NULL DEFAULT 0,
  -- The hash of the newest entry: the next entries are chained to it.
  last_hash bytea NOT NULL DEFAULT '\x',
  -- When the next lot expires. Most balances have no such lot, and need no work for expiry.
  next_expiry_at timestamptz(3),
  -- Credits that left the balance up to this entry have been taken from the lots below.
  burnt_seq bigint NOT NULL DEFAULT 0,
  -- When the balance leaves these bounds, WatchBalance must look at it, and sets new bounds. While nobody has
  -- looked at a balance, its next change is noticed.
  watch_below bigint,
  watch_above bigint,
  -- The lowest threshold that was announced and has not been re-armed since; null: none.
  announced_credits bigint,
  PRIMARY KEY (account_id, environment),
  FOREIGN KEY (account_id) REFERENCES account.account (id),
  CONSTRAINT balance_bounds CHECK (held >= 0 AND balance BETWEEN -9007199254740991 AND 9007199254740991)
) WITH (fillfactor = 50);
-- A charge changes no column of this index, so it stays off it.
CREATE INDEX balance_low ON account.balance (environment, account_id) WHERE announced_credits IS NOT NULL;

-- Entries and holds have no foreign key to their balance: each of their rows is made from the row of the
-- balance.
CREATE TABLE account.ledger_entry (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  seq bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  credits bigint NOT NULL,
  balance_after bigint NOT NULL,
  description text NOT NULL,
  -- The request of a charge; otherwise a reference that makes the entry happen once.
  ref text COLLATE "C" NOT NULL,
  -- The entry of the usage log for a charge, in case the process dies before it writes the entry.
  request jsonb,
  created_at timestamptz(3) NOT NULL,
  -- The last entry of each commit has SHA-256 over the hash before and all entries since. Who rewrites one
  -- entry must rewrite all later ones.
  hash bytea,
  -- The call of a charge, as in account.hold; `description` is its endpoint.
  call text,
  PRIMARY KEY (account_id, environment, seq),
  CONSTRAINT ledger_entry_bounds CHECK (credits BETWEEN -9007199254740991 AND 9007199254740991 AND balance_after BETWEEN -9007199254740991 AND 9007199254740991)
) WITH (autovacuum_analyze_scale_factor = 1, autovacuum_analyze_threshold = 20000);
-- Charges are looked for by time only after a crash.
CREATE INDEX ledger_entry_created_at ON account.ledger_entry USING brin (created_at) WITH (autosummarize='on');
-- The index sums up what Mass Mail has sent in a period: its service is charged a credit for each mail.
CREATE INDEX ledger_entry_promote ON account.ledger_entry (account_id, environment, created_at) INCLUDE (credits) WHERE (request ->> 'service') = 'promote';
CREATE UNIQUE INDEX ledger_entry_charge ON account.ledger_entry (ref, account_id) WHERE kind = 'charge';
CREATE UNIQUE INDEX ledger_entry_ref ON account.ledger_entry (account_id, environment, kind, ref) WHERE kind <> 'charge';
CREATE INDEX ledger_entry_promotion ON account.ledger_entry (account_id, environment, created_at) INCLUDE (credits) WHERE kind = 'charge' AND starts_with(description, '/v1/promote/');

CREATE TABLE account.posting_key (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  key text COLLATE "C" NOT NULL,
  posting jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, environment, key),
  CHECK (environment IN ('live', 'sandbox'))
);

-- Lots

CREATE TABLE account.lot (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  -- The number of the entry that brought the credits.
  seq bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- The kind of that entry.
  source text NOT NULL,
  granted bigint NOT NULL,
  -- The remaining credits at the entry `burnt_seq` of the balance.
  remaining bigint NOT NULL,
  expired bigint NOT NULL DEFAULT 0,
  -- The lot of the lowest priority burns first; of equal ones that which expires soonest, then the oldest.
  -- 101: the lot never expires.
  priority smallint NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  payment_id text COLLATE "C",
  created_at timestamptz(3) NOT NULL,
  -- How many days before the end of the lot the last notice was sent. Null: none was sent.
  told_days smallint,
  PRIMARY KEY (account_id, environment, seq),
  CHECK (granted > 0),
  CHECK (expired >= 0),
  CHECK (priority BETWEEN 0 AND 101),
  CHECK (remaining BETWEEN 0 AND granted),
  CONSTRAINT lot_check1 CHECK ((priority = 101) = (expires_at = 'infinity'))
);
CREATE INDEX lot_left ON account.lot (account_id, environment, priority, expires_at, seq) WHERE remaining > 0;
CREATE INDEX lot_payment ON account.lot (payment_id, account_id) WHERE payment_id IS NOT NULL;

-- Which lots paid for the entries after `since_seq` up to `until_seq`: this lot paid while the balance fell
-- from `top` by `credits`.
CREATE TABLE account.lot_burn (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  since_seq bigint NOT NULL,
  until_seq bigint NOT NULL,
  lot_seq bigint NOT NULL,
  top bigint NOT NULL,
  credits bigint NOT NULL,
  PRIMARY KEY (account_id, environment, until_seq, lot_seq)
);

-- The credits that were taken back of a payment; 0 is recorded too.
CREATE TABLE account.clawback (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  ref text COLLATE "C" NOT NULL,
  payment_id text COLLATE "C" NOT NULL,
  taken bigint NOT NULL,
  reinstated bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, environment, ref),
  CHECK (taken >= 0),
  CHECK (reinstated BETWEEN 0 AND taken)
);
CREATE INDEX clawback_payment ON account.clawback (payment_id, account_id);

-- Holds

-- Open holds. Resolving a hold deletes its row.
CREATE TABLE account.hold (
  request_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  credits bigint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  endpoint text NOT NULL,
  -- JSON: [processId, ts, method, route, service, traceId, backendModule, keyId]
  call text NOT NULL,
  -- The owners of the budgets that count for the call, and since when it counts in them: null without a
  -- budget.
  spenders text[],
  reserved_at timestamptz(3),
  counted bigint,
  PRIMARY KEY (request_id),
  CHECK (credits >= 0)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE TABLE account.ended_hold (
  request_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  ended_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (request_id)
);
CREATE INDEX ended_hold_ended_at ON account.ended_hold (ended_at);

-- A key is hashed: it may hold anything that its owner put into it. Claims and answers are inserted and deleted,
-- and never updated, unless a key whose time is over is claimed anew: so a key leaves no dead row behind.
CREATE TABLE account.key_claim (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  key_hash text COLLATE "C" NOT NULL,
  request_hash text COLLATE "C" NOT NULL,
  -- The attempt that has the key; only it can store the answer.
  request_id text COLLATE "C" NOT NULL,
  -- An attempt without an answer may still be running until this time.
  lease_expires_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, environment, key_hash)
) WITH (autovacuum_analyze_scale_factor = 1, autovacuum_analyze_threshold = 20000);
CREATE INDEX key_claim_expires_at ON account.key_claim (expires_at);

-- The answer of a request is deleted with the claim of the request.
CREATE TABLE account.key_answer (
  request_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  answer jsonb NOT NULL,
  body text NOT NULL,
  stored_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (request_id, account_id)
) WITH (autovacuum_analyze_scale_factor = 1, autovacuum_analyze_threshold = 20000);

-- An answer may say for how many seconds it is repeated: then its key is free, though its rows are still there.
CREATE VIEW account.idempotency_key WITH (security_invoker) AS
  SELECT c.account_id, c.environment, c.key_hash, c.request_hash, c.request_id, c.lease_expires_at,
    CASE WHEN a.answer -> 'seconds' IS NULL THEN c.expires_at
      ELSE least(c.expires_at, a.stored_at + make_interval(secs => (a.answer -> 'seconds')::int))
    END AS expires_at, a.answer, a.body
  FROM account.key_claim c LEFT JOIN account.key_answer a
    ON a.request_id = c.request_id AND a.account_id = c.account_id;

CREATE TABLE account.facade_process (
  id text COLLATE "C" NOT NULL,
  seen_at timestamptz(3) NOT NULL,
  recorded_until timestamptz(3) NOT NULL,
  PRIMARY KEY (id)
);

-- What each process of the gateway knew of itself a moment ago, for operators. A process that is silent is left out.
CREATE TABLE account.process_report (
  id text COLLATE "C" NOT NULL,
  role text NOT NULL,
  version text NOT NULL,
  started_at timestamptz(3) NOT NULL,
  seen_at timestamptz(3) NOT NULL DEFAULT now(),
  report jsonb NOT NULL,
  PRIMARY KEY (id)
);

-- Budgets

CREATE TABLE account.budget (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  -- key:…, consent:…, external_id:… or account
  spender text COLLATE "C" NOT NULL,
  period text NOT NULL,
  limit_credits bigint NOT NULL,
  -- Whether the budget refuses calls; one that does not only counts them.
  is_enforced boolean NOT NULL DEFAULT true,
  used bigint NOT NULL DEFAULT 0,
  held bigint NOT NULL DEFAULT 0,
  -- Calls that were reserved from here on count: the start of the window, or of the budget.
  counts_from timestamptz(3) NOT NULL,
  -- The highest threshold of this limit that was announced in this window.
  announced_percent smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, environment, spender, period),
  CHECK (period IN ('day', 'week', 'month', 'total')),
  CHECK (limit_credits >= 1)
);

-- The credits that a request has counted in budgets: for refunds, and to recompute the use of a window.
CREATE TABLE account.spending (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  spenders text[] NOT NULL,
  reserved_at timestamptz(3) NOT NULL,
  credits bigint NOT NULL,
  refunded bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (request_id, account_id)
);
CREATE INDEX spending_reserved_at ON account.spending (account_id, environment, reserved_at);

-- Payments

CREATE TABLE account.payment (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  kind text NOT NULL,
  -- The package as it was on sale: later prices do not change it.
  package_id text NOT NULL,
  package_name text NOT NULL,
  tier text,
  credits bigint NOT NULL,
  total_cents bigint NOT NULL,
  currency text NOT NULL,
  payment_method text NOT NULL,
  -- Brand, last digits and fingerprint of the card that paid; null: nobody has paid, or the card is not known.
  -- They stay when the holder removes the card: the invoice has the digits, and a dispute bars the fingerprint.
  card jsonb,
  status text NOT NULL DEFAULT 'pending',
  failure_reason text,
  -- The reference that makes a checkout happen once.
  reference text COLLATE "C" NOT NULL,
  -- When the provider is asked next about an undecided payment. A process moves this on before it asks.
  ask_at timestamptz(3) NOT NULL DEFAULT now(),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- When the payment was decided. Null: it is undecided.
  settled_at timestamptz(3),
  -- The period that a subscription's payment is for, or the period in which an upgrade was asked for. The payment
  -- that starts a subscription has one once it is paid.
  period_start timestamptz(3),
  -- The provider that was asked to collect it, and the provider's id of the payment.
  provider text,
  provider_reference text,
  period_end timestamptz(3),
  -- Net.
  price_cents bigint NOT NULL,
  tax_cents bigint NOT NULL DEFAULT 0,
  -- How the tax was found; later rules do not change it.
  tax jsonb,
  refunded_cents bigint NOT NULL DEFAULT 0,
  -- The step that the payer has to take at the provider: pay on its page, or confirm one payment.
  action text,
  -- The page for that step, as long as the step can be done.
  action_url text,
  -- When the provider is asked to close the page of the payment.
  expires_at timestamptz(3),
  -- Where the payer comes back to; null: to our own page.
  return_url text,
  client_reference_id text,
  -- The tier of the account when this package was paid: a return of all money restores it.
  tier_before text,
  -- The plan that an upgrade replaces.
  from_plan text,
  -- The length of the periods of the subscription that this payment starts.
  billing_period interval,
  PRIMARY KEY (id),
  UNIQUE (account_id, environment, reference),
  FOREIGN KEY (account_id) REFERENCES account.account (id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (tier IN ('STARTER', 'GROWTH', 'PROFESSIONAL', 'BUSINESS', 'ENTERPRISE', 'SCALE')),
  CONSTRAINT payment_credits CHECK (credits > 0 OR kind = 'plan' AND credits = 0),
  CHECK (total_cents > 0),
  CHECK (currency ~ '^[A-Z]{3}$'),
  CHECK (status IN ('requires_action', 'pending', 'paid', 'failed', 'expired')),
  CHECK ((status IN ('requires_action', 'pending')) = (settled_at IS NULL)),
  CONSTRAINT payment_check1 CHECK ((status = 'failed') = (failure_reason IS NOT NULL)),
  CHECK (provider IN ('simulated', 'stripe')),
  CHECK (kind IN ('checkout', 'auto_recharge', 'subscription', 'plan')),
  CHECK (from_plan IN ('pro_sub', 'business_sub', 'enterprise_sub')),
  CONSTRAINT payment_check2 CHECK ((kind IN ('subscription', 'plan')) = (tier IS NULL)),
  CONSTRAINT payment_check3 CHECK (CASE WHEN kind = 'subscription' OR from_plan IS NOT NULL THEN period_start IS NOT NULL
    ELSE period_start IS NULL OR kind = 'plan' END),
  CONSTRAINT payment_check7 CHECK ((period_start IS NULL) = (period_end IS NULL)),
  CONSTRAINT payment_plan CHECK (kind = 'plan' OR from_plan IS NULL AND billing_period IS NULL),
  CONSTRAINT payment_start CHECK (kind <> 'plan' OR (from_plan IS NULL) = (billing_period IS NOT NULL)),
  CONSTRAINT payment_check4 CHECK (provider IS NOT NULL OR status = 'pending' AND provider_reference IS NULL),
  CHECK (action IN ('page', 'confirmation')),
  CONSTRAINT payment_check5 CHECK ((status = 'requires_action') = (action_url IS NOT NULL)),
  CONSTRAINT payment_check6 CHECK (status <> 'paid' OR (tier IS NULL) = (tier_before IS NULL))
);
-- At most one recharge, and one change of the plan, is under way.
CREATE UNIQUE INDEX payment_planning ON account.payment (account_id, environment) WHERE kind = 'plan' AND settled_at IS NULL;
CREATE UNIQUE INDEX payment_recharging ON account.payment (account_id, environment) WHERE kind = 'auto_recharge' AND settled_at IS NULL;
CREATE INDEX payment_undecided ON account.payment (id DESC) WHERE settled_at IS NULL;
CREATE INDEX payment_provider_reference ON account.payment (provider_reference) WHERE provider_reference IS NOT NULL;

-- The provider's name of an account that it can collect from when nobody is there.
CREATE TABLE account.payment_customer (
  account_id text COLLATE "C" NOT NULL,
  provider text NOT NULL,
  reference text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, provider),
  FOREIGN KEY (account_id) REFERENCES account.account (id),
  CHECK (provider IN ('simulated', 'stripe'))
);

-- Cards that a provider has saved: what people know them by, and no more.
CREATE TABLE account.payment_method (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  provider text NOT NULL,
  -- The provider's id of the card. The default card of an account is the one that recharging uses.
  reference text NOT NULL,
  brand text NOT NULL,
  last4 text NOT NULL,
  exp_month integer NOT NULL,
  exp_year integer NOT NULL,
  -- The provider's name of the number of the card: the same each time that the card is entered; null: unknown.
  fingerprint text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (id),
  UNIQUE (account_id, environment, provider, reference),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (provider IN ('simulated', 'stripe'))
);
CREATE INDEX payment_method_newest ON account.payment_method (account_id, environment, id DESC);

-- Cards that were declined on the page of a payment, each attempt once.
CREATE TABLE account.payment_decline (
  payment_id text COLLATE "C" NOT NULL,
  -- The provider's id of the attempt.
  attempt text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  declined_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (payment_id, attempt),
  FOREIGN KEY (payment_id) REFERENCES account.payment (id),
  CHECK (environment IN ('live', 'sandbox'))
);
CREATE INDEX payment_decline_recent ON account.payment_decline (account_id, environment, declined_at);

CREATE TABLE account.auto_recharge (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  enabled boolean NOT NULL DEFAULT false,
  threshold_credits bigint,
  package_id text,
  monthly_cap_cents bigint,
  payment_method text NOT NULL DEFAULT 'simulated',
  state text NOT NULL DEFAULT 'idle',
  declines integer NOT NULL DEFAULT 0,
  -- When the account may recharge again, after a decline or at the cap.
  try_at timestamptz(3) NOT NULL DEFAULT now(),
  last_recharge_at timestamptz(3),
  failure_reason text,
  -- When `payment_method` was chosen, by a paid checkout or by the holder. Null: it was not.
  method_chosen_at timestamptz(3),
  PRIMARY KEY (account_id, environment),
  FOREIGN KEY (account_id) REFERENCES account.account (id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (threshold_credits > 0),
  CHECK (monthly_cap_cents > 0),
  CHECK (state IN ('idle', 'pending', 'action_required', 'suspended')),
  CHECK (NOT enabled OR threshold_credits IS NOT NULL AND package_id IS NOT NULL)
);
CREATE INDEX auto_recharge_failing ON account.auto_recharge (account_id DESC) WHERE enabled AND failure_reason IS NOT NULL;

-- The records of the simulated provider about the payments that have a page there.
CREATE TABLE account.simulated_payment (
  payment_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  state text NOT NULL,
  -- The card; null: the payer has not chosen one.
  method text,
  -- A payment by a slow card is decided this long after it was made.
  paid_at timestamptz(3),
  PRIMARY KEY (payment_id),
  FOREIGN KEY (payment_id) REFERENCES account.payment (id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (state IN ('open', 'confirming', 'paid', 'declined', 'closed'))
);

-- Notifications about a payment of ours that contradict it. Operators alone see them.
CREATE TABLE account.unmatched_payment_notification (
  id text COLLATE "C" NOT NULL,
  -- Null where the payment is unknown.
  account_id text COLLATE "C",
  environment text NOT NULL,
  provider text NOT NULL,
  kind text NOT NULL,
  -- The provider's id of the refund or dispute.
  reference text NOT NULL,
  payment_id text,
  payment_reference text,
  amount_cents bigint,
  currency text,
  reason text NOT NULL,
  times_seen integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (id),
  CONSTRAINT unmatched_payment_notificatio_provider_environment_kind_ref_key UNIQUE (provider, environment, kind, reference),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (kind IN ('refund', 'dispute'))
);

-- Refunds and disputes

CREATE TABLE account.payment_refund (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  payment_id text COLLATE "C" NOT NULL,
  -- The provider's id of the refund. Null: the provider has not answered yet.
  reference text,
  -- True where only a sum is known: a notification told how much was returned in all.
  is_unnamed boolean NOT NULL DEFAULT false,
  amount_cents bigint NOT NULL,
  -- The part of the refund for which there is a credit note.
  noted_cents bigint NOT NULL DEFAULT 0,
  status text NOT NULL,
  failure_reason text,
  -- The operator's reason, for a refund of an operator.
  reason text,
  -- When the provider is asked next about a pending refund.
  ask_at timestamptz(3) NOT NULL DEFAULT now(),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  settled_at timestamptz(3),
  PRIMARY KEY (id),
  UNIQUE (payment_id, reference),
  FOREIGN KEY (payment_id) REFERENCES account.payment (id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (amount_cents > 0),
  CHECK (status IN ('pending', 'succeeded', 'failed')),
  CHECK ((status = 'pending') = (settled_at IS NULL))
);

CREATE TABLE account.payment_dispute (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  payment_id text COLLATE "C" NOT NULL,
  reference text NOT NULL,
  amount_cents bigint NOT NULL,
  status text NOT NULL,
  -- Both marks only ever become true, so notifications may come in any order.
  is_withdrawn boolean NOT NULL DEFAULT false,
  is_reinstated boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (id),
  UNIQUE (payment_id, reference),
  FOREIGN KEY (payment_id) REFERENCES account.payment (id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (amount_cents > 0),
  CHECK (status IN ('inquiry', 'open', 'lost', 'won'))
);

CREATE INDEX payment_dispute_open ON account.payment_dispute (environment, id DESC) WHERE status IN ('inquiry', 'open');
CREATE INDEX payment_refund_pending ON account.payment_refund (id DESC) WHERE status = 'pending';

-- The credits that a refund or a dispute took, an entry of the ledger each. `credits` were to be
-- taken; the ledger took fewer where credits of the purchase had expired.
CREATE TABLE account.payment_clawback (
  ref text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  payment_id text COLLATE "C" NOT NULL,
  return_id text COLLATE "C" NOT NULL,
  credits bigint NOT NULL,
  returned_credits bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, environment, ref),
  FOREIGN KEY (payment_id) REFERENCES account.payment (id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (credits > 0),
  CHECK (returned_credits BETWEEN 0 AND credits)
);
CREATE INDEX payment_clawback_payment ON account.payment_clawback (payment_id);

-- A dispute blocks recharging and the card until an operator lifts the block.
CREATE TABLE account.payment_block (
  dispute_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  -- The card; null: it is not known.
  payment_method text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  lifted_at timestamptz(3),
  PRIMARY KEY (dispute_id),
  FOREIGN KEY (dispute_id) REFERENCES account.payment_dispute (id),
  CHECK (environment IN ('live', 'sandbox'))
);
CREATE INDEX payment_block_open ON account.payment_block (account_id, environment) WHERE lifted_at IS NULL;

-- Invoices

CREATE TABLE account.billing_details (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  name text NOT NULL,
  line1 text NOT NULL,
  line2 text,
  city text NOT NULL,
  postal_code text NOT NULL,
  state text,
  country text NOT NULL,
  tax_id text,
  purchase_order text,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, environment),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (country ~ '^[A-Z]{2}$')
);

CREATE TABLE account.invoice (
  id text COLLATE "C" NOT NULL,
  number text NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  status text NOT NULL,
  total_cents bigint NOT NULL,
  currency text NOT NULL,
  credits bigint NOT NULL,
  description text NOT NULL,
  payment_id text COLLATE "C",
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  type text NOT NULL DEFAULT 'invoice',
  -- Net.
  price_cents bigint NOT NULL,
  tax_cents bigint NOT NULL DEFAULT 0,
  -- Who sold (null: nobody is configured), who bought and what was taxed, as it was then.
  seller jsonb,
  buyer jsonb NOT NULL,
  tax jsonb,
  -- A credit note names the invoice that it corrects, and its refund.
  original_invoice_id text COLLATE "C",
  refund_id text COLLATE "C",
  PRIMARY KEY (id),
  UNIQUE (number),
  UNIQUE (payment_id),
  FOREIGN KEY (account_id) REFERENCES account.account (id),
  FOREIGN KEY (payment_id) REFERENCES account.payment (id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (status IN ('paid', 'open', 'void')),
  CHECK (total_cents >= 0),
  CHECK (currency ~ '^[A-Z]{3}$'),
  CHECK (credits >= 0),
  CONSTRAINT invoice_type CHECK (type IN ('invoice', 'credit_note')),
  CONSTRAINT invoice_amounts CHECK (tax_cents BETWEEN 0 AND total_cents AND (price_cents + tax_cents) = total_cents),
  CONSTRAINT invoice_credit_note CHECK ((type = 'credit_note') = (payment_id IS NULL) AND (type = 'credit_note') = (original_invoice_id IS NOT NULL) AND (type = 'credit_note') = (refund_id IS NOT NULL) AND (type = 'invoice' OR status = 'paid'))
);
CREATE INDEX invoice_newest ON account.invoice (account_id, environment, id DESC);
CREATE UNIQUE INDEX invoice_refund ON account.invoice (account_id, environment, refund_id) WHERE refund_id IS NOT NULL;
CREATE INDEX invoice_open ON account.invoice (environment, account_id) WHERE status = 'open';
CREATE INDEX invoice_original ON account.invoice (original_invoice_id) WHERE original_invoice_id IS NOT NULL;

-- A document is never changed: an invoice that is paid later gets another one.
CREATE TABLE account.invoice_document (
  invoice_id text COLLATE "C" NOT NULL,
  -- The status of the invoice when the document was rendered.
  status text NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  pdf bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (invoice_id, status)
);

-- The prefix of an account's numbers: random, so it tells neither the account nor how many there are.
CREATE TABLE account.invoice_series (
  account_id text COLLATE "C" NOT NULL,
  prefix text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id),
  UNIQUE (prefix),
  CHECK (prefix ~ '^[0-9A-HJKMNP-TV-Z]{8}$')
);

-- The last number of each account, environment and year (UTC).
CREATE TABLE account.invoice_counter (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  year integer NOT NULL,
  last_number integer NOT NULL,
  PRIMARY KEY (account_id, environment, year),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (last_number > 0)
);

-- The last number of each account, environment and year (UTC).
CREATE TABLE account.credit_note_counter (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  year integer NOT NULL,
  last_number integer NOT NULL,
  PRIMARY KEY (account_id, environment, year),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (last_number > 0)
);

-- Events and webhooks

-- Events of an account, for its holder's software: each leaves as a webhook.
CREATE TABLE account.event (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  type text NOT NULL,
  data jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (id),
  FOREIGN KEY (account_id) REFERENCES account.account (id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (type ~ '^[a-z_]+[.][a-z_]+$')
);
CREATE INDEX event_newest ON account.event (account_id, environment, id DESC);

CREATE TABLE account.webhook_endpoint (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  url text NOT NULL,
  -- Types of events; none means all.
  events text[] NOT NULL,
  description text,
  status text NOT NULL DEFAULT 'enabled',
  -- When the endpoint failed first since a delivery has arrived, or since nothing was tried for long.
  failing_since timestamptz(3),
  last_failed_at timestamptz(3),
  -- An endpoint is suspect until a delivery arrives promptly, and again once an attempt fails or takes long.
  -- Neither another address nor enabling the endpoint ends that.
  is_suspect boolean NOT NULL DEFAULT true,
  sealed_secret text NOT NULL,
  -- The secret before this one, which signs too until `former_until`.
  former_secret text,
  former_until timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (id),
  FOREIGN KEY (account_id) REFERENCES account.account (id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (status IN ('enabled', 'disabled')),
  CHECK ((former_secret IS NULL) = (former_until IS NULL))
);
CREATE INDEX webhook_endpoint_failing ON account.webhook_endpoint (id DESC) WHERE failing_since IS NOT NULL;
CREATE INDEX webhook_endpoint_newest ON account.webhook_endpoint (account_id, environment, id DESC);

-- A delivery has no foreign key to its endpoint or event: deleting an endpoint must neither wait for its
-- deliveries nor make an event fail that happens meanwhile. Left-over deliveries are swept.
CREATE TABLE account.webhook_delivery (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  event_type text NOT NULL,
  status text NOT NULL DEFAULT 'pending',
  -- Attempts since the delivery was last asked for: they say where it is on the schedule.
  tries integer NOT NULL DEFAULT 0,
  attempt_count integer NOT NULL DEFAULT 0,
  arrival_count integer NOT NULL DEFAULT 0,
  -- The last few attempts, the newest first.
  attempts jsonb NOT NULL DEFAULT '[]',
  -- When the delivery is due. Null also while it is pending and its endpoint is disabled: then no dispatcher
  -- comes across it.
  due_at timestamptz(3) DEFAULT now(),
  -- The delivery belongs to a dispatcher until this time; `lease` tells one dispatcher from the next.
  lease_until timestamptz(3),
  lease integer NOT NULL DEFAULT 0,
  -- The delivery was asked for again while a dispatcher had it: then it is due once more.
  is_asked_again boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (id),
  FOREIGN KEY (account_id) REFERENCES account.account (id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (status IN ('pending', 'succeeded', 'failed')),
  CHECK (status = 'pending' OR due_at IS NULL)
);
CREATE INDEX webhook_delivery_newest ON account.webhook_delivery (endpoint_id, id DESC);
CREATE INDEX webhook_delivery_due ON account.webhook_delivery (endpoint_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_delivery_oldest_due ON account.webhook_delivery (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_delivery_parked ON account.webhook_delivery (endpoint_id) WHERE status = 'pending' AND due_at IS NULL;
CREATE INDEX webhook_delivery_event ON account.webhook_delivery (event_id);
CREATE INDEX webhook_delivery_type ON account.webhook_delivery (endpoint_id, event_type, id DESC);
CREATE INDEX webhook_delivery_failed ON account.webhook_delivery (endpoint_id, id DESC) WHERE status = 'failed';

-- The beginnings of receivers' answers, sealed, for a week: by the number of the attempt of its delivery.
CREATE TABLE account.webhook_answer (
  account_id text COLLATE "C" NOT NULL,
  delivery_id text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  sealed_text text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, delivery_id, attempt),
  FOREIGN KEY (account_id) REFERENCES account.account (id)
);
CREATE INDEX webhook_answer_oldest ON account.webhook_answer (created_at);

CREATE TABLE account.webhook_resend (
  -- The endpoint is no foreign key, so that its deletion waits for nothing.
  endpoint_id text COLLATE "C" NOT NULL,
  id uuid NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  delivery_ids text[] NOT NULL,
  -- How many of the deliveries have been restarted.
  place integer NOT NULL DEFAULT 0,
  moved_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (endpoint_id),
  FOREIGN KEY (account_id) REFERENCES account.account (id),
  CHECK (environment IN ('live', 'sandbox'))
);

-- Deliveries by the day, in UTC, on which they were queued: those tried, and those that arrived.
CREATE TABLE account.webhook_day (
  endpoint_id text COLLATE "C" NOT NULL,
  day date NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  tried integer NOT NULL,
  arrived integer NOT NULL,
  PRIMARY KEY (endpoint_id, day),
  FOREIGN KEY (account_id) REFERENCES account.account (id)
);
CREATE INDEX webhook_day_oldest ON account.webhook_day (day);

-- Mails

CREATE TABLE account.notification_setting (
  account_id text COLLATE "C" NOT NULL,
  kinds text[] NOT NULL,
  -- When addresses were added: the newest few, which count for the limit of a day.
  added_at timestamptz(3)[] NOT NULL DEFAULT '{}'::timestamptz[],
  PRIMARY KEY (account_id),
  FOREIGN KEY (account_id) REFERENCES account.account (id)
);

CREATE TABLE account.notification_address (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  address text NOT NULL,
  -- The place of the address in the list of its account.
  place integer NOT NULL,
  confirmed_at timestamptz(3),
  -- When an address that nobody has confirmed is forgotten.
  expires_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (id),
  FOREIGN KEY (account_id) REFERENCES account.account (id),
  CHECK ((confirmed_at IS NULL) = (expires_at IS NOT NULL))
);
CREATE UNIQUE INDEX notification_address_once ON account.notification_address (account_id, lower(address));
CREATE INDEX notification_address_expires_at ON account.notification_address (expires_at) WHERE expires_at IS NOT NULL;

-- Addresses and accounts are known by keyed hashes here, because the limit is one of all accounts.
CREATE TABLE account.confirmation_request (
  address_hash text COLLATE "C" NOT NULL,
  asker_hash text COLLATE "C" NOT NULL,
  requested_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (address_hash, asker_hash)
);
CREATE INDEX confirmation_request_oldest ON account.confirmation_request (requested_at);

-- Invitations that were mailed within a day: how many to an address, by whatever account, and how many by an account.
CREATE TABLE account.invitation_request (
  invitation_id text COLLATE "C" NOT NULL,
  address_hash text COLLATE "C" NOT NULL,
  sender_hash text COLLATE "C" NOT NULL,
  requested_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (invitation_id)
);
CREATE INDEX invitation_request_address ON account.invitation_request (address_hash, requested_at);
CREATE INDEX invitation_request_sender ON account.invitation_request (sender_hash, requested_at);
CREATE INDEX invitation_request_oldest ON account.invitation_request (requested_at);

-- The address is no foreign key: a removed one is told of that, and no event waits for a removal.
CREATE TABLE account.mail (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  address_id text COLLATE "C" NOT NULL,
  address text NOT NULL,
  -- The type of the event that the mail tells of, or the name of another mail.
  template text NOT NULL,
  -- The id of the event that the mail tells of; otherwise the id of the mail.
  message_id text COLLATE "C" NOT NULL,
  data jsonb NOT NULL,
  happened_at timestamptz(3) NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  -- The number tells one claim of the mail from the next.
  lease integer NOT NULL DEFAULT 0,
  -- The digest that tells of the event in place of this mail.
  digest_id text COLLATE "C",
  -- When a process may send the mail; while one sends it, when others may. Null: the mail was sent or given
  -- up, or a digest is sent in its place.
  due_at timestamptz(3) DEFAULT now(),
  sent_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (id),
  UNIQUE (message_id, address_id),
  FOREIGN KEY (account_id) REFERENCES account.account (id)
);
CREATE INDEX mail_due ON account.mail (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX mail_waiting ON account.mail (address_id) WHERE due_at IS NOT NULL;
CREATE INDEX mail_of_address ON account.mail (address_id, created_at);
CREATE INDEX mail_of_digest ON account.mail (digest_id) WHERE digest_id IS NOT NULL;
-- The digest of an address that further events join.
CREATE UNIQUE INDEX mail_open_digest ON account.mail (account_id, address_id)
  WHERE template = 'digest' AND lease = 0 AND due_at IS NOT NULL;
CREATE INDEX mail_oldest ON account.mail (created_at);
CREATE INDEX mail_due_of_account ON account.mail (account_id, due_at) WHERE due_at IS NOT NULL;

-- Changes that are made once

CREATE TABLE account.done_change (
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
CREATE INDEX done_change_expires_at ON account.done_change (expires_at);

-- Which act an idempotency key of internal callers belongs to, over all accounts and subgraphs.
CREATE TABLE account.operator_act (
  -- The hash of the key.
  reference text COLLATE "C" NOT NULL,
  -- SHA-256 of what is done, to whom, and for what reason.
  act_hash text COLLATE "C" NOT NULL,
  -- The attempts that were not refused. 0: the key is free.
  attempts int NOT NULL DEFAULT 1,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (reference)
);
CREATE INDEX operator_act_expires_at ON account.operator_act (expires_at);

-- Functions

-- The text of charges with a line that a hash covers: where the ledger stood before the first entry of a
-- commit, then each entry. `entry_content` says the same.
CREATE FUNCTION account.charge_header(account_id text, environment text, seq bigint, balance bigint)
  RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
  RETURN concat_ws(chr(10), account_id, environment, seq, balance, '');

CREATE FUNCTION account.charge_line(
  ref text, credits bigint, created_ms bigint, endpoint text, call text
) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
  RETURN concat_ws(chr(10), ref, credits, created_ms, length(endpoint), endpoint, call, '');

-- The credits of `available` that are used after this item, when items that do not fit are left out.
CREATE FUNCTION account.fit(used bigint, credits bigint, available bigint) RETURNS bigint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN used + credits <= available THEN used + credits ELSE used END;

CREATE FUNCTION account.entry_content(
  account_id text, environment text, seq bigint, id text, kind text, credits bigint,
  balance_after bigint, description text, ref text, request jsonb, created_at timestamptz
) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
  RETURN CASE WHEN kind = 'charge' AND request IS NULL THEN (
    SELECT CASE WHEN p.seq IS NULL OR p.hash IS NOT NULL
        THEN account.charge_header(e.account_id, e.environment, e.seq - 1,
          entry_content.balance_after - entry_content.credits)
        ELSE '' END
      || account.charge_line(entry_content.ref, -entry_content.credits,
        (extract(epoch FROM entry_content.created_at) * 1000)::bigint,
        entry_content.description, e.call)
    FROM account.ledger_entry e
    LEFT JOIN account.ledger_entry p ON p.account_id = e.account_id
      AND p.environment = e.environment AND p.seq = e.seq - 1
    WHERE e.account_id = entry_content.account_id AND e.environment = entry_content.environment
      AND e.seq = entry_content.seq
      AND entry_content.id = 'led_' || substr(entry_content.ref, 5)
  ) ELSE concat_ws(chr(10), account_id, environment, seq, id, kind, credits,
    balance_after, quote_literal(description), quote_literal(ref),
    coalesce(request::text, ''), (extract(epoch FROM created_at) * 1000)::bigint) || chr(10) END;

CREATE FUNCTION account.post_entry(to_account text, to_environment text, new_kind text, amount bigint, new_description text, new_ref text, new_id text)
 RETURNS TABLE(is_new boolean, entry account.ledger_entry)
 LANGUAGE sql
AS $body$
    SELECT a.is_new, a.entry FROM account.append_entry(to_account, to_environment, new_kind, amount,
      new_description, new_ref, new_id, false) a
  $body$;

CREATE AGGREGATE account.running_fit(credits bigint, available bigint)
  (SFUNC = account.fit, STYPE = bigint, INITCOND = '0');

CREATE FUNCTION account.notify_stale()
 RETURNS trigger
 LANGUAGE plpgsql
AS $body$
        BEGIN
          PERFORM pg_notify('gateway_stale', to_jsonb(NEW) ->> TG_ARGV[0]);
          RETURN NULL;
        END $body$;

-- Locks balances, in the one order of all callers. Everything else that belongs to an account is
-- then read afresh and belongs to this transaction alone.
CREATE FUNCTION account.lock_balances(account_ids text[], environments text[])
 RETURNS void
 LANGUAGE sql
AS $body$
        SELECT 1 FROM account.balance b
        WHERE (b.account_id, b.environment) IN (SELECT * FROM unnest(account_ids, environments))
        ORDER BY b.account_id, b.environment
        FOR UPDATE
      $body$;

-- Takes credits that have expired out of the balances: nothing new may spend them.
CREATE FUNCTION account.before_reserve(account_ids text[], environments text[])
 RETURNS void
 LANGUAGE plpgsql
AS $body$
      DECLARE
        owner record;
      BEGIN
        FOR owner IN
          SELECT b.account_id, b.environment FROM account.balance b
          WHERE (b.account_id, b.environment) IN (SELECT * FROM unnest(account_ids, environments))
            AND b.next_expiry_at <= now()
        LOOP
          PERFORM account.expire_grants(owner.account_id, owner.environment);
        END LOOP;
      END $body$;

-- Judges the requests of a batch one by one. The function is in PL/pgSQL: PostgreSQL 15 plans the statement of an SQL
-- function at each call, which takes longer than all else that `account.reserve` does.
CREATE FUNCTION account.judge(account_ids text[], environments text[], amounts bigint[], key_hashes text[], request_hashes text[])
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
AS $body$
  #variable_conflict use_column
  BEGIN
    RETURN (
      WITH known AS (
        SELECT i.*,
          CASE
            WHEN i.key_hash IS NULL THEN 'accepted'
            WHEN coalesce(k.request_hash, first_value(i.request_hash) OVER same_key)
              <> i.request_hash THEN 'mismatch'
            WHEN k.answer IS NOT NULL THEN 'replay'
            WHEN k.lease_expires_at > now() OR row_number() OVER same_key > 1 THEN 'running'
            ELSE 'accepted'
          END AS verdict
        FROM unnest(account_ids, environments, amounts, key_hashes, request_hashes)
          WITH ORDINALITY
          AS i (account_id, environment, credits, key_hash, request_hash, position)
        LEFT JOIN account.idempotency_key k
          ON k.account_id = i.account_id AND k.environment = i.environment
          AND k.key_hash = i.key_hash AND k.expires_at > now()
        WINDOW same_key AS
          (PARTITION BY i.account_id, i.environment, i.key_hash ORDER BY i.position)
      ), fitted AS (
        SELECT n.*, account.running_fit(n.credits, b.balance - b.held) OVER in_order AS used
        FROM known n JOIN account.balance b USING (account_id, environment)
        WHERE n.verdict = 'accepted'
        WINDOW in_order AS (PARTITION BY account_id, environment ORDER BY position)
      ), judged AS (
        SELECT position, CASE
          WHEN used - lag(used, 1, 0::bigint) OVER in_order = credits THEN 'accepted'
          ELSE 'insufficient' END AS verdict
        FROM fitted
        WINDOW in_order AS (PARTITION BY account_id, environment ORDER BY position)
      )
      SELECT array_agg(CASE WHEN n.verdict = 'accepted' THEN coalesce(j.verdict, 'insufficient')
        ELSE n.verdict END ORDER BY position)
      FROM known n LEFT JOIN judged j USING (position)
    );
  END $body$;

-- `owner_ids` with `owner_environments` are the balances of a batch, `owners` the place of
-- each item's balance among them.
CREATE FUNCTION account.reserve(owner_ids text[], owner_environments text[], owner_amounts bigint[], request_ids text[], owners integer[], amounts bigint[], ttls integer[], endpoints text[], calls text[], key_hashes text[], request_hashes text[], key_ttls integer[])
 RETURNS TABLE(place bigint, verdict text, available bigint, answer jsonb, body text)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $body$
  #variable_conflict use_column
  DECLARE
    are_keyed boolean := cardinality(array_remove(key_hashes, NULL)) > 0;
    are_covered boolean;
    verdicts text[];
    availables bigint[];
    -- The repeated requests: those that hold already, and those that ended without a settlement.
    standing text[];
    ended text[];
    is_repeated boolean;
    -- The attempts whose keys are claimed anew.
    stale text[];
  BEGIN
    SELECT count(*) = cardinality(owner_ids) AND bool_and(is_covered) INTO are_covered FROM (
      SELECT b.balance - b.held >= o.credits AND (b.next_expiry_at <= now()) IS NOT TRUE
        AS is_covered
      FROM unnest(owner_ids, owner_environments, owner_amounts)
        AS o (account_id, environment, credits)
      JOIN account.balance b USING (account_id, environment)
      ORDER BY b.account_id, b.environment
      FOR UPDATE OF b
    ) locked;
    standing := ARRAY(
      SELECT h.request_id FROM account.hold h WHERE h.request_id = ANY (request_ids));
    ended := ARRAY(
      SELECT e.request_id FROM account.ended_hold e WHERE e.request_id = ANY (request_ids));
    is_repeated := cardinality(standing || ended) > 0;
    IF is_repeated THEN
      SELECT array_agg(CASE WHEN i.request_id = ANY (standing || ended) THEN 0 ELSE i.credits END
          ORDER BY i.place)
        INTO amounts FROM unnest(request_ids, amounts) WITH ORDINALITY
          AS i (request_id, credits, place);
    END IF;
    -- Only a batch with keys, or one that asks for too much, must be looked at item by item.
    IF are_keyed OR is_repeated OR NOT are_covered THEN
      PERFORM account.before_reserve(owner_ids, owner_environments);
      SELECT account.judge(array_agg(owner_ids[o.owner] ORDER BY o.place),
          array_agg(owner_environments[o.owner] ORDER BY o.place),
          amounts, key_hashes, request_hashes)
        INTO verdicts FROM unnest(owners) WITH ORDINALITY AS o (owner, place);
      IF is_repeated THEN
        SELECT array_agg(CASE WHEN i.request_id = ANY (standing) THEN 'standing'
            WHEN i.request_id = ANY (ended) THEN 'running' ELSE i.verdict END ORDER BY i.place)
          INTO verdicts FROM unnest(request_ids, verdicts) WITH ORDINALITY
            AS i (request_id, verdict, place);
      END IF;
      SELECT array_agg(coalesce(t.credits, 0) ORDER BY o.owner) INTO owner_amounts
      FROM generate_series(1, cardinality(owner_ids)) AS o (owner)
      LEFT JOIN (
        SELECT i.owner, sum(i.credits)::bigint AS credits
        FROM unnest(owners, amounts, verdicts) AS i (owner, credits, verdict)
        WHERE i.verdict = 'accepted' GROUP BY i.owner
      ) t USING (owner);
      -- A key whose time is over is claimed anew. Its claim is locked before its answer goes, in the order in which
      -- the sweeper deletes them.
      stale := ARRAY(
        SELECT k.request_id FROM unnest(owners, key_hashes, verdicts) AS i (owner, key_hash, verdict)
        JOIN account.key_claim k ON k.account_id = owner_ids[i.owner]
          AND k.environment = owner_environments[i.owner] AND k.key_hash = i.key_hash
        WHERE i.verdict = 'accepted'
        FOR UPDATE OF k);
      IF cardinality(stale) > 0 THEN
        DELETE FROM account.key_answer a WHERE a.request_id = ANY (stale);
      END IF;
      INSERT INTO account.key_claim (account_id, environment, key_hash, request_hash,
        request_id, lease_expires_at, expires_at)
      SELECT owner_ids[i.owner], owner_environments[i.owner], i.key_hash, i.request_hash,
        i.request_id, now() + make_interval(secs => i.ttl),
        now() + make_interval(secs => i.key_ttl)
      FROM unnest(request_ids, owners, ttls, key_hashes, request_hashes, key_ttls, verdicts)
        AS i (request_id, owner, ttl, key_hash, request_hash, key_ttl, verdict)
      WHERE i.verdict = 'accepted' AND i.key_hash IS NOT NULL
      ON CONFLICT (account_id, environment, key_hash) DO UPDATE SET
        request_hash = excluded.request_hash, request_id = excluded.request_id,
        lease_expires_at = excluded.lease_expires_at, expires_at = excluded.expires_at;
    END IF;

    WITH held AS (
      UPDATE account.balance b SET held = b.held + o.credits
      FROM unnest(owner_ids, owner_environments, owner_amounts) WITH ORDINALITY
        AS o (account_id, environment, credits, place)
      WHERE b.account_id = o.account_id AND b.environment = o.environment
      RETURNING o.place, b.balance - b.held AS available
    )
    SELECT array_agg(coalesce(h.available, 0) ORDER BY o.place) INTO availables
    FROM generate_series(1, cardinality(owner_ids)) AS o (place)
    LEFT JOIN held h USING (place);

    INSERT INTO account.hold
      (request_id, account_id, environment, credits, expires_at, endpoint, call)
    SELECT i.request_id, owner_ids[i.owner], owner_environments[i.owner], i.credits,
      now() + make_interval(secs => i.ttl), i.endpoint, i.call
    FROM unnest(request_ids, owners, amounts, ttls, endpoints, calls, verdicts)
      AS i (request_id, owner, credits, ttl, endpoint, call, verdict)
    WHERE i.verdict IS NULL OR i.verdict = 'accepted';

    RETURN QUERY
    SELECT i.place, coalesce(nullif(i.verdict, 'standing'), 'accepted'), availables[i.owner],
      k.answer, k.body
    FROM unnest(owners, key_hashes, verdicts) WITH ORDINALITY
      AS i (owner, key_hash, verdict, place)
    LEFT JOIN LATERAL (
      SELECT k.answer, k.body FROM account.idempotency_key k
      WHERE k.account_id = owner_ids[i.owner] AND k.environment = owner_environments[i.owner]
        AND k.key_hash = i.key_hash
    ) k ON i.verdict = 'replay';
  END $body$;

-- Ends open holds. No row comes back for a hold that has ended before. `owner_ids` and `owners` are as in
-- `account.reserve`.
CREATE FUNCTION account.settle(owner_ids text[], owner_environments text[], request_ids text[], owners integer[], amounts bigint[], ledger_ids text[], key_hashes text[], answers jsonb[], bodies text[])
 RETURNS TABLE(place bigint, outcome text, credits bigint, available bigint)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $body$
  #variable_conflict use_column
  BEGIN
    PERFORM FROM unnest(owner_ids, owner_environments) AS o (account_id, environment)
      JOIN account.balance b USING (account_id, environment)
      ORDER BY b.account_id, b.environment
      FOR UPDATE OF b;

    RETURN QUERY
    WITH resolved AS (
      DELETE FROM account.hold h
      USING unnest(request_ids, owners, amounts, ledger_ids, key_hashes, answers, bodies)
        WITH ORDINALITY
        AS i (request_id, owner, credits, ledger_id, key_hash, answer, body, place)
      WHERE h.request_id = i.request_id
        AND h.account_id = owner_ids[i.owner] AND h.environment = owner_environments[i.owner]
        AND h.expires_at > clock_timestamp()
      RETURNING i.*, h.account_id, h.environment, h.credits AS held,
        account.request_of(h.endpoint, h.call) AS request,
        greatest(0, least(i.credits, h.credits)) AS charged
    ), numbered AS (
      SELECT r.*, b.last_hash, request ->> 'endpoint' AS description,
        b.last_seq + count(*) FILTER (WHERE charged > 0) OVER in_order AS seq,
        (b.balance - sum(charged) OVER in_order)::bigint AS balance_after,
        account.available(account_id, environment, (b.balance - sum(charged) OVER whole)::bigint,
          (b.held - sum(r.held) OVER whole)::bigint, b.next_expiry_at) AS available,
        -- The last item of a balance, which is a charge if there is any, has what the batch releases.
        CASE WHEN row_number() OVER in_order = count(*) OVER whole
          THEN (sum(r.held) OVER whole)::bigint END AS released,
        date_trunc('milliseconds', now()) AS created_at
      FROM resolved r JOIN account.balance b USING (account_id, environment)
      WINDOW in_order AS
          (PARTITION BY account_id, environment ORDER BY charged > 0, place),
        whole AS (PARTITION BY account_id, environment)
    ), posted AS MATERIALIZED (
      SELECT n.*,
        CASE WHEN released IS NOT NULL THEN coalesce(sha256(last_hash ||
          convert_to(string_agg(CASE WHEN charged > 0 THEN account.entry_content(account_id,
            environment, seq, ledger_id, 'charge', -charged, balance_after, description,
            request_id, request, created_at) END, '') OVER whole, 'UTF8')), last_hash)
        END AS hash
      FROM numbered n
      -- Voided holds come first, and add nothing.
      WINDOW whole AS (PARTITION BY account_id, environment ORDER BY seq
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    ), entered AS (
      INSERT INTO account.ledger_entry (account_id, environment, seq, id, kind, credits,
        balance_after, description, ref, request, created_at, hash)
      SELECT account_id, environment, seq, ledger_id, 'charge', -charged,
        balance_after, description, request_id, request, created_at, hash
      FROM posted WHERE charged > 0
    ), updated AS (
      UPDATE account.balance b
      SET balance = p.balance_after, held = b.held - p.released, last_seq = p.seq,
        last_hash = p.hash
      FROM posted p
      WHERE b.account_id = p.account_id AND b.environment = p.environment AND p.released > 0
    ), answered AS (
      INSERT INTO account.key_answer (request_id, account_id, answer, body)
      SELECT p.request_id, p.account_id, p.answer, p.body
      FROM posted p JOIN account.key_claim k ON k.account_id = p.account_id
        AND k.environment = p.environment AND k.key_hash = p.key_hash
        AND k.request_id = p.request_id
      WHERE p.answer IS NOT NULL
    ), freed AS (
      DELETE FROM account.key_claim k USING posted p
      WHERE k.account_id = p.account_id AND k.environment = p.environment
        AND k.key_hash = p.key_hash AND k.request_id = p.request_id AND p.answer IS NULL
    )
    SELECT place, CASE WHEN charged > 0 THEN 'captured' ELSE 'voided' END, charged, available
    FROM posted;
  END $body$;

-- Ends holds that have run out. What the holds had set aside in budgets comes back to the budgets.
CREATE FUNCTION account.expire_holds(most integer)
 RETURNS TABLE(request_id text, account_id text, environment text, request jsonb)
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $body$
  #variable_conflict use_column
  DECLARE
    holds account.hold[];
    ended account.hold;
  BEGIN
    DELETE FROM account.ended_hold WHERE request_id IN (
      SELECT e.request_id FROM account.ended_hold e WHERE e.ended_at <= now() - interval '1 h'
      ORDER BY e.ended_at LIMIT most FOR UPDATE SKIP LOCKED);
    WITH expired AS (
      DELETE FROM account.hold h WHERE h.request_id = ANY (ARRAY(
        SELECT d.request_id FROM account.hold d WHERE d.expires_at <= now()
        ORDER BY d.expires_at LIMIT most))
      RETURNING h AS hold, h.*
    ), entombed AS (
      INSERT INTO account.ended_hold (request_id, account_id)
      SELECT request_id, account_id FROM expired
      ON CONFLICT (request_id) DO UPDATE SET ended_at = excluded.ended_at
    ), released AS (
      UPDATE account.balance b SET held = b.held - t.credits
      FROM (
        SELECT account_id, environment, sum(credits)::bigint AS credits
        FROM expired GROUP BY account_id, environment ORDER BY account_id, environment
      ) t
      WHERE b.account_id = t.account_id AND b.environment = t.environment
    )
    SELECT array_agg(hold) INTO holds FROM expired;
    FOREACH ended IN ARRAY coalesce(holds, '{}') LOOP
      IF ended.spenders IS NOT NULL THEN
        PERFORM account.count_spending(ended.account_id, ended.environment, ended.request_id,
          ended.spenders, ended.reserved_at, ended.counted, 0);
      END IF;
    END LOOP;
    RETURN QUERY
    SELECT h.request_id, h.account_id, h.environment,
      account.request_of(h.endpoint, h.call) FROM unnest(holds) h;
  END $body$;

-- The functions of lots are called with the balance's row locked.
-- The lots sum up to the balance, or to 0 where that is negative. If they have more, the surplus was spent
-- or pays a debt. No charge needs to be read for it.
CREATE FUNCTION account.burn_grants(of_account text, of_environment text)
 RETURNS void
 LANGUAGE plpgsql
AS $body$
  DECLARE
    owner account.balance;
    total bigint;
  BEGIN
    SELECT * INTO owner FROM account.balance b
      WHERE b.account_id = of_account AND b.environment = of_environment;
    SELECT coalesce(sum(l.remaining), 0) INTO total FROM account.lot l
      WHERE l.account_id = of_account AND l.environment = of_environment AND l.remaining > 0;
    INSERT INTO account.lot_burn
      (account_id, environment, since_seq, until_seq, lot_seq, top, credits)
    SELECT of_account, of_environment, owner.burnt_seq, owner.last_seq, t.lot_seq, t.top, t.credits
    FROM account.take_from_lots(of_account, of_environment, total - greatest(0, owner.balance),
      'infinity', NULL) t;
    UPDATE account.balance b SET burnt_seq = b.last_seq,
      next_expiry_at = (SELECT nullif(min(l.expires_at), 'infinity') FROM account.lot l
        WHERE l.account_id = of_account AND l.environment = of_environment AND l.remaining > 0)
      WHERE b.account_id = of_account AND b.environment = of_environment;
  END $body$;

-- The credits of lots that have ended expire, but for those that open holds may use.
CREATE FUNCTION account.expire_grants(of_account text, of_environment text)
 RETURNS void
 LANGUAGE plpgsql
AS $body$
  DECLARE
    owner account.balance;
    due bigint;
  BEGIN
    PERFORM account.burn_grants(of_account, of_environment);
    SELECT coalesce(sum(l.remaining), 0) INTO due FROM account.lot l
      WHERE l.account_id = of_account AND l.environment = of_environment
        AND l.remaining > 0 AND l.expires_at <= now();
    SELECT * INTO owner FROM account.balance b
      WHERE b.account_id = of_account AND b.environment = of_environment;
    due := greatest(0, least(due, owner.balance - owner.held));
    IF due = 0 THEN RETURN; END IF;
    PERFORM account.post_entry(of_account, of_environment, 'expiry', -due, 'Expired credits',
      'expiry:' || (owner.last_seq + 1), account.next_entry_id(of_account, of_environment));
    PERFORM account.take_from_lots(of_account, of_environment, due, now(), NULL);
    PERFORM account.burn_grants(of_account, of_environment);
  END $body$;

-- How many periods have begun since the anchor: the last of them is the one that is not over.
CREATE FUNCTION account.periods_begun(anchor_at timestamptz, period interval, at timestamptz)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $body$
      DECLARE
        periods bigint := 1;
        seconds numeric;
      BEGIN
        LOOP
          seconds := extract(epoch FROM at - (anchor_at + periods * period));
          IF seconds < 0 THEN RETURN periods; END IF;
          -- The step leads most of the way at once, and never too far: a month is 30 days here, and at most 31.
          periods := periods + greatest(1, floor(seconds / extract(epoch FROM period) * 0.9));
        END LOOP;
      END $body$;

-- The job that a row of an account needs.
CREATE FUNCTION account.enqueue_for_row()
 RETURNS trigger
 LANGUAGE plpgsql
AS $body$
    DECLARE
      changed jsonb := to_jsonb(NEW);
    BEGIN
      PERFORM jobs.enqueue(TG_ARGV[0],
        jsonb_strip_nulls(jsonb_build_object('accountId', changed ->> 'account_id',
          'environment', changed ->> 'environment', 'name', changed ->> 'name')),
        greatest((changed ->> TG_ARGV[1])::timestamptz, now()));
      RETURN NULL;
    END $body$;

-- Notices a crossing after the update, because a trigger before the update locks every row once more, with a
-- WAL record each.
CREATE FUNCTION account.note_crossing()
 RETURNS trigger
 LANGUAGE plpgsql
AS $body$
        BEGIN
          UPDATE account.balance b SET watch_below = NULL, watch_above = NULL
            WHERE b.account_id = NEW.account_id AND b.environment = NEW.environment;
          PERFORM jobs.enqueue('WatchBalance', jsonb_build_object(
            'accountId', NEW.account_id, 'environment', NEW.environment), now());
          RETURN NULL;
        END $body$;

CREATE FUNCTION account.watch_again()
 RETURNS trigger
 LANGUAGE plpgsql
AS $body$
        BEGIN
          PERFORM jobs.enqueue('WatchBalance', jsonb_build_object(
            'accountId', NEW.id, 'environment', environment), now())
          FROM unnest(ARRAY['live', 'sandbox']) AS environment;
          RETURN NULL;
        END $body$;

-- Expires the lots of one balance that are due. The job calls it again for the part that open holds may still
-- use.
CREATE FUNCTION account.expire_due(of_account text, of_environment text)
 RETURNS void
 LANGUAGE plpgsql
AS $body$
        BEGIN
          PERFORM account.lock_balances(ARRAY[of_account], ARRAY[of_environment]);
          PERFORM account.before_reserve(ARRAY[of_account], ARRAY[of_environment]);
          PERFORM jobs.enqueue('ExpireGrants', jsonb_build_object(
            'accountId', of_account, 'environment', of_environment), now() + interval '2 s')
          FROM account.balance b
          WHERE b.account_id = of_account AND b.environment = of_environment
            AND b.next_expiry_at <= now();
        END $body$;

-- The reference of entries about the allowance of a period: this text, or this text and more after a colon.
CREATE FUNCTION account.allowance_ref(began_at timestamptz)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $body$
        SELECT 'allowance:' || to_char(began_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      $body$;

-- Grants the allowance of a paid period, or the part that is missing. The lots of the period are then known to
-- be of this payment.
CREATE FUNCTION account.grant_paid_allowance(of_payment text, new_id text)
 RETURNS TABLE(entry account.ledger_entry, ends_at timestamptz)
 LANGUAGE plpgsql
AS $body$
  DECLARE
    paid account.payment;
    period_ref text;
    given bigint;
    is_first boolean;
  BEGIN
    SELECT * INTO paid FROM account.payment p
      WHERE p.id = of_payment AND p.kind = 'subscription' AND p.status = 'paid';
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM account.lock_balances(ARRAY[paid.account_id], ARRAY[paid.environment]);
    PERFORM account.burn_grants(paid.account_id, paid.environment);
    period_ref := account.allowance_ref(paid.period_start);
    UPDATE account.lot l SET payment_id = of_payment FROM account.ledger_entry e
      WHERE e.account_id = paid.account_id AND e.environment = paid.environment
        AND e.kind = 'allowance'
        AND (e.ref = period_ref OR (e.ref >= period_ref || ':' AND e.ref < period_ref || ';'))
        AND l.account_id = e.account_id AND l.environment = e.environment AND l.seq = e.seq
        AND l.payment_id IS NULL;
    SELECT coalesce(sum(e.credits), 0), coalesce(bool_and(e.kind <> 'allowance'), true)
      INTO given, is_first FROM account.ledger_entry e
      WHERE e.account_id = paid.account_id AND e.environment = paid.environment
        AND e.kind IN ('allowance', 'expiry')
        AND (e.ref = period_ref OR (e.ref >= period_ref || ':' AND e.ref < period_ref || ';'));
    IF given >= paid.credits THEN RETURN; END IF;
    ends_at := CASE WHEN paid.period_end <= now() THEN now() + interval '30 days'
      ELSE paid.period_end END;
    FOR entry IN SELECT (posted.entry).* FROM account.post_credits(paid.account_id,
      paid.environment, 'allowance', paid.credits - given, paid.package_name || ' subscription',
      CASE WHEN is_first THEN period_ref ELSE period_ref || ':paid' END, new_id, ends_at, 50,
      false) posted
      WHERE posted.is_new
    LOOP
      RETURN NEXT;
    END LOOP;
  END $body$;

-- Takes back what is left of the allowance of an unpaid period, but for what open holds may use.
CREATE FUNCTION account.end_grace(of_account text, of_environment text, began_at timestamptz, OUT taken bigint, OUT kept bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $body$
  DECLARE
    period_ref text := account.allowance_ref(began_at);
    unpaid account.lot;
    owner account.balance;
  BEGIN
    taken := 0;
    kept := 0;
    PERFORM account.lock_balances(ARRAY[of_account], ARRAY[of_environment]);
    PERFORM FROM account.invoice i JOIN account.payment p ON p.id = i.payment_id
      WHERE i.account_id = of_account AND i.environment = of_environment AND i.status = 'open'
        AND p.period_start = began_at;
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM account.burn_grants(of_account, of_environment);
    SELECT l.* INTO unpaid FROM account.ledger_entry e
      JOIN account.lot l USING (account_id, environment, seq)
      WHERE e.account_id = of_account AND e.environment = of_environment
        AND e.kind = 'allowance' AND e.ref = period_ref;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT * INTO owner FROM account.balance b
      WHERE b.account_id = of_account AND b.environment = of_environment;
    taken := greatest(0, least(unpaid.remaining, owner.balance - owner.held));
    kept := unpaid.remaining - taken;
    IF taken = 0 THEN RETURN; END IF;
    PERFORM account.post_entry(of_account, of_environment, 'expiry', -taken,
      'Allowance of an unpaid period', period_ref || ':unpaid:' || (owner.last_seq + 1),
      account.next_entry_id(of_account, of_environment));
    UPDATE account.lot l SET remaining = kept, expired = l.expired + taken
      WHERE l.account_id = of_account AND l.environment = of_environment AND l.seq = unpaid.seq;
    PERFORM account.burn_grants(of_account, of_environment);
  END $body$;

-- Invoices and credit notes have numbers of their own each.
CREATE FUNCTION account.number_invoice()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    DECLARE
      series text;
      invoice_year int := extract(year FROM NEW.created_at AT TIME ZONE 'UTC');
      next_number int;
    BEGIN
      -- A restore brings the numbers of its invoices. A service has none to bring.
      IF NEW.number IS NOT NULL AND current_user <> 'gateway_service' THEN RETURN NEW; END IF;
      LOOP
        SELECT s.prefix INTO series FROM account.invoice_series s
        WHERE s.account_id = NEW.account_id;
        EXIT WHEN FOUND;
        -- No row is added where another account has the prefix, or another transaction was first.
        INSERT INTO account.invoice_series (account_id, prefix)
        SELECT NEW.account_id,
          string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (get_byte(random.bytes, place) & 31), 1), '')
        FROM (SELECT sha256(convert_to(gen_random_uuid()::text, 'UTF8')) AS bytes) random,
          generate_series(0, 7) AS place
        ON CONFLICT DO NOTHING;
      END LOOP;
      IF NEW.type = 'credit_note' THEN
        INSERT INTO account.credit_note_counter AS c (account_id, environment, year, last_number)
        VALUES (NEW.account_id, NEW.environment, invoice_year, 1)
        ON CONFLICT (account_id, environment, year) DO UPDATE SET last_number = c.last_number + 1
        RETURNING c.last_number INTO next_number;
      ELSE
        INSERT INTO account.invoice_counter AS c (account_id, environment, year, last_number)
        VALUES (NEW.account_id, NEW.environment, invoice_year, 1)
        ON CONFLICT (account_id, environment, year) DO UPDATE SET last_number = c.last_number + 1
        RETURNING c.last_number INTO next_number;
      END IF;
      NEW.number := CASE WHEN NEW.environment = 'sandbox' THEN 'TEST-' ELSE '' END
        || CASE WHEN NEW.type = 'credit_note' THEN 'CN-' ELSE '' END
        || series || '-' || invoice_year || '-' || to_char(next_number, 'FM9999000000');
      RETURN NEW;
    END $body$;

CREATE FUNCTION account.request_of(endpoint text, call text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $body$
          SELECT jsonb_build_object('endpoint', endpoint, 'processId', c -> 0, 'ts', c -> 1,
            'method', c -> 2, 'route', c -> 3, 'service', c -> 4, 'traceId', c -> 5,
            'backendModule', c -> 6, 'keyId', c -> 7, 'clientId', c -> 8, 'externalId', c -> 9,
            'endUser', c -> 10, 'isSession', coalesce(c -> 11, 'false'))
          FROM (SELECT call::jsonb AS c) line
        $body$;

-- Undoes a statement that must not have happened; a caller that sees the code judges the items again.
CREATE FUNCTION account.refuse(reason text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $body$
    BEGIN RAISE EXCEPTION USING ERRCODE = 'GW001', MESSAGE = reason; END $body$;

-- Charges calls whose hold is gone. A free call needs no credits, also while the balance is negative.
CREATE FUNCTION account.settle_lost(request_ids text[], account_ids text[], environments text[], amounts bigint[], endpoints text[], calls text[], key_hashes text[], answers text[], bodies text[])
 RETURNS TABLE(place bigint, outcome text, credits bigint, available bigint)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $body$
  #variable_conflict use_column
  DECLARE
    item record;
    owner account.balance;
    claim account.idempotency_key;
    at timestamptz := date_trunc('milliseconds', now());
  BEGIN
    -- Whatever is read from here on is of this transaction alone.
    PERFORM account.lock_balances(account_ids, environments);
    PERFORM account.before_reserve(account_ids, environments);
    FOR item IN
      SELECT * FROM unnest(request_ids, account_ids, environments, amounts, endpoints, calls,
        key_hashes, answers, bodies) WITH ORDINALITY AS i (request_id, account_id, environment,
        credits, endpoint, call, key_hash, answer, body, place)
    LOOP
      place := item.place;
      outcome := 'expired';
      credits := 0;
      SELECT * INTO owner FROM account.balance b
        WHERE b.account_id = item.account_id AND b.environment = item.environment;
      SELECT * INTO claim FROM account.idempotency_key k
        WHERE k.account_id = item.account_id AND k.environment = item.environment
          AND k.key_hash = item.key_hash AND k.request_id = item.request_id;
      SELECT -e.credits INTO credits FROM account.ledger_entry e
        WHERE e.kind = 'charge' AND e.ref = item.request_id AND e.account_id = item.account_id
          AND e.environment = item.environment;
      IF credits IS NOT NULL THEN
        outcome := 'captured';
      ELSIF claim.answer IS NOT NULL THEN
        outcome := 'voided';
      ELSIF (item.credits = 0 OR owner.balance - owner.held >= item.credits)
        AND (item.key_hash IS NULL OR claim.request_id IS NOT NULL)
        AND NOT EXISTS (SELECT FROM account.hold h WHERE h.request_id = item.request_id)
        AND NOT EXISTS (SELECT FROM account.ended_hold e WHERE e.request_id = item.request_id)
      THEN
        IF item.credits > 0 THEN
          outcome := 'captured';
          credits := item.credits;
          UPDATE account.balance b SET balance = b.balance - item.credits, last_seq = b.last_seq + 1,
            last_hash = sha256(b.last_hash || convert_to(
              account.charge_header(b.account_id, b.environment, b.last_seq, b.balance)
              || account.charge_line(item.request_id, item.credits,
                (extract(epoch FROM at) * 1000)::bigint, item.endpoint, item.call), 'UTF8'))
            WHERE b.account_id = item.account_id AND b.environment = item.environment
            RETURNING * INTO owner;
          INSERT INTO account.ledger_entry (account_id, environment, seq, id, kind, credits,
            balance_after, description, ref, call, created_at, hash)
          VALUES (owner.account_id, owner.environment, owner.last_seq,
            'led_' || substr(item.request_id, 5), 'charge', -item.credits, owner.balance,
            item.endpoint, item.request_id, item.call, at, owner.last_hash);
        ELSE
          outcome := 'voided';
        END IF;
        IF claim.request_id IS NOT NULL AND item.answer IS NOT NULL THEN
          INSERT INTO account.key_answer (request_id, account_id, answer, body)
          VALUES (item.request_id, item.account_id, item.answer::jsonb, item.body);
        END IF;
      END IF;
      credits := coalesce(credits, 0);
      available := coalesce(owner.balance - owner.held, 0);
      RETURN NEXT;
    END LOOP;
  END $body$;

-- Every process remembers which spenders have budgets: a change of a limit needs no notice.
CREATE FUNCTION account.notify_budget()
 RETURNS trigger
 LANGUAGE plpgsql
AS $body$
    BEGIN
      PERFORM pg_notify('gateway_stale', coalesce(NEW.account_id, OLD.account_id));
      RETURN NULL;
    END $body$;

-- The clock of budgets, in milliseconds, as every reader of an instant sees it.
CREATE FUNCTION account.budget_now()
 RETURNS timestamptz
 LANGUAGE sql
AS $body$ SELECT date_trunc('milliseconds', clock_timestamp()) $body$;

CREATE FUNCTION account.window_start(period text, at timestamptz)
 RETURNS timestamptz
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $body$
      SELECT CASE period WHEN 'total' THEN '-infinity'
        ELSE date_trunc(period, at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' END
    $body$;

CREATE FUNCTION account.window_end(period text, at timestamptz)
 RETURNS timestamptz
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $body$
      SELECT CASE WHEN period <> 'total'
        THEN (date_trunc(period, at AT TIME ZONE 'UTC') + ('1 ' || period)::interval)
          AT TIME ZONE 'UTC' END
    $body$;

-- The budgets of an account as they are now, whether or not a call has come in this window.
CREATE FUNCTION account.budgets_of(of_account text, of_environment text, of_spenders text[])
 RETURNS TABLE(spender text, period text, limit_credits bigint, used bigint, held bigint, is_enforced boolean, resets_at timestamptz)
 LANGUAGE sql
AS $body$
    SELECT b.spender, b.period, b.limit_credits,
      CASE WHEN b.counts_from < account.window_start(b.period, n.at) THEN 0 ELSE b.used END,
      CASE WHEN b.counts_from < account.window_start(b.period, n.at) THEN 0 ELSE b.held END,
      b.is_enforced, account.window_end(b.period, n.at)
    FROM account.budget b CROSS JOIN (SELECT account.budget_now() AS at) n
    WHERE b.account_id = of_account AND b.environment = of_environment
      AND b.spender = ANY (of_spenders)
    ORDER BY array_position(of_spenders, b.spender),
      array_position(ARRAY['day', 'week', 'month', 'total'], b.period)
  $body$;

-- What is left in the tightest budget that is enforced; in the tightest of all budgets where none is
-- enforced.
CREATE FUNCTION account.budget_remaining(of_account text, of_environment text, of_spenders text[])
 RETURNS bigint
 LANGUAGE sql
AS $body$
    SELECT coalesce(min(limit_credits - used - held) FILTER (WHERE is_enforced),
      min(limit_credits - used - held))
    FROM account.budgets_of(of_account, of_environment, of_spenders)
  $body$;

-- An instant from which a budget counts is later than that of any call before it, also within one
-- millisecond: see `account.reserve_in_budgets`, which reserves no earlier than a budget counts.
CREATE FUNCTION account.next_count(of_account text, of_environment text)
 RETURNS timestamptz
 LANGUAGE sql
AS $body$
    SELECT greatest(account.budget_now(), max(b.counts_from)) + interval '1 ms'
    FROM account.budget b WHERE b.account_id = of_account AND b.environment = of_environment
  $body$;

-- The highest threshold of a budget that this use has reached; 0: none.
CREATE FUNCTION account.reached_percent(used bigint, limit_credits bigint)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $body$
    SELECT CASE WHEN used >= limit_credits THEN 100 WHEN used * 100 >= limit_credits * 80 THEN 80
      WHEN used * 100 >= limit_credits * 50 THEN 50 ELSE 0 END::smallint
  $body$;

-- Replaces the budgets of a spender; the balance is locked. Periods that stay keep their use.
CREATE FUNCTION account.set_budgets(of_account text, of_environment text, of_spender text, periods text[], limits bigint[], are_enforced boolean[])
 RETURNS void
 LANGUAGE plpgsql
AS $body$
  DECLARE
    since timestamptz := account.next_count(of_account, of_environment);
  BEGIN
    DELETE FROM account.budget b WHERE b.account_id = of_account
      AND b.environment = of_environment AND b.spender = of_spender
      AND b.period <> ALL (periods);
    INSERT INTO account.budget AS b (account_id, environment, spender, period, limit_credits,
      is_enforced, counts_from)
    SELECT of_account, of_environment, of_spender, i.period, i.limit_credits, i.is_enforced, since
    FROM unnest(periods, limits, are_enforced) AS i (period, limit_credits, is_enforced)
    ON CONFLICT (account_id, environment, spender, period) DO UPDATE
      SET limit_credits = excluded.limit_credits, is_enforced = excluded.is_enforced,
        -- Another limit has thresholds of its own: those that the use has not reached are announced later.
        announced_percent = CASE WHEN b.limit_credits = excluded.limit_credits
          THEN b.announced_percent
          ELSE least(b.announced_percent, account.reached_percent(b.used, excluded.limit_credits)) END;
  END $body$;

-- Begins a budget anew; the balance is locked. Calls under way count no more, because they began before.
CREATE FUNCTION account.reset_budget(of_account text, of_environment text, of_spender text, of_period text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $body$
  DECLARE
    since timestamptz := account.next_count(of_account, of_environment);
  BEGIN
    UPDATE account.budget b SET used = 0, held = 0, announced_percent = 0, counts_from = since
      WHERE b.account_id = of_account AND b.environment = of_environment
        AND b.spender = of_spender AND b.period = of_period;
    RETURN FOUND;
  END $body$;

-- Begins the windows of these budgets whose time has come. The balance is locked.
CREATE FUNCTION account.turn_windows(of_account text, of_environment text, of_spenders text[], at timestamptz)
 RETURNS void
 LANGUAGE sql
AS $body$
    UPDATE account.budget b SET used = 0, held = 0, announced_percent = 0,
      counts_from = account.window_start(b.period, at)
    WHERE b.account_id = of_account AND b.environment = of_environment
      AND b.spender = ANY (of_spenders) AND b.counts_from < account.window_start(b.period, at)
  $body$;

-- Releases the held credits, and counts the spent ones as used in the window in which they were reserved.
-- Returns the thresholds that were crossed, those of each budget ascending. The balance is locked.
CREATE FUNCTION account.count_spending(of_account text, of_environment text, of_request text, of_spenders text[], was_reserved_at timestamptz, was_held bigint, spent bigint)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $body$
  DECLARE
    crossed jsonb;
  BEGIN
    WITH counted AS (
      SELECT b.spender, b.period, b.announced_percent AS announced,
        CASE WHEN spent > 0
          THEN greatest(b.announced_percent, account.reached_percent(b.used + spent, b.limit_credits))
          ELSE b.announced_percent END AS reached
      FROM account.budget b
      WHERE b.account_id = of_account AND b.environment = of_environment
        AND b.spender = ANY (of_spenders) AND b.counts_from <= was_reserved_at
    ), updated AS (
      UPDATE account.budget b SET held = b.held - was_held, used = b.used + spent,
        announced_percent = c.reached
      FROM counted c
      WHERE b.account_id = of_account AND b.environment = of_environment
        AND b.spender = c.spender AND b.period = c.period
      RETURNING b.spender, b.period, b.limit_credits, b.used, b.counts_from, c.announced, c.reached
    )
    SELECT jsonb_agg(jsonb_build_object('spender', u.spender, 'period', u.period,
        'percent', t, 'limitCredits', u.limit_credits, 'usedCredits', u.used,
        'resetsAt', account.window_end(u.period, was_reserved_at))
        ORDER BY array_position(of_spenders, u.spender), u.period, t)
      INTO crossed
      FROM updated u JOIN unnest(ARRAY[50, 80, 100]) AS t ON t > u.announced AND t <= u.reached;
    IF spent > 0 THEN
      INSERT INTO account.spending
        (account_id, environment, request_id, spenders, reserved_at, credits)
      VALUES (of_account, of_environment, of_request, of_spenders, was_reserved_at, spent)
      ON CONFLICT DO NOTHING;
    END IF;
    RETURN crossed;
  END $body$;

-- Counts a refund in the window in which its call was reserved. The balance is locked.
CREATE FUNCTION account.refund_spending(of_account text, of_environment text, of_request text, amount bigint)
 RETURNS void
 LANGUAGE sql
AS $body$
    WITH refunded AS (
      UPDATE account.spending s SET refunded = s.refunded + amount
      WHERE s.request_id = of_request AND s.account_id = of_account
        AND s.environment = of_environment
      RETURNING s.spenders, s.reserved_at
    )
    UPDATE account.budget b SET used = b.used - amount
    FROM refunded r
    WHERE b.account_id = of_account AND b.environment = of_environment
      AND b.spender = ANY (r.spenders) AND b.counts_from <= r.reserved_at
  $body$;

CREATE FUNCTION account.refuse_exhausted(of_account text, of_environment text, amount bigint, of_request text, ttl integer, endpoint text, call text, key_hash text, request_hash text, key_ttl integer, OUT verdict text, OUT available bigint, OUT answer jsonb, OUT body text)
 RETURNS record
 LANGUAGE plpgsql
AS $body$
      BEGIN
        PERFORM account.before_reserve(ARRAY[of_account], ARRAY[of_environment]);
        BEGIN
          SELECT r.verdict, r.available, r.answer, r.body INTO verdict, available, answer, body
            FROM account.reserve(ARRAY[of_account], ARRAY[of_environment], ARRAY[amount],
              ARRAY[of_request], ARRAY[1], ARRAY[amount], ARRAY[ttl], ARRAY[endpoint], ARRAY[call],
              ARRAY[key_hash], ARRAY[request_hash], ARRAY[key_ttl]) r;
          IF verdict = 'accepted' THEN
            PERFORM account.refuse('a budget does not cover the request');
          END IF;
        EXCEPTION WHEN SQLSTATE 'GW001' THEN
          verdict := 'exhausted';
          available := available + amount;
        END;
      END $body$;

CREATE FUNCTION account.reserve_in_budgets(owner_ids text[], owner_environments text[], request_ids text[], owners integer[], amounts bigint[], ttls integer[], endpoints text[], calls text[], key_hashes text[], request_hashes text[], key_ttls integer[], spender_lists jsonb[], counts bigint[])
 RETURNS TABLE(place bigint, verdict text, available bigint, answer jsonb, body text, reserved_at timestamptz, budget_remaining bigint, refusing jsonb)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $body$
  #variable_conflict use_column
  DECLARE
    item record;
    at timestamptz;
    counts_from timestamptz;
    does_fit boolean;
    stands boolean;
    is_counted boolean;
  BEGIN
    PERFORM account.lock_balances(owner_ids, owner_environments);
    at := account.budget_now();
    FOR item IN
      SELECT i.*, owner_ids[i.owner] AS account_id, owner_environments[i.owner] AS environment,
        ARRAY(SELECT jsonb_array_elements_text(i.spender_list)) AS spenders
      FROM unnest(request_ids, owners, amounts, ttls, endpoints, calls, key_hashes,
        request_hashes, key_ttls, spender_lists, counts) WITH ORDINALITY
        AS i (request_id, owner, credits, ttl, endpoint, call, key_hash, request_hash, key_ttl,
          spender_list, counted, place)
    LOOP
      place := item.place;
      reserved_at := NULL;
      refusing := NULL;
      PERFORM account.turn_windows(item.account_id, item.environment, item.spenders, at);
      SELECT coalesce(bool_and(b.used + b.held + item.counted <= b.limit_credits)
          FILTER (WHERE b.is_enforced), true), max(b.counts_from)
        INTO does_fit, counts_from
        FROM account.budget b WHERE b.account_id = item.account_id
          AND b.environment = item.environment AND b.spender = ANY (item.spenders);
      stands := EXISTS (SELECT FROM account.hold h WHERE h.request_id = item.request_id);
      IF does_fit OR stands THEN
        SELECT r.verdict, r.available, r.answer, r.body INTO verdict, available, answer, body
          FROM account.reserve(ARRAY[item.account_id], ARRAY[item.environment],
            ARRAY[item.credits], ARRAY[item.request_id], ARRAY[1], ARRAY[item.credits],
            ARRAY[item.ttl], ARRAY[item.endpoint], ARRAY[item.call], ARRAY[item.key_hash],
            ARRAY[item.request_hash], ARRAY[item.key_ttl]) r;
      ELSE
        SELECT r.verdict, r.available, r.answer, r.body INTO verdict, available, answer, body
          FROM account.refuse_exhausted(item.account_id, item.environment, item.credits,
            item.request_id, item.ttl, item.endpoint, item.call, item.key_hash,
            item.request_hash, item.key_ttl) r;
      END IF;
      IF verdict = 'exhausted' THEN
        SELECT jsonb_agg(to_jsonb(b) || jsonb_build_object('needed', item.counted)) INTO refusing
          FROM account.budgets_of(item.account_id, item.environment, item.spenders) b
          WHERE b.is_enforced AND b.used + b.held + item.counted > b.limit_credits;
      END IF;
      IF verdict = 'accepted' THEN
        -- A request that holds already has counted since it was reserved first.
        UPDATE account.hold h SET spenders = item.spenders, counted = item.counted,
            reserved_at = greatest(at, counts_from)
          WHERE h.request_id = item.request_id AND h.spenders IS NULL
          RETURNING h.reserved_at INTO reserved_at;
        is_counted := FOUND;
        IF is_counted THEN
          UPDATE account.budget b SET held = b.held + item.counted
            WHERE b.account_id = item.account_id AND b.environment = item.environment
              AND b.spender = ANY (item.spenders);
        ELSE
          SELECT h.reserved_at INTO reserved_at FROM account.hold h
            WHERE h.request_id = item.request_id;
        END IF;
      END IF;
      budget_remaining :=
        account.budget_remaining(item.account_id, item.environment, item.spenders);
      RETURN NEXT;
    END LOOP;
  END $body$;

-- Does what `account.settle` does for requests with budgets; `counts` is what each counts in them, 0 for a
-- failure. Locks first the holds, then the balances, as every other end of holds does.
CREATE FUNCTION account.settle_in_budgets(owner_ids text[], owner_environments text[], request_ids text[], owners integer[], amounts bigint[], ledger_ids text[], key_hashes text[], answers jsonb[], bodies text[], counts bigint[])
 RETURNS TABLE(place bigint, outcome text, credits bigint, available bigint, budget_remaining bigint, crossed jsonb)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $body$
  #variable_conflict use_column
  DECLARE
    holds account.hold[];
    ended account.hold;
  BEGIN
    holds := ARRAY(SELECT h FROM account.hold h WHERE h.request_id = ANY (request_ids)
      ORDER BY h.request_id FOR UPDATE);
    PERFORM account.lock_balances(owner_ids, owner_environments);
    FOR place, outcome, credits, available IN
      SELECT s.place, s.outcome, s.credits, s.available
      FROM account.settle(owner_ids, owner_environments, request_ids, owners, amounts, ledger_ids,
        key_hashes, answers, bodies) s
    LOOP
      crossed := NULL;
      SELECT * INTO ended FROM unnest(holds) h WHERE h.request_id = request_ids[place];
      IF ended.spenders IS NOT NULL THEN
        -- The sandbox charges nothing, and counts the prices of the catalog.
        crossed := account.count_spending(ended.account_id, ended.environment, ended.request_id,
          ended.spenders, ended.reserved_at, ended.counted,
          CASE WHEN ended.environment = 'live' THEN credits
            ELSE least(counts[place], ended.counted) END);
      END IF;
      budget_remaining :=
        account.budget_remaining(ended.account_id, ended.environment, ended.spenders);
      RETURN NEXT;
    END LOOP;
  END $body$;

-- Does what `account.settle_lost` does for one request with budgets, which is charged only if they cover it too.
CREATE FUNCTION account.settle_lost_in_budgets(of_request text, of_account text, of_environment text, amount bigint, endpoint text, call text, key_hash text, answer text, body text, of_spenders text[], was_reserved_at timestamptz)
 RETURNS TABLE(outcome text, credits bigint, available bigint, budget_remaining bigint, crossed jsonb)
 LANGUAGE plpgsql
AS $body$
  #variable_conflict use_column
  DECLARE
    at timestamptz;
    does_fit boolean;
    is_new boolean := false;
  BEGIN
    PERFORM account.lock_balances(ARRAY[of_account], ARRAY[of_environment]);
    at := account.budget_now();
    PERFORM account.turn_windows(of_account, of_environment, of_spenders, at);
    SELECT coalesce(bool_and(b.used + b.held + amount <= b.limit_credits)
        FILTER (WHERE b.is_enforced), true)
      INTO does_fit
      FROM account.budget b WHERE b.account_id = of_account AND b.environment = of_environment
        AND b.spender = ANY (of_spenders);
    is_new := NOT EXISTS (SELECT FROM account.ledger_entry e WHERE e.kind = 'charge'
      AND e.ref = of_request AND e.account_id = of_account);
    BEGIN
      SELECT s.outcome, s.credits, s.available INTO outcome, credits, available
        FROM account.settle_lost(ARRAY[of_request], ARRAY[of_account], ARRAY[of_environment],
          ARRAY[amount], ARRAY[endpoint], ARRAY[call], ARRAY[key_hash], ARRAY[answer],
          ARRAY[body]) s;
      IF outcome = 'captured' AND is_new AND NOT does_fit THEN
        PERFORM account.refuse('a budget does not cover the request');
      END IF;
    EXCEPTION WHEN SQLSTATE 'GW001' THEN
      outcome := 'expired';
      available := available + credits;
      credits := 0;
    END;
    IF outcome = 'captured' AND is_new THEN
      crossed := account.count_spending(of_account, of_environment, of_request, of_spenders,
        was_reserved_at, 0, credits);
    END IF;
    budget_remaining := account.budget_remaining(of_account, of_environment, of_spenders);
    RETURN NEXT;
  END $body$;

-- Takes credits from the lots of one balance in the order in which they burn; with `of_payment`
-- from its lots only. Credits of lots that end by `until` expire, unless that is infinity.
CREATE FUNCTION account.take_from_lots(of_account text, of_environment text, amount bigint, until timestamptz, of_payment text)
 RETURNS TABLE(lot_seq bigint, top bigint, credits bigint)
 LANGUAGE sql
AS $body$
    WITH share AS (
      SELECT l.seq, l.remaining, (sum(l.remaining) OVER ())::bigint AS total,
        (sum(l.remaining) OVER (ORDER BY l.priority, l.expires_at, l.seq) - l.remaining)::bigint
          AS before
      FROM account.lot l
      WHERE l.account_id = of_account AND l.environment = of_environment AND l.remaining > 0
        AND l.expires_at <= until AND (of_payment IS NULL OR l.payment_id = of_payment)
    )
    UPDATE account.lot l SET remaining = l.remaining - least(s.remaining, amount - s.before),
      expired = l.expired
        + CASE WHEN until < 'infinity' THEN least(s.remaining, amount - s.before) ELSE 0 END
    FROM share s
    WHERE l.account_id = of_account AND l.environment = of_environment AND l.seq = s.seq
      AND s.before < amount
    RETURNING s.seq, s.total - s.before, least(s.remaining, amount - s.before)
  $body$;

-- Adds a lot with the credits of an entry, or with a part of them.
CREATE FUNCTION account.add_lot(entry account.ledger_entry, amount bigint, burn_priority integer, ends_at timestamptz, of_payment text)
 RETURNS void
 LANGUAGE sql
AS $body$
    INSERT INTO account.lot (account_id, environment, seq, id, source, granted, remaining, priority,
      expires_at, payment_id, created_at)
    VALUES (entry.account_id, entry.environment, entry.seq, 'lot_' || substr(entry.id, 5), entry.kind,
      amount, amount, CASE WHEN ends_at < 'infinity' THEN coalesce(burn_priority, 50) ELSE 101 END,
      coalesce(ends_at, 'infinity'), of_payment, entry.created_at)
  $body$;

-- The payment of a subscription with which an allowance came, or of the change of its plan that brought it.
CREATE FUNCTION account.payment_of_allowance(of_account text, of_environment text, allowance_ref text)
 RETURNS account.payment
 LANGUAGE sql
 STABLE STRICT
AS $body$
    SELECT p FROM account.payment p
    WHERE p.account_id = of_account AND p.environment = of_environment AND p.status = 'paid'
      AND (p.kind = 'plan' AND allowance_ref = 'plan:' || p.id OR p.kind = 'subscription'
      AND (allowance_ref = account.allowance_ref(p.period_start)
        OR starts_with(allowance_ref, account.allowance_ref(p.period_start) || ':')))
    ORDER BY p.created_at DESC LIMIT 1
  $body$;

-- Appends an entry as `account.post_entry` does; with `may_overdraw` it takes what is held too, and more.
CREATE FUNCTION account.append_entry(to_account text, to_environment text, new_kind text, amount bigint, new_description text, new_ref text, new_id text, may_overdraw boolean)
 RETURNS TABLE(is_new boolean, entry account.ledger_entry)
 LANGUAGE plpgsql
AS $body$
  DECLARE
    owner account.balance;
    made account.ledger_entry;
  BEGIN
    IF new_kind NOT IN ('grant', 'purchase', 'allowance', 'refund', 'expiry', 'adjustment',
      'clawback', 'reinstatement')
    THEN
      RAISE check_violation USING MESSAGE = format('No entry of the kind "%s" can be posted.', new_kind);
    END IF;
    IF new_kind IN ('expiry', 'clawback') AND amount > 0 THEN
      RAISE check_violation USING MESSAGE = format('An entry of the kind "%s" gives nothing.', new_kind);
    END IF;
    SELECT * INTO owner FROM account.balance b
      WHERE b.account_id = to_account AND b.environment = to_environment FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT * INTO made FROM account.ledger_entry e
      WHERE e.account_id = to_account AND e.environment = to_environment
        AND e.kind = new_kind AND e.kind <> 'charge' AND e.ref = new_ref;
    IF FOUND THEN RETURN QUERY SELECT false, made; RETURN; END IF;
    IF amount < 0 AND owner.balance + amount < owner.held AND NOT may_overdraw THEN
      RAISE check_violation USING MESSAGE = 'The entry would take credits that are held.';
    END IF;
    made := ROW(to_account, to_environment, owner.last_seq + 1, new_id, new_kind, amount,
      owner.balance + amount, new_description, new_ref, NULL,
      date_trunc('milliseconds', now()), NULL, NULL);
    made.hash := sha256(owner.last_hash || convert_to(account.entry_content(made.account_id,
      made.environment, made.seq, made.id, made.kind, made.credits, made.balance_after,
      made.description, made.ref, made.request, made.created_at), 'UTF8'));
    INSERT INTO account.ledger_entry SELECT made.*;
    UPDATE account.balance b
      SET balance = made.balance_after, last_seq = made.seq, last_hash = made.hash
      WHERE b.account_id = to_account AND b.environment = to_environment;
    RETURN QUERY SELECT true, made;
  END $body$;

-- The id of the next entry, for entries whose id no process has made.
CREATE FUNCTION account.next_entry_id(of_account text, of_environment text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $body$
    SELECT 'led_0' || substr(md5(of_account || of_environment || b.last_seq), 1, 25)
    FROM account.balance b WHERE b.account_id = of_account AND b.environment = of_environment
  $body$;

-- Enters credits and their lot, once for each reference. Earlier spending is not taken from the lot.
CREATE FUNCTION account.post_credits(to_account text, to_environment text, new_kind text, amount bigint, new_description text, new_ref text, new_id text, ends_at timestamptz, burn_priority integer, may_overdraw boolean)
 RETURNS TABLE(is_new boolean, entry account.ledger_entry)
 LANGUAGE plpgsql
AS $body$
  DECLARE
    posted record;
  BEGIN
    PERFORM account.lock_balances(ARRAY[to_account], ARRAY[to_environment]);
    IF amount > 0 THEN
      PERFORM account.burn_grants(to_account, to_environment);
    ELSE
      PERFORM account.before_reserve(ARRAY[to_account], ARRAY[to_environment]);
    END IF;
    FOR posted IN SELECT * FROM account.append_entry(to_account, to_environment, new_kind, amount,
      new_description, new_ref, new_id, may_overdraw)
    LOOP
      IF posted.is_new AND amount > 0 THEN
        IF new_kind = 'refund' THEN
          PERFORM account.return_to_lots(posted.entry);
        ELSE
          PERFORM account.add_lot(posted.entry, amount, burn_priority, ends_at, CASE new_kind
            WHEN 'purchase' THEN new_ref WHEN 'allowance' THEN (account.payment_of_allowance(
              to_account, to_environment, new_ref)).id END);
        END IF;
        PERFORM account.burn_grants(to_account, to_environment);
      END IF;
      is_new := posted.is_new;
      entry := posted.entry;
      RETURN NEXT;
    END LOOP;
  END $body$;

-- Returns the credits of a refund to lots. A charge lowered the balance from one level to another; the lots that
-- burned in between paid for it. No lot paid for what was charged to a debt.
CREATE FUNCTION account.return_to_lots(refund account.ledger_entry)
 RETURNS void
 LANGUAGE plpgsql
AS $body$
  DECLARE
    charge account.ledger_entry;
    part record;
    left_over bigint := refund.credits;
    ended bigint := 0;
  BEGIN
    SELECT * INTO charge FROM account.ledger_entry e
      WHERE e.kind = 'charge' AND e.ref = refund.ref
        AND e.account_id = refund.account_id AND e.environment = refund.environment;
    FOR part IN
      SELECT l.seq, l.expires_at <= now() AS is_over, l.granted - l.remaining AS room,
        least(b.top, charge.balance_after - charge.credits)
          - greatest(b.top - b.credits, charge.balance_after) AS credits
      FROM account.lot_burn b
      JOIN account.lot l ON l.account_id = b.account_id AND l.environment = b.environment
        AND l.seq = b.lot_seq
      WHERE b.account_id = refund.account_id AND b.environment = refund.environment
        AND b.since_seq < charge.seq AND b.until_seq = (
          SELECT min(w.until_seq) FROM account.lot_burn w
          WHERE w.account_id = refund.account_id AND w.environment = refund.environment
            AND w.until_seq >= charge.seq)
    LOOP
      CONTINUE WHEN part.credits <= 0;
      IF part.is_over THEN
        ended := ended + part.credits;
      ELSE
        part.credits := least(part.credits, part.room);
        UPDATE account.lot l SET remaining = l.remaining + part.credits
          WHERE l.account_id = refund.account_id AND l.environment = refund.environment
            AND l.seq = part.seq;
        left_over := left_over - part.credits;
      END IF;
    END LOOP;
    -- Credits whose lot has expired meanwhile are good for 30 days.
    IF left_over > 0 THEN
      PERFORM account.add_lot(refund, left_over, NULL,
        CASE WHEN left_over = ended THEN now() + interval '30 days' END, NULL);
    END IF;
  END $body$;

-- Takes back credits of a payment whose money went back, once for each reference: first from the
-- payment's own lots, then from others in the order in which they burn, then below 0. What has
-- expired of the payment's lots is not taken, and never more than they brought.
CREATE FUNCTION account.claw_back(of_account text, of_environment text, of_payment text, amount bigint, new_ref text, new_description text, OUT taken bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $body$
  DECLARE
    most bigint;
  BEGIN
    PERFORM account.lock_balances(ARRAY[of_account], ARRAY[of_environment]);
    SELECT c.taken INTO taken FROM account.clawback c
      WHERE c.account_id = of_account AND c.environment = of_environment AND c.ref = new_ref;
    IF FOUND THEN RETURN; END IF;
    PERFORM account.expire_grants(of_account, of_environment);
    SELECT sum(CASE WHEN l.source = 'reinstatement' THEN 0 ELSE l.granted END - l.expired) INTO most
      FROM account.lot l WHERE l.payment_id = of_payment
        AND l.account_id = of_account AND l.environment = of_environment;
    IF most IS NULL THEN
      RAISE no_data_found USING MESSAGE = 'No credits came with this payment.';
    END IF;
    SELECT most - coalesce(sum(c.taken - c.reinstated), 0) INTO most
      FROM account.clawback c WHERE c.payment_id = of_payment
        AND c.account_id = of_account AND c.environment = of_environment;
    taken := greatest(0, least(amount, most));
    INSERT INTO account.clawback (account_id, environment, ref, payment_id, taken)
      VALUES (of_account, of_environment, new_ref, of_payment, taken);
    IF taken = 0 THEN RETURN; END IF;
    PERFORM account.append_entry(of_account, of_environment, 'clawback', -taken, new_description,
      new_ref, account.next_entry_id(of_account, of_environment), true);
    PERFORM account.take_from_lots(of_account, of_environment, taken, 'infinity', of_payment);
    PERFORM account.burn_grants(of_account, of_environment);
  END $body$;

-- Gives back what a clawback took, or a part of it, once for each reference: into the lots of the
-- payment, with their expiry. Credits that do not fit there become a lot of their own; it is good for
-- 30 days if all of them are over.
CREATE FUNCTION account.reinstate(of_account text, of_environment text, of_payment text, clawback_ref text, amount bigint, new_ref text, new_description text, OUT given bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $body$
  DECLARE
    posted account.ledger_entry;
    home account.lot;
    part bigint;
    left_over bigint;
  BEGIN
    PERFORM account.lock_balances(ARRAY[of_account], ARRAY[of_environment]);
    SELECT e.credits INTO given FROM account.ledger_entry e
      WHERE e.account_id = of_account AND e.environment = of_environment
        AND e.kind = 'reinstatement' AND e.kind <> 'charge' AND e.ref = new_ref;
    IF FOUND THEN RETURN; END IF;
    SELECT greatest(0, least(amount, c.taken - c.reinstated)) INTO given FROM account.clawback c
      WHERE c.account_id = of_account AND c.environment = of_environment
        AND c.ref = clawback_ref AND c.payment_id = of_payment;
    given := coalesce(given, 0);
    IF given = 0 THEN RETURN; END IF;
    UPDATE account.clawback c SET reinstated = c.reinstated + given
      WHERE c.account_id = of_account AND c.environment = of_environment AND c.ref = clawback_ref;
    PERFORM account.burn_grants(of_account, of_environment);
    SELECT (a.entry).* INTO posted FROM account.append_entry(of_account, of_environment,
      'reinstatement', given, new_description, new_ref,
      account.next_entry_id(of_account, of_environment), false) a;
    left_over := given;
    FOR home IN
      SELECT l.* FROM account.lot l WHERE l.payment_id = of_payment
        AND l.account_id = of_account AND l.environment = of_environment
      ORDER BY l.priority, l.expires_at, l.seq
    LOOP
      CONTINUE WHEN home.expires_at <= now();
      part := least(left_over, home.granted - home.remaining);
      UPDATE account.lot l SET remaining = l.remaining + part
        WHERE l.account_id = of_account AND l.environment = of_environment AND l.seq = home.seq;
      left_over := left_over - part;
    END LOOP;
    -- `home` is the lot that ends last.
    IF left_over > 0 THEN
      PERFORM account.add_lot(posted, left_over, home.priority, CASE
        WHEN home.expires_at <= now() THEN now() + interval '30 days'
        ELSE home.expires_at END, of_payment);
    END IF;
    PERFORM account.burn_grants(of_account, of_environment);
  END $body$;

-- The lots of a balance, also those that have expired, as far as they are left: what was spent since they
-- were written is taken off while they are read. So reading locks nothing.
CREATE FUNCTION account.lots_of(of_account text, of_environment text, balance bigint)
 RETURNS TABLE(lot account.lot, credits_left bigint)
 LANGUAGE sql
 STABLE
AS $body$
    WITH ordered AS (
      SELECT l AS lot, sum(l.remaining) OVER () AS total,
        sum(l.remaining) OVER (ORDER BY l.priority, l.expires_at, l.seq) AS up_to
      FROM account.lot l
      WHERE l.account_id = of_account AND l.environment = of_environment AND l.remaining > 0
    )
    SELECT o.lot, least((o.lot).remaining, o.up_to - (o.total - greatest(0, balance)))::bigint
    FROM ordered o WHERE o.up_to > o.total - greatest(0, balance)
  $body$;

-- The lots that can be spent at this moment.
CREATE FUNCTION account.lots_left(of_account text, of_environment text, after_priority integer, after_expires_at timestamptz, after_seq bigint, most integer)
 RETURNS TABLE(lot account.lot, credits_left bigint)
 LANGUAGE sql
 STABLE
AS $body$
    SELECT o.lot, o.credits_left
    FROM account.balance b, account.lots_of(b.account_id, b.environment, b.balance) o
    WHERE b.account_id = of_account AND b.environment = of_environment
      AND (o.lot).expires_at > now()
      AND ((o.lot).priority, (o.lot).expires_at, (o.lot).seq)
        > (after_priority, after_expires_at, after_seq)
    ORDER BY (o.lot).priority, (o.lot).expires_at, (o.lot).seq LIMIT most
  $body$;

-- What has expired of a balance and has no entry yet, but for the part that open holds may use:
-- `account.expire_grants` would enter it now.
CREATE FUNCTION account.expired_credits(of_account text, of_environment text, balance bigint, held bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $body$
    SELECT greatest(0, least(balance - held, coalesce(sum(o.credits_left), 0)))::bigint
    FROM account.lots_of(of_account, of_environment, balance) o WHERE (o.lot).expires_at <= now()
  $body$;

-- What a new call can spend. PostgreSQL writes this expression into the statements that call it, and a
-- balance of which nothing has expired is not looked at further.
CREATE FUNCTION account.available(of_account text, of_environment text, balance bigint, held bigint, next_expiry_at timestamptz)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $body$
    SELECT balance - held - CASE WHEN next_expiry_at <= now()
      THEN account.expired_credits(of_account, of_environment, balance, held) ELSE 0 END
  $body$;

-- The first entry since an instant, by halving. Entries are in the order of their time but for those
-- whose transaction had to wait for the balance.
CREATE FUNCTION account.first_seq_since(of_account text, of_environment text, at timestamptz)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $body$
  DECLARE
    low bigint := 1;
    high bigint;
    middle bigint;
  BEGIN
    SELECT b.last_seq + 1 INTO high FROM account.balance b
      WHERE b.account_id = of_account AND b.environment = of_environment;
    WHILE low < high LOOP
      middle := (low + high) / 2;
      IF (SELECT e.created_at >= at FROM account.ledger_entry e WHERE e.account_id = of_account
        AND e.environment = of_environment AND e.seq = middle)
      THEN
        high := middle;
      ELSE
        low := middle + 1;
      END IF;
    END LOOP;
    RETURN low;
  END $body$;

-- Payments and refunds that are undecided are asked about by a job.
CREATE FUNCTION account.enqueue_for_id()
 RETURNS trigger
 LANGUAGE plpgsql
AS $body$
        BEGIN
          PERFORM jobs.enqueue(TG_ARGV[0], jsonb_build_object('id', NEW.id),
            greatest(NEW.ask_at, now()));
          RETURN NULL;
        END $body$;

CREATE FUNCTION account.enqueue_expiry_notices()
 RETURNS trigger
 LANGUAGE plpgsql
AS $body$
        BEGIN
          PERFORM jobs.enqueue('PublishExpiringCredits', jsonb_build_object('accountId', NEW.account_id,
              'environment', NEW.environment, 'lotId', NEW.id, 'days', days),
            NEW.expires_at - make_interval(days => days))
          FROM unnest(ARRAY[30, 7]) AS days
          WHERE NEW.expires_at - make_interval(days => days) > greatest(NEW.created_at, now());
          RETURN NULL;
        END $body$;

-- Views for auditors: they read as the owner.

CREATE VIEW account.ledger_audit AS
 SELECT account_id,
    seq,
    kind,
    credits AS delta,
    ref,
    created_at
   FROM account.ledger_entry
  WHERE environment = 'live';

CREATE VIEW account.open_holds AS
 SELECT account_id,
    credits AS amount,
    expires_at
   FROM account.hold
  WHERE environment = 'live' AND expires_at > now();

-- Triggers

CREATE TRIGGER account_stale AFTER UPDATE ON account.account
  FOR EACH ROW EXECUTE FUNCTION account.notify_stale('id');
CREATE TRIGGER plan_stale AFTER UPDATE ON account.plan
  FOR EACH ROW EXECUTE FUNCTION account.notify_stale('account_id');
CREATE TRIGGER subscription_period AFTER INSERT OR UPDATE OF current_period_end ON account.subscription
  FOR EACH ROW WHEN (new.status <> 'canceled') EXECUTE FUNCTION account.enqueue_for_row('TurnSubscription', 'current_period_end');
CREATE TRIGGER addon_period AFTER INSERT OR UPDATE OF current_period_end ON account.addon
  FOR EACH ROW WHEN (new.status <> 'canceled') EXECUTE FUNCTION account.enqueue_for_row('TurnAddon', 'current_period_end');
-- The job of a balance is due when the next of its lots expires.
CREATE TRIGGER grant_expiry AFTER UPDATE OF next_expiry_at ON account.balance
  FOR EACH ROW WHEN (new.next_expiry_at IS DISTINCT FROM old.next_expiry_at AND new.next_expiry_at IS NOT NULL) EXECUTE FUNCTION account.enqueue_for_row('ExpireGrants', 'next_expiry_at');
CREATE TRIGGER payment_asked AFTER INSERT OR UPDATE OF ask_at ON account.payment
  FOR EACH ROW WHEN (new.settled_at IS NULL) EXECUTE FUNCTION account.enqueue_for_id('CollectPayment');
CREATE TRIGGER balance_crossing AFTER UPDATE OF balance ON account.balance
  FOR EACH ROW WHEN (new.balance < new.watch_below OR new.balance >= new.watch_above) EXECUTE FUNCTION account.note_crossing();
-- Recharging is due again when it was set up, succeeded or was put off.
CREATE TRIGGER recharge_due AFTER INSERT OR UPDATE ON account.auto_recharge
  FOR EACH ROW WHEN (new.enabled AND new.state = 'idle') EXECUTE FUNCTION account.enqueue_for_row('WatchBalance', 'try_at');
CREATE TRIGGER account_active AFTER UPDATE OF status ON account.account
  FOR EACH ROW WHEN (new.status = 'ACTIVE' AND old.status <> 'ACTIVE') EXECUTE FUNCTION account.watch_again();
CREATE TRIGGER number_invoice BEFORE INSERT ON account.invoice
  FOR EACH ROW EXECUTE FUNCTION account.number_invoice();
CREATE TRIGGER budget_stale AFTER INSERT OR DELETE ON account.budget
  FOR EACH ROW EXECUTE FUNCTION account.notify_budget();
CREATE TRIGGER refund_asked AFTER INSERT OR UPDATE OF ask_at ON account.payment_refund
  FOR EACH ROW WHEN (new.status = 'pending') EXECUTE FUNCTION account.enqueue_for_id('CollectRefund');
-- A forecast is kept until credits come, or recharging is changed. Refunds of single calls are too many.
CREATE TRIGGER lot_stale AFTER INSERT ON account.lot
  FOR EACH ROW WHEN (new.source <> 'refund') EXECUTE FUNCTION account.notify_stale('account_id');
CREATE TRIGGER recharge_stale AFTER UPDATE OF enabled, threshold_credits, package_id, monthly_cap_cents, payment_method, state ON account.auto_recharge
  FOR EACH ROW WHEN (new.* IS DISTINCT FROM old.*) EXECUTE FUNCTION account.notify_stale('account_id');
CREATE TRIGGER lot_expiring AFTER INSERT ON account.lot
  FOR EACH ROW WHEN (new.expires_at < 'infinity') EXECUTE FUNCTION account.enqueue_expiry_notices();

-- Policies: a statement sees the rows of one account only, its owner's statements too. The policy asks for '*'
-- (all tenants) once for each statement, so batches stay fast.

ALTER TABLE account.account ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.plan ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.balance ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.ledger_entry ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.hold ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.key_claim ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.key_answer ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.posting_key ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.subscription ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.addon ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.tracked_keyword ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.payment ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.invoice ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.auto_recharge ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.payment_customer ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.event ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.done_change ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.operator_act ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.webhook_endpoint ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.webhook_delivery ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.webhook_answer ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.webhook_day ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.invoice_series ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.invoice_counter ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.ended_hold ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.budget ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.spending ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.notification_setting ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.notification_address ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.mail ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.payment_method ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.payment_decline ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.simulated_payment ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.lot ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.lot_burn ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.clawback ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.payment_refund ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.payment_dispute ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.payment_clawback ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.payment_block ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.unmatched_payment_notification ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.billing_details ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.invoice_document ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.credit_note_counter ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE account.webhook_resend ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenant ON account.account
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.plan
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.balance
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.ledger_entry
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY owner_reads ON account.ledger_entry FOR SELECT TO CURRENT_USER
  USING (true);
CREATE POLICY tenant ON account.hold
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY owner_reads ON account.hold FOR SELECT TO CURRENT_USER
  USING (true);
CREATE POLICY tenant ON account.key_claim
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.key_answer
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.posting_key
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.subscription
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.addon
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.tracked_keyword
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.payment
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.invoice
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.auto_recharge
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.payment_customer
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.event
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY nobodys ON account.operator_act
  USING ((SELECT current_setting('gateway.account_id', true) = '*'));
CREATE POLICY tenant ON account.done_change
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.webhook_endpoint
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.webhook_delivery
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.webhook_answer
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.webhook_day
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.invoice_series
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.invoice_counter
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.ended_hold
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.budget
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.spending
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.notification_setting
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.notification_address
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.mail
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.payment_method
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.payment_decline
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.simulated_payment
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.lot
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.lot_burn
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.clawback
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.payment_refund
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.payment_dispute
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.payment_clawback
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.payment_block
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.unmatched_payment_notification
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.billing_details
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.invoice_document
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.credit_note_counter
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON account.webhook_resend
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));

-- Grants

GRANT USAGE ON SCHEMA account TO gateway_auditor;
GRANT USAGE ON SCHEMA account TO gateway_service;
GRANT SELECT, INSERT, UPDATE ON account.account, account.plan, account.balance,
  account.subscription, account.addon, account.payment, account.auto_recharge, account.spending,
  account.simulated_payment, account.lot, account.clawback, account.payment_dispute,
  account.payment_clawback, account.payment_block, account.unmatched_payment_notification,
  account.billing_details TO gateway_service;
GRANT SELECT, INSERT ON account.ledger_entry, account.posting_key, account.invoice,
  account.payment_customer, account.invoice_series, account.invoice_counter,
  account.payment_decline, account.lot_burn, account.invoice_document, account.credit_note_counter TO gateway_service;
GRANT SELECT, INSERT, DELETE ON account.hold, account.key_answer, account.tracked_keyword,
  account.event TO gateway_service;
GRANT SELECT ON account.idempotency_key TO gateway_service;
GRANT SELECT ON account.ledger_audit, account.open_holds TO gateway_auditor;
GRANT SELECT, INSERT, UPDATE, DELETE ON account.key_claim, account.facade_process, account.process_report,
  account.done_change, account.operator_act, account.webhook_endpoint, account.webhook_delivery,
  account.webhook_answer, account.webhook_day, account.ended_hold, account.budget, account.notification_setting,
  account.notification_address, account.confirmation_request, account.invitation_request, account.mail, account.payment_method,
  account.payment_refund, account.webhook_resend TO gateway_service;
GRANT UPDATE (last_number) ON account.credit_note_counter, account.invoice_counter TO gateway_service;
GRANT UPDATE (spenders, reserved_at, counted) ON account.hold TO gateway_service;
GRANT UPDATE (status, payment_id) ON account.invoice TO gateway_service;
