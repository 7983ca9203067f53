import type { Statement } from '../../shared/database/database.ts'
import type { Queryable } from '../../shared/database/statement.ts'

/** Who has asked: the person, by a session without a proof, or an operator. */
type AskedBy = 'person' | 'operator'

/** What a person waits for who has no passkey at hand. */
export interface PasskeyRemoval {
  readonly askedBy: AskedBy
  readonly readyAt: Date
  /** Afterwards the wait begins anew. */
  readonly endsAt: Date
  readonly isReady: boolean
}

/** How long nothing happens: a person who has the passkeys sees the mails, and signs in with one. */
const waitHours = 24

/** How long a person may use a wait that is over. */
const usableDays = 7

const columns = `asked_by AS "askedBy", ready_at AS "readyAt", ends_at AS "endsAt",
  ready_at <= now() AS "isReady"`

const ofPerson: Statement = {
  name: 'passkey-removals-of-person',
  text: `SELECT ${columns} FROM oauth.passkey_removal_of($1, $2)`,
}

/** Null without a wait that is running or can be used. */
export async function findRemoval(
  view: Queryable,
  personId: string,
  askedBy: AskedBy,
): Promise<PasskeyRemoval | null> {
  const [found] = await view.query<PasskeyRemoval>(ofPerson, [personId, askedBy])
  return found ?? null
}

const begin: Statement = {
  name: 'begin-passkey-removal',
  text: `SELECT ${columns} FROM oauth.begin_passkey_removal($1, $2, ${waitHours}, ${usableDays})`,
}

/** Begins a wait; the caller holds the lock of the person, and has found none. */
export async function beginRemoval(
  tx: Queryable,
  personId: string,
  askedBy: AskedBy,
): Promise<PasskeyRemoval> {
  const [begun] = await tx.query<PasskeyRemoval>(begin, [personId, askedBy])
  if (!begun) throw new Error('A wait was not stored.')
  return begun
}

const end: Statement = {
  name: 'end-passkey-removals',
  text: `SELECT ${columns} FROM oauth.end_passkey_removals($1)`,
}

/** Ends all waits of the person; returns those that were running or usable. */
export function endRemovals(tx: Queryable, personId: string): Promise<PasskeyRemoval[]> {
  return tx.query<PasskeyRemoval>(end, [personId])
}
