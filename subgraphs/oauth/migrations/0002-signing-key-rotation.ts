import { Migration } from '@mikro-orm/migrations'

/** Two instants decide the state of a key: when it begins to sign, and when it was revoked. */
export class SigningKeyRotation0002 extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE oauth.signing_key
        ADD COLUMN activate_at timestamptz(3),
        ADD COLUMN revoked_at timestamptz(3);
      UPDATE oauth.signing_key SET activate_at = created_at;
      ALTER TABLE oauth.signing_key ALTER COLUMN activate_at SET NOT NULL;

      DROP INDEX oauth.signing_key_environment;
      CREATE INDEX signing_key_activation ON oauth.signing_key (environment, activate_at, kid);
      GRANT UPDATE (activate_at, revoked_at), DELETE ON oauth.signing_key TO gateway_service;

      -- A key that was there before is replaced when one would be that nobody has configured.
      SELECT jobs.enqueue('TurnSigningKeys',
        jsonb_build_object('environment', environment, 'kid', kid),
        greatest(activate_at + interval '90 days', now()))
      FROM oauth.signing_key;
    `)
  }
}
