import { Migration } from '@mikro-orm/migrations'
import { isolateTenants } from '../../shared/database/tenant.ts'
import { ConcurrentIndex } from '../../shared/migrating/concurrent-index.ts'

/**
 * Billing details, tax, credit notes and kept documents. The build before adds invoices without the new
 * columns: their price is their total, and they name neither seller nor buyer.
 */
export class Invoices0034 extends Migration {
  override up(): void {
    this.addSql(details)
    this.addSql(documents)
    this.addSql(columns)
    this.addSql(numberInvoice)
  }
}

const details = `
  CREATE TABLE account.billing_details (
    account_id text COLLATE "C" NOT NULL,
    environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
    name text NOT NULL,
    line1 text NOT NULL,
    line2 text,
    city text NOT NULL,
    postal_code text NOT NULL,
    state text,
    country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
    tax_id text,
    purchase_order text,
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, environment)
  );
  GRANT SELECT, INSERT, UPDATE ON account.billing_details TO gateway_service;
`

/** A document is never changed: an invoice that is paid later gets another one. */
const documents = `
  CREATE TABLE account.invoice_document (
    invoice_id text COLLATE "C" NOT NULL,
    -- Of the invoice when it was rendered.
    status text NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    pdf bytea NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (invoice_id, status)
  );
  GRANT SELECT, INSERT ON account.invoice_document TO gateway_service;

  -- The last number of each account, environment and year (UTC).
  CREATE TABLE account.credit_note_counter (
    account_id text COLLATE "C" NOT NULL,
    environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
    year int NOT NULL,
    last_number int NOT NULL CHECK (last_number > 0),
    PRIMARY KEY (account_id, environment, year)
  );
  GRANT SELECT, INSERT ON account.credit_note_counter TO gateway_service;
  GRANT UPDATE (last_number) ON account.credit_note_counter TO gateway_service;
  ${isolateTenants('account', ['billing_details', 'invoice_document', 'credit_note_counter'])}
`

/** The service may change the status and the payment of an invoice, and nothing else. */
const columns = `
  ALTER TABLE account.invoice
    ADD COLUMN type text NOT NULL DEFAULT 'invoice',
    -- Net; null: the total is the price.
    ADD COLUMN price_cents bigint,
    ADD COLUMN tax_cents bigint NOT NULL DEFAULT 0,
    -- Who sold, who bought and what was taxed, as it was then.
    ADD COLUMN seller jsonb,
    ADD COLUMN buyer jsonb,
    ADD COLUMN tax jsonb,
    -- Of a credit note: the invoice that it corrects, and the refund that it is for.
    ADD COLUMN original_invoice_id text COLLATE "C",
    ADD COLUMN refund_id text COLLATE "C",
    -- A payment has one invoice; a credit note finds its payment through the invoice.
    ALTER COLUMN payment_id DROP NOT NULL,
    ADD CONSTRAINT invoice_type CHECK (type IN ('invoice', 'credit_note')) NOT VALID,
    ADD CONSTRAINT invoice_amounts CHECK (tax_cents BETWEEN 0 AND total_cents
      AND price_cents + tax_cents = total_cents) NOT VALID,
    ADD CONSTRAINT invoice_credit_note CHECK ((type = 'credit_note') = (payment_id IS NULL)
      AND (type = 'credit_note') = (original_invoice_id IS NOT NULL)
      AND (type = 'credit_note') = (refund_id IS NOT NULL)
      AND (type = 'invoice' OR status = 'paid')) NOT VALID;
`

/** Crockford's base32 has no letters that are easily confused. */
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** As before, and with numbers of their own for credit notes. */
const numberInvoice = `
  CREATE OR REPLACE FUNCTION account.number_invoice() RETURNS trigger
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
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
        -- Nothing is added where another account has it, or another transaction was first.
        INSERT INTO account.invoice_series (account_id, prefix)
        SELECT NEW.account_id,
          string_agg(substr('${letters}', 1 + (get_byte(random.bytes, place) & 31), 1), '')
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
`

/** A refund has one credit note, however often it is reported. */
export class CreditNoteRefunds0035 extends ConcurrentIndex {
  protected readonly table = 'account.invoice'
  protected readonly index = 'invoice_refund'
  protected readonly definition = `(account_id, environment, refund_id) WHERE refund_id IS NOT NULL`
  protected override readonly isUnique = true
}

/** The credit notes of an invoice. */
export class CreditNotesOfInvoice0036 extends ConcurrentIndex {
  protected readonly table = 'account.invoice'
  protected readonly index = 'invoice_original'
  protected readonly definition = `(original_invoice_id) WHERE original_invoice_id IS NOT NULL`
}

export class InvoiceChecks0037 extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE account.invoice VALIDATE CONSTRAINT invoice_type;
      ALTER TABLE account.invoice VALIDATE CONSTRAINT invoice_amounts;
      ALTER TABLE account.invoice VALIDATE CONSTRAINT invoice_credit_note;
    `)
  }
}
