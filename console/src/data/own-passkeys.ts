import type { PasskeyList } from 'credit-gateway-sdk'
import { gateway } from '../api.ts'
import { useSession } from '../session/session.tsx'
import { type Read, useRead } from './read.ts'

/** The passkeys of the member who is signed in. Keys, and people of a portal link, have none: 404. */
export function useOwnPasskeys(): Read<PasskeyList> {
  const { role, environment } = useSession()
  return useRead<PasskeyList>(
    ['passkeys'],
    (options) => gateway.account.listPasskeys({}, options),
    { isEnabled: role !== null && environment === 'live' },
  )
}

/** Why a member without a passkey cannot come back after this session; null: there is a way. */
export function whyLockedOut(list: PasskeyList): string | null {
  if (list.items.some(({ disabled_at }) => disabled_at === null)) return null
  return reasons[list.mail_sign_in]
}

const reasons: Readonly<Record<PasskeyList['mail_sign_in'], string | null>> = {
  possible: null,
  off: 'This gateway doesn’t send e-mail: add a passkey.',
  unconfirmed: 'Your address is not confirmed: confirm it, or add a passkey.',
  passkeys_only: 'This account accepts passkeys only: add one.',
}
