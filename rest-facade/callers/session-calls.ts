import type { Call } from '../http/call.ts'

/**
 * Whether the usage log names the session as the source of a call. A product call of a session that a key
 * has opened is an ordinary call of the key; of a person there is no key.
 */
export function isOfSession({ caller, backendModule }: Call): boolean {
  if (!caller?.session) return false
  return caller.keyId === null || backendModule.startsWith('subgraph:')
}
