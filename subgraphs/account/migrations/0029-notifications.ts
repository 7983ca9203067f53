import { Migration } from '@mikro-orm/migrations'
import { isolateTenants } from '../../shared/database/tenant.ts'

/** The recipients of notifications, the kinds that they get, and the mails that are on their way. */
export class Notifications0029 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE account.notification_setting (
        account_id text COLLATE "C" PRIMARY KEY REFERENCES account.account,
        kinds text[] NOT NULL,
        -- When addresses were added: the newest few, which count for the limit of a day.
        added_at timestamptz(3)[] NOT NULL DEFAULT '{}'
      );
      GRANT SELECT, INSERT, UPDATE, DELETE ON account.notification_setting TO gateway_service;

      CREATE TABLE account.notification_address (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES account.account,
        address text NOT NULL,
        -- Where it stands in the list of its account.
        place int NOT NULL,
        confirmed_at timestamptz(3),
        -- Of an address that nobody has confirmed.
        expires_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CHECK ((confirmed_at IS NULL) = (expires_at IS NOT NULL))
      );
      CREATE UNIQUE INDEX notification_address_once
        ON account.notification_address (account_id, lower(address));
      CREATE INDEX notification_address_expires_at ON account.notification_address (expires_at)
        WHERE expires_at IS NOT NULL;
      GRANT SELECT, INSERT, UPDATE, DELETE ON account.notification_address TO gateway_service;

      -- An address is known by a keyed hash here, because the limit is one of all accounts.
      CREATE TABLE account.confirmation_request (
        address_hash text COLLATE "C" PRIMARY KEY,
        requested_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX confirmation_request_oldest ON account.confirmation_request (requested_at);
      GRANT SELECT, INSERT, UPDATE, DELETE ON account.confirmation_request TO gateway_service;

      -- The address is no foreign key: a removed one is told of that, and no event waits for a removal.
      CREATE TABLE account.mail (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES account.account,
        address_id text COLLATE "C" NOT NULL,
        address text NOT NULL,
        -- The type of its event, or what else it tells.
        template text NOT NULL,
        -- The id of its event; otherwise its own.
        message_id text COLLATE "C" NOT NULL,
        data jsonb NOT NULL,
        happened_at timestamptz(3) NOT NULL,
        tries int NOT NULL DEFAULT 0,
        -- Tells one claim of it from the next.
        lease int NOT NULL DEFAULT 0,
        -- While somebody sends it: when others may. Null: it was sent, or given up.
        due_at timestamptz(3) DEFAULT now(),
        sent_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        UNIQUE (message_id, address_id)
      );
      CREATE INDEX mail_due ON account.mail (due_at) WHERE due_at IS NOT NULL;
      CREATE INDEX mail_waiting ON account.mail (address_id) WHERE due_at IS NOT NULL;
      CREATE INDEX mail_oldest ON account.mail (created_at);
      GRANT SELECT, INSERT, UPDATE, DELETE ON account.mail TO gateway_service;

      ${isolateTenants('account', ['notification_setting', 'notification_address', 'mail'])}
    `)
  }
}
