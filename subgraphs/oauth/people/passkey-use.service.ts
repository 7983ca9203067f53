import { recordChange } from '../../shared/changes/change.ts'
import type { Transaction } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { type CredentialJson, requestOptions, verifyUse } from '../passkeys/ceremony.ts'
import {
  type ChallengePurpose,
  storeChallenge,
  takeChallenge,
} from '../passkeys/challenge.store.ts'
import {
  disablePasskey,
  lockPasskey,
  noteUseOf,
  type Passkey,
  passkeysOfPersons,
} from '../passkeys/passkey.store.ts'
import { endRemovals } from '../passkeys/passkey-removal.store.ts'
import { requireRelyingParty } from '../passkeys/relying-party.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import type { PasskeyRequest } from './passkey.type.ts'
import { tellOfPasskeys } from './passkey-news.ts'
import { accountsOfPerson } from './person.store.ts'

interface Asked {
  readonly holder: string
  readonly purpose: ChallengePurpose
}

/** What a browser needs to use a passkey: any, or one of this person. Throws CONFLICT where passkeys are off. */
export async function askForPasskey(
  context: OAuthContext,
  asked: Asked,
  personId: string | null,
): Promise<PasskeyRequest> {
  const everyone = context.database.as(allTenants)
  const party = requireRelyingParty(context)
  const passkeys = personId === null ? null : await passkeysOfPersons(everyone, [personId])
  const usable = passkeys?.filter(({ disabledAt }) => disabledAt === null) ?? null
  if (usable?.length === 0)
    throw new DomainError('CONFLICT', 'You have no passkey to prove this with.')
  const { options, challenge } = await requestOptions(party, usable)
  await storeChallenge(everyone, asked, challenge)
  return { options }
}

/**
 * The passkey that has signed the newest challenge. All waits of its person end. A counter that does not grow disables
 * it, and the person is told. Throws one FORBIDDEN for everything that is not accepted.
 */
export async function requirePasskey(
  context: OAuthContext,
  asked: Asked,
  credential: CredentialJson,
): Promise<Passkey> {
  const everyone = context.database.as(allTenants)
  const party = requireRelyingParty(context)
  const taken = await takeChallenge(everyone, asked)
  if (!taken) throw notAccepted()
  // What a refused passkey causes stays.
  const used = await everyone.transaction(async (tx) => {
    const passkey = await lockPasskey(tx, String(credential.id))
    if (!passkey || passkey.disabledAt) return null
    const counter = await verifyUse(party, passkey, credential, taken.challenge)
    if (counter === null) return null
    if (!hasGrown(passkey.counter, counter)) {
      await disableCopied(tx, context, passkey)
      return null
    }
    await noteUseOf(tx, passkey.id, counter)
    await endWaits(tx, context, passkey)
    return passkey
  })
  if (!used) throw notAccepted()
  return used
}

/** Authenticators that do not count always sign 0 (WebAuthn Level 3, section 6.1.1). */
function hasGrown(stored: number, signed: number): boolean {
  return (stored === 0 && signed === 0) || signed > stored
}

export function notAccepted(): DomainError {
  return new DomainError(
    'FORBIDDEN',
    'This passkey was not accepted. Try again, or use another one.',
  )
}

async function disableCopied(
  tx: Transaction,
  context: OAuthContext,
  { id, name, personId }: Passkey,
): Promise<void> {
  await disablePasskey(tx, id)
  const accounts = await accountsOfPerson(tx, personId)
  for (const { accountId } of accounts) {
    const owner = { accountId, environment: 'live' } as const
    const change = { owner, action: 'passkey.disable', resourceId: id }
    await recordChange(tx, context, change, { details: { name } })
  }
  const person = accounts[0]?.email ?? ''
  await tellOfPasskeys(tx, context, personId, 'passkey_disabled', { person, passkey: name })
}

/** Ends all waits of the person, with a line in each account. */
export async function endWaits(
  tx: Transaction,
  context: OAuthContext,
  { personId }: Pick<Passkey, 'personId'>,
): Promise<void> {
  const ended = await endRemovals(tx, personId)
  if (ended.length === 0) return
  for (const { accountId, memberId } of await accountsOfPerson(tx, personId)) {
    const owner = { accountId, environment: 'live' } as const
    await recordChange(tx, context, {
      owner,
      action: 'passkey.removal_cancel',
      resourceId: memberId,
    })
  }
}
