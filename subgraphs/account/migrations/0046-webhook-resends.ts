import { Migration } from '@mikro-orm/migrations'
import { isolateTenants } from '../../shared/database/tenant.ts'

/** Spans of deliveries that are being sent again, slice by slice. */
export class WebhookResends0046 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE account.webhook_resend (
        -- No foreign key: deleting an endpoint waits for nothing.
        endpoint_id text COLLATE "C" PRIMARY KEY,
        id uuid NOT NULL,
        account_id text COLLATE "C" NOT NULL REFERENCES account.account,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        delivery_ids text[] NOT NULL,
        -- How many of them are done.
        place int NOT NULL DEFAULT 0,
        moved_at timestamptz(3) NOT NULL DEFAULT now()
      );
      GRANT SELECT, INSERT, UPDATE, DELETE ON account.webhook_resend TO gateway_service;

      ${isolateTenants('account', ['webhook_resend'])}
    `)
  }
}
