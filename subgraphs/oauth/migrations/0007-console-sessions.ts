import { Migration } from '@mikro-orm/migrations'
import { ConcurrentIndex } from '../../shared/migrating/concurrent-index.ts'

/** Sessions that are callers: of a key, or of a person with a role whom a portal link signed in. */
export class ConsoleSessions0007 extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE oauth.session
        ALTER COLUMN key_id DROP NOT NULL,
        ADD COLUMN role text,
        -- Whom the provider's backend names: 1 to 200 characters.
        ADD COLUMN actor text,
        -- Where the page leads back to.
        ADD COLUMN return_url text,
        -- The session that was handed over: it takes this one along when it ends.
        ADD COLUMN parent_id text COLLATE "C",
        -- Sessions of before this step have to be proven anew.
        ADD COLUMN proven_at timestamptz(3) NOT NULL DEFAULT 'epoch',
        -- The cookie of before the newest proof, while requests with it are under way.
        ADD COLUMN previous_secret_hash text COLLATE "C",
        ADD COLUMN previous_until timestamptz(3),
        ADD COLUMN address text,
        -- Every row of before has a key, so it need not be read.
        ADD CONSTRAINT session_of CHECK (
          (key_id IS NULL) <> (role IS NULL) AND (role IS NULL) = (actor IS NULL)) NOT VALID;
      ALTER TABLE oauth.session ALTER COLUMN proven_at SET DEFAULT now();
    `)
  }
}

/** A person with a role may approve an app: then no key has. */
export class ConsentsOfPeople0012 extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE oauth.consent ALTER COLUMN key_id DROP NOT NULL')
  }
}

export class SessionPreviousSecrets0009 extends ConcurrentIndex {
  protected readonly table = 'oauth.session'
  protected readonly index = 'session_previous_secret'
  protected readonly definition = '(previous_secret_hash) WHERE previous_secret_hash IS NOT NULL'
}

export class SessionParents0010 extends ConcurrentIndex {
  protected readonly table = 'oauth.session'
  protected readonly index = 'session_parent'
  protected readonly definition = '(parent_id) WHERE parent_id IS NOT NULL'
}

export class SessionsOfAccount0011 extends ConcurrentIndex {
  protected readonly table = 'oauth.session'
  protected readonly index = 'session_newest'
  protected readonly definition = '(account_id, environment, id DESC)'
}
