import { Migration } from '@mikro-orm/migrations'
import { isolateTenants } from '../../shared/database/tenant.ts'
import { ConcurrentIndex } from '../../shared/migrating/concurrent-index.ts'

/** Money that comes back: refunds, disputes, the credits that they took, and what they block. */
export class PaymentReturns0033 extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE account.payment
        ADD COLUMN IF NOT EXISTS refunded_cents bigint NOT NULL DEFAULT 0,
        -- The tier of the account when this package was paid: a return of all money restores it.
        -- Null of a payment from before this step.
        ADD COLUMN tier_before text;

      -- In the database, so that every build notes it. A settlement changes the tier afterwards.
      CREATE FUNCTION account.note_tier_before() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN
          SELECT p.tier INTO NEW.tier_before FROM account.plan p
            WHERE p.account_id = NEW.account_id AND p.environment = NEW.environment;
          RETURN NEW;
        END $body$;
      CREATE TRIGGER payment_tier_before BEFORE UPDATE OF status ON account.payment
        FOR EACH ROW WHEN (NEW.status = 'succeeded' AND OLD.status <> 'succeeded'
          AND NEW.tier IS NOT NULL)
        EXECUTE FUNCTION account.note_tier_before();

      CREATE TABLE account.payment_refund (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        payment_id text COLLATE "C" NOT NULL REFERENCES account.payment,
        -- The provider's id. Null: the provider has not answered yet.
        reference text,
        -- Only the sum is known: a notification told how much was returned in all.
        is_unnamed boolean NOT NULL DEFAULT false,
        amount_cents bigint NOT NULL CHECK (amount_cents > 0),
        -- For how much of it there is a credit note.
        noted_cents bigint NOT NULL DEFAULT 0,
        status text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed')),
        failure_reason text,
        -- Of an operator's refund.
        reason text,
        -- Of a pending one: when the provider is asked next.
        ask_at timestamptz(3) NOT NULL DEFAULT now(),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        settled_at timestamptz(3),
        UNIQUE (payment_id, reference),
        CHECK ((status = 'pending') = (settled_at IS NULL))
      );
      CREATE TABLE account.payment_dispute (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        payment_id text COLLATE "C" NOT NULL REFERENCES account.payment,
        reference text NOT NULL,
        amount_cents bigint NOT NULL CHECK (amount_cents > 0),
        status text NOT NULL CHECK (status IN ('inquiry', 'open', 'lost', 'won')),
        -- Both only ever become true, so notifications may come in any order.
        is_withdrawn boolean NOT NULL DEFAULT false,
        is_reinstated boolean NOT NULL DEFAULT false,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        UNIQUE (payment_id, reference)
      );
      -- The credits that a refund or a dispute took, an entry of the ledger each. \`credits\` were to be
      -- taken; the ledger took fewer where credits of the purchase had expired.
      CREATE TABLE account.payment_clawback (
        ref text COLLATE "C" NOT NULL,
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        payment_id text COLLATE "C" NOT NULL REFERENCES account.payment,
        return_id text COLLATE "C" NOT NULL,
        credits bigint NOT NULL CHECK (credits > 0),
        returned_credits bigint NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (account_id, environment, ref),
        CHECK (returned_credits BETWEEN 0 AND credits)
      );
      CREATE INDEX payment_clawback_payment ON account.payment_clawback (payment_id);

      -- A dispute blocks recharging and the card until an operator lifts the block.
      CREATE TABLE account.payment_block (
        dispute_id text COLLATE "C" PRIMARY KEY REFERENCES account.payment_dispute,
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        -- Null: which card it was is not known.
        payment_method text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        lifted_at timestamptz(3)
      );
      CREATE INDEX payment_block_open ON account.payment_block (account_id, environment)
        WHERE lifted_at IS NULL;

      -- Notifications about a payment of ours that contradict it. Operators alone see them.
      CREATE TABLE account.unmatched_payment_notification (
        id text COLLATE "C" PRIMARY KEY,
        -- Null where the payment is unknown.
        account_id text COLLATE "C",
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        provider text NOT NULL,
        kind text NOT NULL CHECK (kind IN ('refund', 'dispute')),
        -- Of the refund or dispute.
        reference text NOT NULL,
        payment_id text,
        payment_reference text,
        amount_cents bigint,
        currency text,
        reason text NOT NULL,
        times_seen int NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
        UNIQUE (provider, environment, kind, reference)
      );

      GRANT SELECT, INSERT, UPDATE, DELETE ON account.payment_refund TO gateway_service;
      GRANT SELECT, INSERT, UPDATE ON account.payment_dispute, account.payment_clawback,
        account.payment_block, account.unmatched_payment_notification TO gateway_service;
      ${isolateTenants('account', [
        'payment_refund',
        'payment_dispute',
        'payment_clawback',
        'payment_block',
        'unmatched_payment_notification',
      ])}

      -- A pending refund is asked about by a job, as a pending payment is.
      CREATE FUNCTION account.enqueue_refund() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN
          PERFORM jobs.enqueue('CollectRefund', jsonb_build_object('id', NEW.id),
            greatest(NEW.ask_at, now()));
          RETURN NULL;
        END $body$;
      CREATE TRIGGER refund_asked AFTER INSERT OR UPDATE OF ask_at ON account.payment_refund
        FOR EACH ROW WHEN (NEW.status = 'pending') EXECUTE FUNCTION account.enqueue_refund();
    `)
  }
}

/** A provider names a refunded or disputed payment by its own id. */
export class PaymentReference0039 extends ConcurrentIndex {
  protected readonly table = 'account.payment'
  protected readonly index = 'payment_provider_reference'
  protected readonly definition = '(provider_reference) WHERE provider_reference IS NOT NULL'
}
