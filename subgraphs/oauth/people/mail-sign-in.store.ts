import { mailSignInSeconds } from '../../../schema/vocabulary/oauth-lifetimes.ts'
import type { Statement } from '../../shared/database/database.ts'
import type { Queryable } from '../../shared/database/statement.ts'
import type { PersonInAccount } from './person.store.ts'

/** The mails of an hour: of an address and a network, of an address, and of a browser that is known at the address. */
const [maxOfNetwork, maxOfAddress, maxOfBrowser] = [3, 10, 5]

/** The most requests of an hour that are kept of one network, whatever the addresses, beside those of known browsers. */
const maxKept = 1000

/** The wrong codes that end a request, and those that end codes for an address for a day. */
const [maxWrong, maxWrongADay] = [5, 20]

const lockAddress: Statement = {
  name: 'mail-sign-in-lock-address',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('mail-sign-in/' || $1, 0))`,
}

/** Requests and wrong codes of an address are counted one after the other. */
export async function lockSignInsOf(tx: Queryable, addressHash: string): Promise<void> {
  await tx.query(lockAddress, [addressHash])
}

const insertRequest: Statement = {
  name: 'mail-sign-in-ask',
  text: `
    WITH of_address AS (
      SELECT count(*) FILTER (WHERE browser_hash IS NULL) AS mails,
        count(*) FILTER (WHERE browser_hash IS NULL AND network_hash = $4) AS of_network,
        count(*) FILTER (WHERE browser_hash = $5) AS of_browser
      FROM oauth.mail_sign_in
      WHERE address_hash = $3 AND is_permitted AND created_at > now() - interval '1 h'
    ), kept AS (
      INSERT INTO oauth.mail_sign_in
        (id, ask_hash, address_hash, network_hash, browser_hash, is_permitted, expires_at)
      SELECT $1, $2, $3, $4, $5,
        CASE WHEN $5::text IS NULL THEN mails < ${maxOfAddress} AND of_network < ${maxOfNetwork}
          ELSE of_browser < ${maxOfBrowser} END,
        now() + interval '${mailSignInSeconds} s'
      FROM of_address
      WHERE $5::text IS NOT NULL OR ${maxKept} > (
        SELECT count(*) FROM oauth.mail_sign_in
        WHERE network_hash = $4 AND created_at > now() - interval '1 h')
    )
    SELECT now() + interval '${mailSignInSeconds} s' AS "expiresAt"`,
  parameters: ['text', 'text', 'text', 'text', 'text'],
}

/** What is stored of a request for a mail. */
interface NewRequest {
  readonly id: string
  readonly askHash: string
  readonly addressHash: string
  readonly networkHash: string
  /** Null: the browser is not known at the address. */
  readonly browserHash: string | null
}

/** Keeps a request, with whether the limits permit its mail. The caller holds the lock of the address. */
export async function keepRequest(tx: Queryable, made: NewRequest): Promise<Date> {
  const { id, askHash, addressHash, networkHash, browserHash } = made
  const values = [id, askHash, addressHash, networkHash, browserHash]
  const [kept] = await tx.query<{ expiresAt: Date }>(insertRequest, values)
  if (!kept) throw new Error('A statement without rows to look for returned none.')
  return kept.expiresAt
}

const isUsable = 'used_at IS NULL AND expires_at > now()'

const claimRequest: Statement = {
  name: 'mail-sign-in-find-person',
  text: `
    UPDATE oauth.mail_sign_in SET person_id = oauth.person_with($2)
    WHERE id = $1 AND is_permitted AND ${isUsable}
    RETURNING person_id AS "personId", address_hash AS "addressHash", expires_at AS "expiresAt"`,
  parameters: ['text', 'text'],
}

export interface PersonalRequest {
  readonly personId: string | null
  readonly addressHash: string
  readonly expiresAt: Date
}

/** Finds whose address it is that a request names. Null: no mail is permitted, or it would come too late. */
export async function findPersonOfRequest(
  tx: Queryable,
  id: string,
  email: string,
): Promise<PersonalRequest | null> {
  const [found] = await tx.query<PersonalRequest>(claimRequest, [id, email])
  return found ?? null
}

const requestOfBrowser: Statement = {
  name: 'mail-sign-in-of-browser',
  text: `
    SELECT id, address_hash AS "addressHash", person_id AS "personId", wrong_codes AS "wrongCodes"
    FROM oauth.mail_sign_in WHERE ask_hash = $1 AND ${isUsable}`,
}

const lockRequest: Statement = {
  name: 'mail-sign-in-lock',
  text: `${requestOfBrowser.text} FOR UPDATE`,
}

export interface OpenRequest {
  readonly id: string
  readonly addressHash: string
  /** Null: the address is nobody's, or the job has not found the person yet. */
  readonly personId: string | null
  readonly wrongCodes: number
}

/** The request of a browser that can be used now, by the hash of its cookie, with the lock of its address and its own. */
export async function lockRequestOf(tx: Queryable, askHash: string): Promise<OpenRequest | null> {
  const [found] = await tx.query<OpenRequest>(requestOfBrowser, [askHash])
  if (!found) return null
  await lockSignInsOf(tx, found.addressHash)
  const [locked] = await tx.query<OpenRequest>(lockRequest, [askHash])
  return locked ?? null
}

const countWrong: Statement = {
  name: 'mail-sign-in-wrong-codes',
  text: `
    SELECT coalesce(sum(wrong_codes), 0)::int AS count FROM oauth.mail_sign_in
    WHERE address_hash = $1 AND created_at > now() - interval '1 d'`,
}

/** Whether an address may still be proven by a code today. */
export async function takesCodes(tx: Queryable, addressHash: string): Promise<boolean> {
  const [wrong] = await tx.query<{ count: number }>(countWrong, [addressHash])
  return (wrong?.count ?? 0) < maxWrongADay
}

const noteWrong: Statement = {
  name: 'mail-sign-in-note-wrong',
  text: `
    UPDATE oauth.mail_sign_in SET wrong_codes = wrong_codes + 1,
      expires_at = CASE WHEN wrong_codes + 1 < ${maxWrong} THEN expires_at ELSE now() END
    WHERE id = $1`,
}

/** Counts a wrong code; the fifth ends the request, and its link. */
export async function noteWrongCode(tx: Queryable, { id }: OpenRequest): Promise<void> {
  await tx.query(noteWrong, [id])
}

const useRequest: Statement = {
  name: 'mail-sign-in-use',
  text: `UPDATE oauth.mail_sign_in SET used_at = now() WHERE id = $1`,
}

export async function useMailSignIn(tx: Queryable, { id }: OpenRequest): Promise<void> {
  await tx.query(useRequest, [id])
}

/** What a person is in one account, where the address was confirmed. */
export interface ConfirmedAccount extends PersonInAccount {
  /** Whether its members sign in by passkey alone. */
  readonly isPasskeyOnly: boolean
}

const confirmedMemberships: Statement = {
  name: 'confirmed-memberships-of-person',
  text: `
    SELECT m.id AS "memberId", m.account_id AS "accountId", m.role, m.email,
      coalesce(s.passkey_only, false) AS "isPasskeyOnly"
    FROM oauth.membership m LEFT JOIN oauth.sign_in_setting s USING (account_id)
    WHERE m.person_id = $1 AND m.removed_at IS NULL AND m.confirmed_at IS NOT NULL
    ORDER BY m.account_id LIMIT 100`,
}

/** The accounts of a person whose address was confirmed there. The view sees all accounts. */
export function confirmedAccountsOf(
  view: Queryable,
  personId: string,
): Promise<ConfirmedAccount[]> {
  return view.query<ConfirmedAccount>(confirmedMemberships, [personId])
}
