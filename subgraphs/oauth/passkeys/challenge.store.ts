import type { AllTenantsDatabase, Statement } from '../../shared/database/database.ts'

/**
 * What the signature of a challenge permits. `choose`: only the account is left to be chosen, and the challenge is the
 * id of the passkey that has signed.
 */
export type ChallengePurpose = 'add' | 'step_up' | 'sign_in' | 'choose'

interface ChallengeName {
  /** The id of the session, or SHA-256 of a cookie where there is no session. */
  readonly holder: string
  readonly purpose: ChallengePurpose
}

/** How long a challenge can be answered, in seconds. */
export const challengeSeconds = 300

const store: Statement = {
  name: 'store-passkey-challenge',
  text: `
    INSERT INTO oauth.passkey_challenge (holder, purpose, challenge, person_id, expires_at)
    VALUES ($1, $2, $3, $4, now() + interval '${challengeSeconds} s')
    ON CONFLICT (holder, purpose) DO UPDATE
      SET challenge = excluded.challenge, person_id = excluded.person_id, expires_at = excluded.expires_at`,
}

/** Takes the place of the challenge of before. */
export async function storeChallenge(
  everyone: AllTenantsDatabase,
  { holder, purpose }: ChallengeName,
  challenge: string,
  personId: string | null = null,
): Promise<void> {
  await everyone.query(store, [holder, purpose, challenge, personId])
}

const take: Statement = {
  name: 'take-passkey-challenge',
  text: `
    DELETE FROM oauth.passkey_challenge WHERE holder = $1 AND purpose = $2
    RETURNING challenge, person_id AS "personId", expires_at > now() AS "isOpen"`,
}

interface TakenChallenge {
  readonly challenge: string
  readonly personId: string | null
}

/** Returns the challenge once; null without one, or after its end. */
export async function takeChallenge(
  everyone: AllTenantsDatabase,
  { holder, purpose }: ChallengeName,
): Promise<TakenChallenge | null> {
  const [taken] = await everyone.query<TakenChallenge & { readonly isOpen: boolean }>(take, [
    holder,
    purpose,
  ])
  return taken?.isOpen ? taken : null
}
