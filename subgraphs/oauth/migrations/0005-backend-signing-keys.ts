import { Migration } from '@mikro-orm/migrations'

/**
 * Keys that prove to backend modules who calls. A table of their own: a build that knows only the other
 * one would sign id tokens with whatever it finds there.
 */
export class BackendSigningKeys0005 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE oauth.backend_signing_key (
        kid text COLLATE "C" PRIMARY KEY,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        alg text NOT NULL CHECK (alg = 'EdDSA'),
        public_jwk jsonb NOT NULL,
        private_sealed text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        activate_at timestamptz(3) NOT NULL,
        revoked_at timestamptz(3)
      );
      CREATE INDEX backend_signing_key_activation
        ON oauth.backend_signing_key (environment, activate_at, kid);
      GRANT SELECT, INSERT, DELETE, UPDATE (activate_at, revoked_at)
        ON oauth.backend_signing_key TO gateway_service;
    `)
  }
}
