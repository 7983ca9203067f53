import type { PersonRole } from '../../../schema/vocabulary/roles.ts'
import type { Statement } from '../../shared/database/database.ts'
import type { Queryable } from '../../shared/database/statement.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import {
  deletePasskeys,
  lockPerson,
  type Passkey,
  passkeysOfPersons,
} from '../passkeys/passkey.store.ts'
import { endRemovals } from '../passkeys/passkey-removal.store.ts'
import { takesPasskey } from './sign-in-setting.store.ts'

/** What a person is in one account. */
export interface PersonInAccount {
  readonly memberId: string
  readonly accountId: string
  readonly role: PersonRole
  readonly email: string
}

const memberships: Statement = {
  name: 'memberships-of-person',
  text: `
    SELECT id AS "memberId", account_id AS "accountId", role, email FROM oauth.membership
    WHERE person_id = $1 AND removed_at IS NULL ORDER BY account_id`,
}

/** The accounts of a person, in the order of their ids. The view sees all accounts. */
export function accountsOfPerson(view: Queryable, personId: string): Promise<PersonInAccount[]> {
  return view.query<PersonInAccount>(memberships, [personId])
}

/**
 * Deletes the passkeys and waits of a person who has no other membership than this one: nobody was there to see what
 * became of them, so they prove nothing to an account that the person joins later. The transaction sees all accounts,
 * and holds the lock of the members of the account.
 */
export async function forgetPasskeysUnlessMember(
  tx: Queryable,
  personId: string,
  memberId: string,
): Promise<void> {
  await lockPerson(tx, personId)
  const all = await accountsOfPerson(tx, personId)
  if (all.some((one) => one.memberId !== memberId)) return
  const passkeys = await passkeysOfPersons(tx, [personId])
  await deletePasskeys(
    tx,
    passkeys.map(({ id }) => id),
  )
  await endRemovals(tx, personId)
}

const takingPasskey: Statement = {
  name: 'memberships-taking-passkey',
  text: `
    SELECT m.id AS "memberId", m.account_id AS "accountId", m.role, m.email,
      m.confirmed_at IS NOT NULL AS "isConfirmed"
    FROM oauth.membership m
    JOIN LATERAL oauth.passkeys_of(ARRAY[m.person_id]) p ON p.id = $2 AND p.disabled_at IS NULL
    LEFT JOIN oauth.sign_in_setting s ON s.account_id = m.account_id
    WHERE m.person_id = $1 AND m.removed_at IS NULL AND ${takesPasskey} ORDER BY m.account_id`,
}

interface TakingAccount extends PersonInAccount {
  /** Whether the person has shown that mails to the address arrive. */
  readonly isConfirmed: boolean
}

/** Those accounts of its person that take the passkey now, in the order of their ids. The view sees all accounts. */
export function accountsTaking(
  view: Queryable,
  { id, personId }: Pick<Passkey, 'id' | 'personId'>,
): Promise<TakingAccount[]> {
  return view.query<TakingAccount>(takingPasskey, [personId, id])
}

/** A person whom an address or the id of a member names. */
export interface NamedPerson {
  readonly personId: string
  /** The address, which may be of several persons unless it is confirmed. */
  readonly email: string
  readonly isConfirmed: boolean
}

/** The most persons that go by one address; whoever has more of them names one. */
const maxNamed = 10

const people: Statement = {
  name: 'people-named',
  text: `
    SELECT id AS "personId", $1 AS email, true AS "isConfirmed" FROM oauth.person_with($1) AS id
    WHERE id IS NOT NULL
    UNION ALL
    (SELECT DISTINCT ON (person_id) person_id, email, confirmed_at IS NOT NULL FROM oauth.membership
    WHERE (id = $1 OR email = $1 AND confirmed_at IS NULL) AND joined_at IS NOT NULL AND removed_at IS NULL
    ORDER BY person_id LIMIT ${maxNamed})
    ORDER BY 1`,
  parameters: ['text'],
}

/** The persons with this address, or the person of the member with this id. The view sees all accounts. */
export function peopleNamed(view: Queryable, named: string): Promise<NamedPerson[]> {
  return view.query<NamedPerson>(people, [named])
}

const peopleToTell: Statement = {
  name: 'people-to-tell-of-person',
  text: `
    SELECT DISTINCT ON (m.email) m.id AS "memberId", m.account_id AS "accountId", m.email
    FROM oauth.membership m
    WHERE m.removed_at IS NULL AND m.confirmed_at IS NOT NULL AND (m.person_id = $1 OR m.role = 'OWNER')
      AND m.account_id IN (
        SELECT account_id FROM oauth.membership WHERE person_id = $1 AND removed_at IS NULL)
    ORDER BY m.email, m.account_id`,
}

type Receiver = Pick<PersonInAccount, 'memberId' | 'accountId' | 'email'>

/**
 * The person and the OWNERs of the person's accounts whose addresses are confirmed, each address once. The view sees all
 * accounts.
 */
export function receiversFor(view: Queryable, personId: string): Promise<Receiver[]> {
  return view.query<Receiver>(peopleToTell, [personId])
}

const passkeyOfSessionById: Statement = {
  name: 'passkey-of-session',
  text: 'SELECT passkey_id AS "passkeyId" FROM oauth.session WHERE id = $1',
}

/** The passkey that gave the session its newest proof; null: something else did. */
export async function passkeyOfSession(view: Queryable, sessionId: string): Promise<string | null> {
  const [found] = await view.query<{ passkeyId: string | null }>(passkeyOfSessionById, [sessionId])
  return found?.passkeyId ?? null
}

const demote: Statement = {
  name: 'end-proofs-of-person',
  text: `
    UPDATE oauth.session SET proven_at = auth_time - interval '1 ms'
    WHERE member_id IN (SELECT id FROM oauth.membership WHERE person_id = $1) AND id <> $2
      AND ended_at IS NULL`,
}

/** A mail proved the sessions of before: from the first passkey on it proves nothing, but in the session that adds it. */
export async function endOtherProofs(
  tx: Queryable,
  personId: string,
  sessionId: string,
): Promise<void> {
  await tx.query(demote, [personId, sessionId])
}

const stillProven: Statement = {
  name: 'session-still-proven',
  text: `
    SELECT 1 AS proven FROM oauth.session
    WHERE id = $1 AND ended_at IS NULL AND proven_at >= auth_time`,
}

/**
 * Throws STEP_UP_REQUIRED if the proof of a session has ended since the request came: the person has a first passkey, or
 * is another one by now. The caller holds the lock of the person.
 */
export async function requireStillProven(tx: Queryable, sessionId: string): Promise<void> {
  const found = await tx.query(stillProven, [sessionId])
  if (found.length > 0) return
  throw new DomainError('STEP_UP_REQUIRED', 'The proof of this session has ended meanwhile.')
}
