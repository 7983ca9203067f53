import type { Call } from '../http/call.ts'

/**
 * Whether the usage log names the session as the source of a call. A product call costs, and is an ordinary
 * call: of the key that has opened the session, or of no key where a person has a role.
 */
export function isOfSession({ caller, backendModule }: Call): boolean {
  return caller?.session !== undefined && backendModule.startsWith('subgraph:')
}
