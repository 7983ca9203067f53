import { Migration } from '@mikro-orm/migrations'

/** Which request a browser was asked to sign in for, where one was. */
export class SignedInFor0004 extends Migration {
  override up(): void {
    this.addSql(`
      -- SHA-256 of the request's continue token, lower-case hexadecimal.
      ALTER TABLE oauth.session ADD COLUMN signed_in_for text COLLATE "C";
    `)
  }
}
