import { actOf } from '../../shared/changes/act.ts'
import { makeChange, recordChange, recordRefusal } from '../../shared/changes/change.ts'
import type { Transaction } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import { deletePasskeys, lockPerson, passkeysOfPersons } from '../passkeys/passkey.store.ts'
import { beginRemoval, endRemovals, findRemoval } from '../passkeys/passkey-removal.store.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { lockMembersOf } from './membership.store.ts'
import type { PasskeyReset, ResetPasskeysInput } from './passkey.type.ts'
import { tellOfPasskeys } from './passkey-news.ts'
import { accountsOfPerson, type NamedPerson, peopleNamed } from './person.store.ts'
import { accountsWithoutOwners, setPasskeyOnly } from './sign-in-setting.store.ts'

/** A mail brings it to people. */
const maxReason = 500

/**
 * Begins the last way of a person who has lost all passkeys and cannot sign in otherwise: 24 hours later they are
 * removed, unless the person signs in with one. The person and the OWNERs are told. One that has begun goes on as it is.
 * A repetition with the same key is answered with the first result. Throws NOT_FOUND for an address of no member with
 * passkeys, and CONFLICT where several persons go by it and nobody has confirmed it: then the id of a member tells whom.
 */
export async function resetPasskeys(
  context: OAuthContext,
  { email: written, ...said }: ResetPasskeysInput,
): Promise<PasskeyReset> {
  const { reason } = said
  const named = written.toLowerCase()
  const act = { owner: null, action: 'passkey.reset_begin', request: { email: named, reason } }
  const { once } = await recordRefusal(context, act, async () =>
    actOf(context.caller, said, maxReason),
  )
  // Each account of the person has a line of its own.
  const change = { ...act, once, note: () => null }
  return makeChange(context, change, async (tx): Promise<PasskeyReset> => {
    const { personId, email } = await personToReset(tx, named)
    const running = await findRemoval(tx, personId, 'operator')
    const { readyAt } = running ?? (await beginRemoval(tx, personId, 'operator'))
    const details = { email, reason, ready_at: readyAt.toISOString() }
    await noteInAccounts(tx, context, personId, 'passkey.reset_begin', details)
    if (running) return { email, readyAt }
    const data = { person: email, reason, ready_at: readyAt.toISOString() }
    await tellOfPasskeys(tx, context, personId, 'passkey_reset', data)
    await enqueueJob(tx, 'FinishPasskeyReset', { personId }, readyAt)
    return { email, readyAt }
  })
}

/**
 * Whose passkeys a reset removes, by the address or the id of a member; locks the person. Nobody has confirmed the address
 * of a member who joined by a link that was shown, so several persons may go by it.
 */
async function personToReset(tx: Transaction, named: string): Promise<NamedPerson> {
  const people = await peopleNamed(tx, named)
  for (const { personId } of people) await lockPerson(tx, personId)
  const passkeys = await passkeysOfPersons(
    tx,
    people.map((one) => one.personId),
  )
  const found = people.filter(({ personId }) => passkeys.some((one) => one.personId === personId))
  const [only, another] = found
  if (!only) throw new DomainError('NOT_FOUND', 'No member with passkeys has this address.')
  if (!another) return only
  const confirmed = found.find(({ isConfirmed }) => isConfirmed)
  if (confirmed) return confirmed
  const message =
    'Several members have this address, and none has confirmed it. Name one by the id, mem_….'
  throw new DomainError('CONFLICT', message)
}

/**
 * Removes the passkeys of a person whose reset is due, as a job: without a reset, nothing happens. Accounts that took
 * passkeys alone, and have too few OWNERs with some now, take mails again: otherwise nobody could sign in.
 */
export async function finishPasskeyReset(
  context: OAuthContext,
  personId: string,
): Promise<boolean> {
  await context.database.as(allTenants).transaction(async (tx) => {
    const accounts = await accountsOfPerson(tx, personId)
    const ids = accounts.map(({ accountId }) => accountId)
    for (const id of ids) await lockMembersOf(tx, id)
    await lockPerson(tx, personId)
    const reset = await findRemoval(tx, personId, 'operator')
    if (!reset?.isReady) return
    const passkeys = await passkeysOfPersons(tx, [personId])
    await deletePasskeys(
      tx,
      passkeys.map(({ id }) => id),
    )
    await endRemovals(tx, personId)
    const reopened = await accountsWithoutOwners(tx, context, ids)
    for (const id of reopened) await setPasskeyOnly(tx, id, false)
    const email = accounts[0]?.email ?? ''
    const details = { email, passkeys: passkeys.length }
    await noteInAccounts(tx, context, personId, 'passkey.reset', details, reopened)
    await tellOfPasskeys(tx, context, personId, 'passkeys_reset', { person: email })
  })
  return true
}

async function noteInAccounts(
  tx: Transaction,
  context: OAuthContext,
  personId: string,
  action: string,
  details: object,
  reopened: readonly string[] = [],
): Promise<void> {
  for (const { accountId, memberId } of await accountsOfPerson(tx, personId)) {
    const owner = { accountId, environment: 'live' } as const
    const changed = reopened.includes(accountId) ? { ...details, passkey_only: false } : details
    await recordChange(tx, context, { owner, action, resourceId: memberId }, { details: changed })
  }
}
