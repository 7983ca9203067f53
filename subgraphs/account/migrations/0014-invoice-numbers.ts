import { Migration } from '@mikro-orm/migrations'
import { serviceRole } from '../../shared/database/sessions.ts'

/**
 * The table numbers an invoice, for every build: in the transaction that adds it and under a lock
 * of its series, so that there are no gaps and no duplicates. Earlier numbers stay, also in a
 * restore by the owner.
 */
export class InvoiceNumbers0014 extends Migration {
  override up(): void {
    this.addSql(numberInvoice)
    this.addSql(`
      CREATE TRIGGER number_invoice BEFORE INSERT ON account.invoice
        FOR EACH ROW EXECUTE FUNCTION account.number_invoice();
      ALTER TABLE account.invoice ALTER COLUMN number DROP DEFAULT;
    `)
  }
}

/** Crockford's base32 has no letters that are easily confused. */
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const numberInvoice = `
  -- Runs as the role that adds the invoice, which sees the counters of the same account.
  CREATE FUNCTION account.number_invoice() RETURNS trigger
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
    DECLARE
      series text;
      invoice_year int := extract(year FROM NEW.created_at AT TIME ZONE 'UTC');
      next_number int;
    BEGIN
      -- A restore brings the numbers of its invoices. A service has none to bring.
      IF NEW.number IS NOT NULL AND current_user <> '${serviceRole}' THEN RETURN NEW; END IF;
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
      INSERT INTO account.invoice_counter AS c (account_id, environment, year, last_number)
      VALUES (NEW.account_id, NEW.environment, invoice_year, 1)
      ON CONFLICT (account_id, environment, year) DO UPDATE SET last_number = c.last_number + 1
      RETURNING c.last_number INTO next_number;
      NEW.number := CASE WHEN NEW.environment = 'sandbox' THEN 'TEST-' ELSE '' END
        || series || '-' || invoice_year || '-' || to_char(next_number, 'FM9999000000');
      RETURN NEW;
    END $body$;
`
