import { DomainError } from '../../shared/graph/errors.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import type { RelyingParty } from './ceremony.ts'

/** Null where passkeys are off. */
export function rpIdOf({ oauth }: Pick<OAuthContext, 'oauth'>): string | null {
  return oauth.passkeys?.rpId ?? null
}

/** Why passkeys are off; null: they are on. */
export function whyOff({ oauth: { passkeys } }: Pick<OAuthContext, 'oauth'>): string | null {
  if (!passkeys) return 'Passkeys are off.'
  return passkeys.rpId === null ? passkeys.because : null
}

/** Throws CONFLICT where passkeys are off, and on the sandbox, whose people are those of live. */
export function requireRelyingParty({
  oauth,
  baseUrls,
  caller,
}: Pick<OAuthContext, 'oauth' | 'baseUrls' | 'caller'>): RelyingParty {
  if (caller.environment !== 'live') {
    throw new DomainError('CONFLICT', 'Passkeys belong to live: the sandbox has none of its own.')
  }
  const rpId = rpIdOf({ oauth })
  if (rpId === null) throw new DomainError('CONFLICT', whyOff({ oauth }) ?? '')
  return { rpId, origin: new URL(baseUrls.live).origin }
}
