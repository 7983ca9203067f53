import type { Statement } from '../../shared/database/database.ts'
import type { Queryable } from '../../shared/database/statement.ts'

/** A stored passkey. */
export interface Passkey {
  readonly id: string
  readonly personId: string
  readonly name: string
  /** Base64url, as the browser names the passkey. */
  readonly credentialId: string
  /** Base64url of the COSE key. */
  readonly publicKey: string
  /** The newest one that was signed; 0: the authenticator does not count. */
  readonly counter: number
  readonly transports: readonly string[]
  readonly rpId: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  /** When a counter did not grow. */
  readonly disabledAt: Date | null
  /** The account to which a mail has let in who added it, or the passkey that vouches for it. */
  readonly vouchedIn: string
  readonly vouchedAt: Date
}

const columns = `id, person_id AS "personId", name, credential_id AS "credentialId",
  public_key AS "publicKey", counter::float8 AS counter, transports, rp_id AS "rpId",
  created_at AS "createdAt", last_used_at AS "lastUsedAt", disabled_at AS "disabledAt",
  vouched_in AS "vouchedIn", vouched_at AS "vouchedAt"`

const ofPersons: Statement = {
  name: 'passkeys-of-persons',
  text: `SELECT ${columns} FROM oauth.passkeys_of($1::text[]) ORDER BY id`,
}

/** All passkeys of these persons, in the order in which they were added. */
export function passkeysOfPersons(
  view: Queryable,
  personIds: readonly string[],
): Promise<Passkey[]> {
  return view.query<Passkey>(ofPersons, [personIds])
}

const ofCredential: Statement = {
  name: 'passkey-of-credential',
  text: `SELECT ${columns} FROM oauth.passkey_of_credential($1)`,
}

/** Locks the passkey. */
export async function lockPasskey(tx: Queryable, credentialId: string): Promise<Passkey | null> {
  const [found] = await tx.query<Passkey>(ofCredential, [credentialId])
  return found ?? null
}

const lock: Statement = { name: 'lock-person', text: 'SELECT oauth.lock_person($1)' }

/** Changes of the passkeys of a person happen one after the other. */
export async function lockPerson(tx: Queryable, personId: string): Promise<void> {
  await tx.query(lock, [personId])
}

const insert: Statement = {
  name: 'insert-passkey',
  text: `SELECT ${columns} FROM oauth.add_passkey($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
}

interface NewPasskey
  extends Omit<Passkey, 'createdAt' | 'lastUsedAt' | 'disabledAt' | 'vouchedAt'> {
  /** Null: now. */
  readonly vouchedAt: Date | null
}

/** Null if somebody has this passkey already. */
export async function insertPasskey(tx: Queryable, made: NewPasskey): Promise<Passkey | null> {
  const { id, personId, name, credentialId, publicKey, counter, transports, rpId } = made
  const values = [
    ...[id, personId, name, credentialId, publicKey, counter, transports, rpId],
    ...[made.vouchedIn, made.vouchedAt],
  ]
  const [added] = await tx.query<Passkey>(insert, values)
  return added ?? null
}

const noteUse: Statement = { name: 'use-passkey', text: 'SELECT oauth.use_passkey($1, $2)' }

export async function noteUseOf(tx: Queryable, id: string, counter: number): Promise<void> {
  await tx.query(noteUse, [id, counter])
}

const disable: Statement = { name: 'disable-passkey', text: 'SELECT oauth.disable_passkey($1)' }

export async function disablePasskey(tx: Queryable, id: string): Promise<void> {
  await tx.query(disable, [id])
}

const remove: Statement = { name: 'remove-passkeys', text: 'SELECT oauth.remove_passkeys($1)' }

export async function deletePasskeys(tx: Queryable, ids: readonly string[]): Promise<void> {
  await tx.query(remove, [ids])
}
