import type { GrantedConsent } from 'credit-gateway-sdk'
import { quotable } from '../../../schema/vocabulary/claimed-name.ts'

/**
 * The app within a sentence. The name of one that nobody has verified proves nothing: what is known of it comes first,
 * and the name is quoted.
 */
export function nameOf({ client_name: name, origin, document_host: host }: GrantedConsent): string {
  return origin ? `${host ?? 'an app that registered itself'} (“${quotable(name)}”)` : name
}
