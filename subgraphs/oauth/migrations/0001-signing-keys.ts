import { Migration } from '@mikro-orm/migrations'

/** Signing keys of the OpenID provider; the private half is sealed with a key from GATEWAY_SECRET. */
export class SigningKeys0001 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE SCHEMA IF NOT EXISTS oauth;

      CREATE TABLE oauth.signing_key (
        kid text COLLATE "C" PRIMARY KEY,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        alg text NOT NULL CHECK (alg = 'RS256'),
        public_jwk jsonb NOT NULL,
        private_sealed text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX signing_key_environment ON oauth.signing_key (environment, created_at);

      GRANT USAGE ON SCHEMA oauth TO gateway_service;
      GRANT SELECT, INSERT ON oauth.signing_key TO gateway_service;
    `)
  }
}
